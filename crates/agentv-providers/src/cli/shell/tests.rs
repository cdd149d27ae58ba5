//! Lines with placeholders, run by shells.

use std::path::Path;
use std::process::{Command, Output};

use super::line::{ShellLine, Substitute};
use super::quotes::Quotes;

const WORDS: &[&str] = &["PROMPT", "PROMPT_FILE", "EVAL_ID"];

/// Texts that make a file `owned` if they are run.
const HOSTILE: &[&str] = &[
    "$(touch owned)",
    "`touch owned`",
    "'; touch owned; '",
    "\"; touch owned; \"",
    "x\ntouch owned\n",
    "; touch owned #",
    ") touch owned;; esac) touch owned #",
    "}\"; touch owned; \"${X:-",
    "'$(touch owned)'",
    "\\'; touch owned #",
    "a[$(touch owned)]",
    "EOF\ntouch owned\n",
    "${X:-$(touch owned)}",
];

/// Lines that are hard to read.
const TRICKY: &[&str] = &[
    "(true)# it's\nprintf '<%s>' {PROMPT}",
    "true;# it's\nprintf '<%s>' {PROMPT}",
    "true \\\n# it's\nprintf '<%s>' {PROMPT}",
    "printf %s \"${X:-it}\" >/dev/null; printf '<%s>' {PROMPT}",
    "printf '<%s>' \"${X:+it}\"{PROMPT}",
    "printf %s `echo it` $((1 + 2)) >/dev/null; printf '<%s>' {PROMPT}",
    "printf %s \"a << b [[ c ((\" >/dev/null; printf '<%s>' {PROMPT}",
    "printf '<%s>' \"$(printf %s \"$(echo)\" {PROMPT})\"",
    "f() { printf '<%s>' {PROMPT}; }; f other",
    "set -- other; printf '<%s>' {PROMPT}",
    "case {PROMPT} in '') printf '<>';; *) printf '<%s>' {PROMPT};; esac",
    "if true; then printf '<%s>' {PROMPT}; fi 2>&1",
    "printf '<%s>' \"$(printf %s \"$(printf %s \"{PROMPT}\")\")\"",
    "printf '<%s>' \"$( (printf %s {PROMPT}) )\"",
    "X={PROMPT}; printf '<%s>' \"$X\"",
    "X={PROMPT} sh -c 'printf \"<%s>\" \"$X\"'",
];

/// Runs the line in a shell that has the prompt in its environment. The folder must stay empty.
fn run_in(shell: &str, filled: &str, prompt: &str, folder: &Path) -> Output {
    let mut command = Command::new(shell);
    command.args(["-c", filled]).current_dir(folder);
    let output = command.env("AGENTV_PROMPT", prompt).output().unwrap();
    let made = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(made, 0, "{shell} ran a part of {prompt:?}: {filled}");
    output
}

