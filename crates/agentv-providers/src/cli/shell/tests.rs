//! Lines with placeholders, run by shells.

use std::path::Path;
use std::process::{Command, Output};

use super::line::{ShellLine, Substitute};
use super::scanner::Quotes;

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
    "printf %s \"${X:-\"it's\"}\" >/dev/null; printf '<%s>' {PROMPT}",
    "printf '<%s>' \"${X:+it's}\"{PROMPT}",
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

/// Returns the interpreters that a line is warned about.
fn interpreters(line: &str) -> Vec<String> {
    let found = ShellLine::of(line, WORDS).unwrap().interpreted;
    found.into_iter().map(|text| text.interpreter).collect()
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
            let expected = if line.contains("$(") {
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
    for (line, place) in [
        (
            "cat <<EOF\n{PROMPT}\nEOF",
            "in or after a here-document (`<<`)",
        ),
        (
            "cat <<'EOF'\n{PROMPT}\nEOF",
            "in or after a here-document (`<<`)",
        ),
        ("echo `cat {PROMPT}`", "in backticks; write `$(…)` instead"),
        (
            "echo \"`cat {PROMPT}`\"",
            "in backticks; write `$(…)` instead",
        ),
        ("echo $'it\\'s {PROMPT}'", "in or after `$'…'`"),
        ("echo $(( {PROMPT} + 1 ))", "in or after shell arithmetic"),
        (
            "echo \"$(( {PROMPT} + 1 ))\"",
            "in or after shell arithmetic",
        ),
        ("echo $[ {PROMPT} + 1 ]", "in or after shell arithmetic"),
        ("(( {PROMPT} > 1 )) && echo", "in or after shell arithmetic"),
        (
            "[[ {PROMPT} -eq 1 ]] && echo",
            "in or after shell arithmetic",
        ),
        (
            "if [[ {PROMPT} -eq 1 ]]; then echo; fi",
            "in or after shell arithmetic",
        ),
        ("let x={PROMPT}", "in or after shell arithmetic"),
        ("a[{PROMPT}]=1", "as the index of an array"),
        ("echo ${a[{PROMPT}]} ", "in `${…}`"),
        ("echo ${HOME:{PROMPT}}", "in `${…}`"),
        ("echo \"${X:-\"{PROMPT}\"}\"", "in `${…}`"),
        (
            "echo \"$(case x in x) echo {PROMPT};; esac)\"",
            "after `case` in parentheses",
        ),
        ("{PROMPT}", "as the name of the command"),
        ("\"{PROMPT}\" --help", "as the name of the command"),
        ("cd x && '{PROMPT}'", "as the name of the command"),
        ("echo \"$({PROMPT})\"", "as the name of the command"),
    ] {
        let error = ShellLine::of(line, WORDS).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("`{{PROMPT}}` cannot be used {place}"),
            "{line}"
        );
    }
}

#[test]
fn text_for_another_interpreter_is_found_with_its_name() {
    for (line, name) in [
        ("eval echo {PROMPT}", "eval"),
        ("eval \"agent {PROMPT}\"", "eval"),
        ("true && eval agent {PROMPT}", "eval"),
        ("trap \"echo {PROMPT}\" EXIT", "trap"),
        ("alias run={PROMPT}", "alias"),
        ("bash -c {PROMPT}", "bash"),
        ("bash -c 'agent \"{PROMPT}\"'", "bash"),
        (
            "docker exec box /bin/sh -e -lc \"agent {PROMPT}\"",
            "/bin/sh",
        ),
        ("bash -o pipefail -c \"echo {PROMPT}\"", "bash"),
        ("bash -c 'echo '{PROMPT}", "bash"),
        ("bash \\\n  -c \"echo {PROMPT}\"", "bash"),
        ("'bash' \"-c\" \"echo {PROMPT}\"", "bash"),
        ("echo | xargs -I% zsh -c 'echo {PROMPT}'", "zsh"),
        ("echo \"$(sh -c \"agent {PROMPT}\")\"", "sh"),
        ("python3 -c \"print('{PROMPT}')\"", "python3"),
        (
            "python3.12 -W ignore -Ic 'print(\"{PROMPT}\")'",
            "python3.12",
        ),
        ("perl -w -lne \"print if /{PROMPT}/\" log", "perl"),
        ("ruby -rjson -e \"puts '{PROMPT}'\"", "ruby"),
        ("node -e \"console.log('{PROMPT}')\"", "node"),
        ("php -r \"echo '{PROMPT}';\"", "php"),
        ("awk 'BEGIN{print \"{PROMPT}\"}'", "awk"),
        ("sed -n \"s/x/{PROMPT}/\" file", "sed"),
        ("ssh box 'agent {PROMPT}'", "ssh"),
        ("ssh -p 22 box agent {PROMPT}", "ssh"),
        ("echo {PROMPT} | sh", "sh"),
        ("cat {PROMPT_FILE} | bash -s; true", "bash"),
    ] {
        assert_eq!(interpreters(line), [name], "{line}");
    }
}

#[test]
fn text_in_an_argument_or_a_file_of_an_interpreter_gets_no_warning() {
    for line in [
        "sh -c 'agent \"$1\"' sh {PROMPT}",
        "bash -o pipefail -c 'agent \"$1\"' bash \"{PROMPT}\"",
        "TEXT={PROMPT} bash -c 'agent \"$TEXT\"'",
        "bash agent.sh -c {PROMPT}",
        "bash < {PROMPT_FILE}",
        "< {PROMPT_FILE} agent > out",
        "agent >& {PROMPT_FILE}",
        "eval \"$AGENT\" < {PROMPT_FILE} > out",
        "eval \"$AGENT\"; agent {PROMPT}",
        "trap 'rm -f x' EXIT; agent {PROMPT}",
        "agent eval {PROMPT}",
        "agent -c \"Answer this: {PROMPT}\"",
        "python3 agent.py -c {PROMPT}",
        "python3 -m agent -c {EVAL_ID} --prompt {PROMPT}",
        "python3 -c 'import sys; print(sys.argv[1])' {PROMPT}",
        "python3 {PROMPT_FILE}",
        "echo {PROMPT} | python3 agent.py",
        "echo {PROMPT} || bash",
        "node agent.js -p {PROMPT} -e {EVAL_ID}",
        "awk '{print}' {PROMPT_FILE}",
        "awk -v p={PROMPT} -f agent.awk {PROMPT_FILE}",
        "sed -n p {PROMPT_FILE} | agent {PROMPT}",
        "agent --shell bash {PROMPT}",
        "echo \"$(sh -c true)\" {PROMPT}",
        "sh -c true & agent -c {PROMPT}",
        "case {EVAL_ID} in sh) true;; -c) agent {PROMPT};; esac",
        "for file in {PROMPT_FILE}; do agent \"$file\"; done",
    ] {
        assert_eq!(interpreters(line), [""; 0], "{line}");
    }
}

#[test]
fn shell_syntax_is_not_changed() {
    let line = "echo ${PROMPT} ${{ PROMPT }} {OTHER} {a,b} {PROMPT # {PROMPT}";
    let read = ShellLine::of(line, WORDS).unwrap();
    assert!(!read.uses("PROMPT"));
    assert_eq!(filled(&read), line);
}
