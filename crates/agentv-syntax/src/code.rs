//! The stable codes of all diagnostics.

/// Declares the codes; one line each, in the order of the reference page.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// The kind of problem that a diagnostic reports. Codes never change their meaning; `E` stands
        /// for a problem that `validate` counts as an error, `W` for a warning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// All codes, in order.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// Returns the code as shown, such as `E012`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Returns the meaning of the code, in a sentence or two.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc, "\n",)+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// The file cannot be read: it does not exist, is not a regular file, or the system refused.
    Unreadable = "E001",
    /// Cases cannot be read from files with this extension.
    UnsupportedExtension = "E002",
    /// The text is not UTF-8.
    NotUtf8 = "E003",
    /// The line is not JSON. No case in the file is run.
    InvalidJson = "E004",
    /// A line is JSON, but not an object: no case in the file is run. An element of `evalcases` that
    /// is not a mapping is skipped.
    NotAnObject = "E005",
    /// The line is longer than 64 MiB. No case in the file is run.
    LineTooLong = "E006",
    /// The file is not a YAML document. No case in it is run.
    InvalidYaml = "E007",
    /// The file has no cases.
    NoCases = "E008",
    /// An object has the same key twice, so one of the values would be lost.
    DuplicateKey = "E009",
    /// Two cases in a file have the same id; the later one is skipped.
    DuplicateId = "E010",
    /// A required field is missing.
    MissingField = "E011",
    /// A field has a value of the wrong type.
    WrongType = "E012",
    /// The value is not one of those that the field accepts.
    UnknownValue = "E013",
    /// A value is outside the range of the field: a number that is too large or too small, or a text or
    /// list that must not be empty.
    OutOfRange = "E014",
    /// The file format has no such field.
    UnknownField = "E015",
    /// No evaluator has that type.
    UnknownEvaluator = "E016",
    /// No provider has that name.
    UnknownProvider = "E017",
    /// Some elements of `expected_output` are messages and some are not.
    MixedMessages = "E018",
    /// A rubric's score ranges overlap or do not cover 0 to 10.
    ScoreRanges = "E019",
    /// A referenced file does not exist.
    FileNotFound = "E020",
    /// A referenced file is outside the project root.
    FileOutsideRoot = "E021",
    /// A referenced path is a directory, a pipe or something else that is not a file.
    NotAFile = "E022",
    /// A referenced file cannot be used: it is not UTF-8, it is too large, or the system refused.
    FileUnusable = "E023",
    /// An AgentMark row has no `userMessage`, and the dataset has no `prompt`.
    NoUserMessage = "E024",
    /// The row breaks AgentMark's own rules (`--as agentmark`).
    AgentMarkRule = "E025",
    /// A template cannot be parsed or filled.
    InvalidTemplate = "E026",
    /// A glob pattern cannot be parsed.
    InvalidPattern = "E027",
    /// Two targets in a file have the same name.
    DuplicateTarget = "E028",
    /// A command has a placeholder that does not exist.
    UnknownPlaceholder = "E029",
    /// Two evaluators of a case, or two rubrics of a list, have the same name.
    DuplicateName = "E030",
    /// A case nests arrays and objects too deeply to be written to a record and read back.
    TooDeep = "E031",
    /// The line ends in the middle of a JSON value. No case in the file is run.
    UnfinishedJson = "E032",
    /// A regular expression, a JSON Schema, the path of a field or a date format that cannot be
    /// understood.
    InvalidExpression = "E033",
    /// A case refers to a file that cases cannot read: `.env`, or a file in `.git` or `.agentv`.
    PrivateFile = "E034",
    /// A placeholder of a command is in a place where its value would be changed or evaluated.
    MisplacedPlaceholder = "E035",
    /// Two fields exclude each other.
    ExclusiveFields = "E036",
    /// A string has an escape that is half of a surrogate pair (`\ud83d` alone), which is not a character.
    LoneSurrogate = "E037",
    /// The file has results of a run, not cases.
    ResultsFile = "E038",
    /// The file is written in another dialect, and uses something that is not supported.
    Unsupported = "E039",
    /// The file has keys of two dialects.
    MixedDialects = "E040",
    /// The file is not CSV, or a record has too many or too few cells.
    InvalidCsv = "E041",
    /// A target has a field that its provider or the protocol of its model does not accept.
    RefusedSetting = "E042",
    /// A case depends on one that does not exist, or on itself.
    Dependency = "E043",
    /// Both spellings of a field are given; `input_messages`, `expected_messages` and
    /// `expected_outcome` are used.
    BothSpellings = "W001",
    /// There is no sidecar beside the JSONL file (shown with `--verbose`).
    NoSidecar = "W002",
    /// A sidecar is also a suite with cases of its own.
    DoubleRole = "W003",
    /// An unknown field: it has no effect, or its name is similar to a known one.
    UnknownNear = "W004",
    /// AgentMark's own rules do not allow this, but it can be run.
    AgentMarkAdvice = "W005",
    /// The value is not used.
    Unused = "W006",
    /// A field names a target that the file does not define.
    UnknownTarget = "W007",
    /// A whole number has more digits than 64 bits hold, so the last ones are rounded.
    InexactNumber = "W008",
    /// The prompt of a judge uses a variable that does not exist, or shows neither the answer nor the
    /// expected messages.
    JudgePrompt = "W009",
    /// A command makes text from cases a part of a program, such as the argument of `-c`.
    InterpretedText = "W010",
    /// YAML has a number for the value, but it is read as text: `.inf`, `.nan`, or a number that starts with 0,
    /// such as `012`.
    NumberLike = "W011",
    /// Files with results of runs or recorded answers are among the files of a folder or pattern. They are
    /// skipped.
    SkippedResults = "W012",
    /// A target uses a variable that is not set.
    UnsetVariable = "W013",
    /// The provider of a target is unknown. A run that needs the target is refused.
    UnusableTarget = "W014",
    /// Two evaluators of a case have the same name. The later one gets another name in results.
    RenamedEvaluator = "W015",
    /// The file is written in another dialect, and has something that is not used. No verdict depends on
    /// it.
    NotUsed = "W016",
    /// A key is written as `$NAME` or `{{ NAME }}`, which is sent as it is. A variable is `${{ NAME }}`.
    LiteralVariable = "W017",
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
