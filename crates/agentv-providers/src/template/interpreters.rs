//! Programs that take a program as one of their words, and how.

/// A program that takes a program as a word.
pub(super) struct Interpreter {
    names: &'static [&'static str],
    /// Options whose value is a program, joined or as the next word.
    pub(super) option: &'static str,
    pub(super) long: &'static [&'static str],
    /// Options that make the first operand a program.
    pub(super) flag: &'static str,
    /// The first operand is a program, unless an option gave it.
    pub(super) operand: bool,
    /// Options that take a value, joined or as the next word.
    pub(super) takes: &'static str,
    pub(super) takes_long: &'static [&'static str],
    /// Options that take the rest of their word.
    pub(super) joined: &'static str,
    /// Options behind whose value all words are another's.
    pub(super) last: &'static str,
    /// Options may stand behind operands.
    pub(super) permutes: bool,
}

const PLAIN: Interpreter = Interpreter {
    names: &[],
    option: "",
    long: &[],
    flag: "",
    operand: false,
    takes: "",
    takes_long: &[],
    joined: "",
    last: "",
    permutes: false,
};

/// Names without the version at their end.
const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &[
            "sh", "bash", "rbash", "dash", "ash", "ksh", "mksh", "zsh", "yash", "csh", "tcsh",
        ],
        flag: "c",
        takes: "oO",
        takes_long: &["rcfile", "init-file", "emulate"],
        ..PLAIN
    },
    Interpreter {
        names: &["fish"],
        option: "cC",
        long: &["command", "init-command"],
        takes: "dDfop",
        ..PLAIN
    },
    Interpreter {
        names: &["su", "runuser"],
        option: "c",
        long: &["command", "session-command"],
        takes: "gGsuwT",
        takes_long: &[
            "group",
            "supp-group",
            "shell",
            "user",
            "whitelist-environment",
        ],
        permutes: true,
        ..PLAIN
    },
    Interpreter {
        names: &["script"],
        option: "c",
        long: &["command"],
        takes: "BEImoOT",
        ..PLAIN
    },
    Interpreter {
        names: &["python", "pypy"],
        option: "c",
        takes: "WXm",
        takes_long: &["check-hash-based-pycs"],
        last: "cm",
        ..PLAIN
    },
    Interpreter {
        names: &["perl"],
        option: "eE",
        takes: "I",
        joined: "iMmxDCFV",
        ..PLAIN
    },
    Interpreter {
        names: &[
            "ruby",
            "lua",
            "luajit",
            "julia",
            "osascript",
            "R",
            "Rscript",
        ],
        option: "eE",
        long: &["eval", "print"],
        takes: "rICl",
        ..PLAIN
    },
    Interpreter {
        names: &["node", "nodejs", "bun", "tsx"],
        option: "ep",
        long: &["eval", "print"],
        takes: "rC",
        takes_long: &[
            "require",
            "import",
            "loader",
            "experimental-loader",
            "env-file",
        ],
        ..PLAIN
    },
    Interpreter {
        names: &["php"],
        option: "erRBE",
        long: &["run", "process-code", "process-begin", "process-end"],
        takes: "cdfFzS",
        ..PLAIN
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk"],
        option: "e",
        long: &["source"],
        operand: true,
        takes: "fFvilE",
        takes_long: &[
            "file",
            "field-separator",
            "assign",
            "include",
            "load",
            "exec",
        ],
        ..PLAIN
    },
    Interpreter {
        names: &["sed", "gsed"],
        option: "e",
        long: &["expression"],
        operand: true,
        takes: "fl",
        takes_long: &["file", "line-length"],
        joined: "i",
        permutes: true,
        ..PLAIN
    },
];

impl Interpreter {
    /// The interpreter that a word names, with or without its folder and version.
    pub(super) fn named(word: &str) -> Option<&'static Interpreter> {
        let name = word.rsplit('/').next().unwrap_or(word);
        let name =
            name.trim_end_matches(|letter: char| letter.is_ascii_digit() || ".-".contains(letter));
        let mut known = INTERPRETERS.iter();
        known.find(|interpreter| interpreter.names.contains(&name))
    }
}