/// Returns what a shell prints for the line.
fn run(line: &str, prompt: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let filled = filled(&ShellLine::of(line, WORDS).unwrap());
    let output = run_in("sh", &filled, prompt, folder.path());
    assert!(output.stderr.is_empty(), "{filled}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn filled(line: &ShellLine) -> String {
    line.fill(|word| Substitute::Variable(format!("AGENTV_{word}")))
}

/// Returns the words after which a line has a program with text of a case.
fn before_programs(line: &str) -> Vec<String> {
    let found = ShellLine::of(line, WORDS).unwrap().program_texts;
    found.into_iter().map(|text| text.after).collect()
}

#[test]
fn a_value_is_one_word_and_is_never_executed_whatever_quotes_surround_it() {
    for prompt in [
        "it's \"5\" o'clock",
        "$(echo run) `echo run` ${HOME} $HOME",
        "a\\b\nc # d; e | f > g\n\n",
        "'; echo run; '",
        "\"; echo run; \"",
        "",
        "  *  ?  ",
        "{EVAL_ID} ${{ X }}",
    ] {
        for (line, before, after) in [
            ("printf '<%s>' {PROMPT}", "<", ">"),
            ("printf '<%s>' \"{PROMPT}\"", "<", ">"),
            ("printf '<%s>' '{PROMPT}'", "<", ">"),
            ("printf '<%s>' \"it's {PROMPT}.\"", "<it's ", ".>"),
            ("printf '<%s>' 'a {PROMPT}s'", "<a ", "s>"),
            ("printf '<%s>' --p={PROMPT}", "<--p=", ">"),
            ("printf '<%s>' \"$(printf '%s.' {PROMPT})\"", "<", ".>"),
            ("printf '<%s>' \"$(printf '%s.' \"{PROMPT}\")\"", "<", ".>"),
            ("# it's \"{PROMPT}\n printf '<%s>' {PROMPT}", "<", ">"),
            ("printf '<%s>' \"\\\"{PROMPT}\\\"\"", "<\"", "\">"),
            ("printf '<%s>' ä\\\"{PROMPT}", "<ä\"", ">"),
            ("(printf '<%s>' \"a#(\"{PROMPT})", "<a#(", ">"),
            ("sh -c 'printf \"<%s>\" \"$1\"' sh {PROMPT}", "<", ">"),
        ] {
            let expected = format!("{before}{prompt}{after}");
            assert_eq!(run(line, prompt), expected, "{line}");
        }
    }
}

#[test]
fn lines_that_are_hard_to_read_hand_a_hostile_text_on_as_it_is() {
    for prompt in HOSTILE {
        for line in TRICKY {
            // A substitution drops the line breaks at the end of the output.
            let expected = if line.replace("$((", "").contains("$(") {
                prompt.trim_end_matches('\n')
            } else {
                prompt
            };
            assert_eq!(run(line, prompt), format!("<{expected}>"), "{line}");
        }
        let line = "printf '<%s>' a\\\n# '\necho {PROMPT} #'";
        let expected = format!("<a#><\necho {prompt} #>");
        assert_eq!(run(line, prompt), expected, "{line}");
    }
}

#[test]
fn nothing_of_a_text_is_run_even_if_the_scanner_mistakes_the_quotes() {
    let more = [
        "printf %s \"${X:-\"{PROMPT}\"}\"",
        "printf %s \"${X:-{PROMPT}}\" ${X:-{PROMPT}} ${X:-'{PROMPT}'}",
        "printf %s \"$(case x in x) printf %s {PROMPT};; esac)\"",
        "{PROMPT}",
        "printf %s 'a' \"b\" '{PROMPT}' \"{PROMPT}\" {PROMPT}",
        "cat <<EOF\n{PROMPT}\nEOF",
        "cat <<'EOF'\n{PROMPT}\nEOF",
        "echo `printf %s {PROMPT}` \"`printf %s {PROMPT}`\"",
        "echo $'it\\'s {PROMPT}'",
        "printf %s it\\'s # {PROMPT} '\nprintf %s {PROMPT} '",
    ];
    for line in TRICKY.iter().chain(&more) {
        for quotes in [Quotes::None, Quotes::Single, Quotes::Double] {
            let filled = filled(&ShellLine::misread(line, "PROMPT", quotes));
            for prompt in HOSTILE {
                let folder = tempfile::tempdir().unwrap();
                for shell in ["sh", "bash"] {
                    run_in(shell, &filled, prompt, folder.path());
                }
            }
        }
    }
}

#[test]
fn places_where_quotes_cannot_help_are_refused() {
    const ARITHMETIC: &str = "in or after shell arithmetic";
    const HERE_DOCUMENT: &str = "in or after a here-document (`<<`)";
    const BACKTICKS: &str = "in or after backticks; write `$(…)` instead";
    const PARAMETER: &str = "in or after `${…}`";
    const COMMAND: &str = "as the name of the command";
    for (line, place) in [
        ("cat <<EOF\n{PROMPT}\nEOF", HERE_DOCUMENT),
        ("cat <<'EOF'\n{PROMPT}\nEOF", HERE_DOCUMENT),
        ("echo `cat {PROMPT}`", BACKTICKS),
        ("echo \"`cat {PROMPT}`\"", BACKTICKS),
        ("echo `echo \"it's\"` {PROMPT}", BACKTICKS),
        ("echo $'it\\'s {PROMPT}'", "in or after `$'…'`"),
        ("echo $(( {PROMPT} + 1 ))", ARITHMETIC),
        ("echo \"$(( {PROMPT} + 1 ))\"", ARITHMETIC),
        ("echo $[ {PROMPT} + 1 ]", ARITHMETIC),
        ("(( {PROMPT} > 1 )) && echo", ARITHMETIC),
        ("[[ {PROMPT} -eq 1 ]] && echo", ARITHMETIC),
        ("if [[ {PROMPT} -eq 1 ]]; then echo; fi", ARITHMETIC),
        ("a[{PROMPT}]=1", "as the index of an array"),
        ("echo ${a[{PROMPT}]} ", PARAMETER),
        ("echo ${HOME:{PROMPT}}", PARAMETER),
        ("echo \"${X:-\"{PROMPT}\"}\"", PARAMETER),
        ("echo \"${X:-\"it's\"}\" {PROMPT}", PARAMETER),
        (
            "echo \"$(case x in x) echo {PROMPT};; esac)\"",
            "after `case` in parentheses",
        ),
        ("{PROMPT}", COMMAND),
        ("\"{PROMPT}\" --help", COMMAND),
        ("cd x && '{PROMPT}'", COMMAND),
        ("echo \"$({PROMPT})\"", COMMAND),
    ] {
        let error = ShellLine::of(line, WORDS).unwrap_err().to_string();
        let expected = format!("`{{PROMPT}}` cannot be used {place}");
        assert_eq!(error, expected, "{line}");
    }
}

#[test]
fn text_within_a_program_is_found_with_the_word_before_it() {
    for (line, word) in [
        ("eval echo {PROMPT}", "eval"),
        ("eval \"agent {PROMPT}\"", "eval"),
        ("true && eval agent {PROMPT}", "eval"),
        ("let x={PROMPT}", "let"),
        ("bash -c 'agent \"{PROMPT}\"'", "-c"),
        ("docker exec box /bin/sh -e -lc \"agent {PROMPT}\"", "-lc"),
        ("bash -c 'echo '{PROMPT}", "-c"),
        ("bash -c \"cd $(pwd); agent '{PROMPT}'\"", "-c"),
        ("bash \\\n  -c \"echo {PROMPT}\"", "-c"),
        ("'bash' \"-c\" \"echo {PROMPT}\"", "-c"),
        ("echo | xargs -I% zsh -c 'echo {PROMPT}'", "-c"),
        ("echo \"$(sh -c \"agent {PROMPT}\")\"", "-c"),
        ("python3.12 -W ignore -Ic 'print(\"{PROMPT}\")'", "-Ic"),
        ("perl -w -lne \"print if /{PROMPT}/\" log", "-lne"),
        ("node --eval \"console.log('{PROMPT}')\"", "--eval"),
        ("pwsh -Command \"agent '{PROMPT}'\"", "-Command"),
        ("bash <<< \"agent '{PROMPT}'\"", "<<<"),
        ("bash<<<'agent {PROMPT}'", "<<<"),
        ("python3 -c\"print('{PROMPT}')\"", "-c"),
        ("perl -e'print \"{PROMPT}\"'", "-e"),
        ("node --eval=\"f('{PROMPT}')\"", "--eval"),
    ] {
        assert_eq!(before_programs(line), [word], "{line}");
    }
}

#[test]
fn text_in_an_argument_or_a_file_gets_no_warning() {
    for line in [
        "sh -c 'agent \"$1\"' sh {PROMPT}",
        "bash -o pipefail -c 'agent \"$1\"' bash \"{PROMPT}\"",
        "TEXT={PROMPT} bash -c 'agent \"$TEXT\"'",
        "bash < {PROMPT_FILE}",
        "< {PROMPT_FILE} agent > out",
        "agent >& {PROMPT_FILE}",
        "cat <<< {PROMPT} | agent",
        "eval \"$AGENT\" < {PROMPT_FILE} > out",
        "eval \"$AGENT\"; agent {PROMPT}",
        "agent eval {PROMPT}",
        "agent -c {PROMPT}",
        "agent -c \"{PROMPT}\"; true",
        "python3 -m agent -e {EVAL_ID} --prompt \"Q: {PROMPT}\"",
        "awk -v p={PROMPT} -f agent.awk {PROMPT_FILE}",
        "echo \"$(sh -c true)\" {PROMPT}",
        "sh -c true & agent {PROMPT}",
        "case {EVAL_ID} in sh) true;; -c) agent {PROMPT};; esac",
        "for file in {PROMPT_FILE}; do agent \"$file\"; done",
        "agent --command={PROMPT} --prompt=\"Q: {PROMPT}\"",
    ] {
        assert_eq!(before_programs(line), [""; 0], "{line}");
    }
}

#[test]
fn shell_syntax_is_not_changed() {
    let line = "echo ${PROMPT} ${{ PROMPT }} {OTHER} {a,b} {PROMPT # {PROMPT}";
    let read = ShellLine::of(line, WORDS).unwrap();
    assert!(!read.uses("PROMPT"));
    assert_eq!(filled(&read), line);
}
