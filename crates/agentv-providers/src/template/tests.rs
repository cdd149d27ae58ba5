//! Lines with placeholders, run by shells.

use std::path::Path;
use std::process::{Command, Output};

use super::*;

const WORDS: &[&str] = &["PROMPT", "PROMPT_FILE", "EVAL_ID"];

/// Texts that make a file `owned` where they are run.
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

/// What stands in the way of reading a line rightly.
const TRICKY: &[&str] = &[
    "printf '<%s>' \"${X:-{PROMPT}}\"",
    "printf '<%s>' ${X:-{PROMPT}}",
    "printf '<%s>' \"${X:-${Y:-{PROMPT}}}\"",
    "printf '<%s>' \"$(case x in x) printf %s {PROMPT};; esac)\"",
    "printf '<%s>' \"$(case x in (x) printf %s \"{PROMPT}\";; esac)\"",
    "printf '<%s>' \"$( (case x in y);; x) printf %s {PROMPT};; esac) )\"",
    "(true)# it's\nprintf '<%s>' {PROMPT}",
    "true;# it's\nprintf '<%s>' {PROMPT}",
    "true \\\n# it's\nprintf '<%s>' {PROMPT}",
    "printf %s \"${X:-\"it's\"}\" >/dev/null; printf '<%s>' {PROMPT}",
    "printf '<%s>' \"${X:+it's}\"{PROMPT}",
    "f() { printf '<%s>' {PROMPT}; }; f other",
    "set -- other; printf '<%s>' {PROMPT}",
    "case {PROMPT} in '') printf '<>';; *) printf '<%s>' {PROMPT};; esac",
    "if true; then printf '<%s>' {PROMPT}; fi 2>&1",
    "X={PROMPT}; printf '<%s>' \"$X\"",
    "X={PROMPT} sh -c 'printf \"<%s>\" \"$X\"'",
];

/// The line in a shell that has the prompt in its environment, and what it did to an empty folder.
fn run_in(shell: &str, filled: &str, prompt: &str, folder: &Path) -> Output {
    let mut command = Command::new(shell);
    command.args(["-c", filled]).current_dir(folder);
    let output = command.env("AGENTV_PROMPT", prompt).output().unwrap();
    let made = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(made, 0, "{shell} ran a part of {prompt:?}: {filled}");
    output
}

/// What a shell prints for the line.
fn run(line: &str, prompt: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let filled = filled(&Template::of(line, WORDS).unwrap());
    let output = run_in("sh", &filled, prompt, folder.path());
    assert!(output.stderr.is_empty(), "{filled}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn filled(template: &Template) -> String {
    template.fill(|word| Filling::Variable(format!("AGENTV_{word}")))
}

fn refusal(line: &str) -> String {
    match Template::of(line, WORDS) {
        Ok(template) => panic!("{line} is taken: {}", filled(&template)),
        Err(error) => error,
    }
}

#[test]
fn a_value_is_one_word_and_nothing_of_it_is_run_whatever_quotes_it_stands_in() {
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
            // What a substitution prints loses the line breaks at its end.
            let expected = match line.contains("$(case") || line.contains("$( (") {
                true => prompt.trim_end_matches('\n'),
                false => prompt,
            };
            assert_eq!(run(line, prompt), format!("<{expected}>"), "{line}");
        }
        let line = "printf '<%s>' \"${X:-'{PROMPT}'}\"";
        assert_eq!(run(line, prompt), format!("<'{prompt}'>"), "{line}");
        let line = "printf '<%s>' a\\\n# '\necho {PROMPT} #'";
        let expected = format!("<a#><\necho {prompt} #>");
        assert_eq!(run(line, prompt), expected, "{line}");
    }
}

/// The template as it were if the reader took each placeholder to stand elsewhere.
fn misread(line: &str, within: Within) -> Template {
    let pieces = line.split("{PROMPT}").map(|text| Piece::Text(text.into()));
    let mut pieces: Vec<Piece> = pieces.collect();
    for at in (1..pieces.len()).rev() {
        let word = "PROMPT";
        pieces.insert(at, Piece::Placeholder { word, within });
    }
    Template { pieces }
}

#[test]
fn nothing_of_a_text_is_run_even_where_the_reader_takes_a_quote_for_another() {
    let more = [
        "printf %s \"${X:-\"{PROMPT}\"}\"",
        "printf %s 'a' \"b\" '{PROMPT}' \"{PROMPT}\" {PROMPT}",
        "cat <<EOF\n{PROMPT}\nEOF",
        "cat <<'EOF'\n{PROMPT}\nEOF",
        "echo `printf %s {PROMPT}` \"`printf %s {PROMPT}`\"",
        "echo $'it\\'s {PROMPT}'",
        "printf %s it\\'s # {PROMPT} '\nprintf %s {PROMPT} '",
    ];
    for line in TRICKY.iter().chain(&more) {
        for within in [Within::Nothing, Within::Single, Within::Double] {
            let filled = filled(&misread(line, within));
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
fn places_where_no_quoting_helps_are_refused() {
    for line in [
        "cat <<EOF\n{PROMPT}\nEOF",
        "echo `cat {PROMPT}`",
        "echo \"`cat {PROMPT}`\"",
        "echo $'it\\'s {PROMPT}'",
        "echo $(( {PROMPT} + 1 ))",
        "echo $[ {PROMPT} + 1 ]",
        "(( {PROMPT} > 1 )) && echo",
        "[[ {PROMPT} -eq 1 ]] && echo",
        "let x={PROMPT}",
        "a[{PROMPT}]=1",
        "echo ${a[{PROMPT}]} ",
        "echo ${HOME:{PROMPT}}",
        "echo \"${X:-\"{PROMPT}\"}\"",
    ] {
        let error = refusal(line);
        assert!(error.starts_with("`{PROMPT}` cannot stand in "), "{error}");
    }
}

#[test]
fn what_another_interpreter_would_run_is_refused_by_its_name() {
    for (line, name) in [
        ("eval echo {PROMPT}", "eval"),
        ("eval \"agent {PROMPT}\"", "eval"),
        ("true && X=1 command eval agent {PROMPT}", "eval"),
        ("if eval agent {PROMPT}; then echo; fi", "eval"),
        ("\\eval \"$(agent {PROMPT})\"", "eval"),
        ("trap \"echo {PROMPT}\" EXIT", "trap"),
        ("trap 'echo {PROMPT}' EXIT; true", "trap"),
        ("alias run={PROMPT}", "alias"),
        ("bash -c {PROMPT}", "bash"),
        ("bash -c 'agent \"{PROMPT}\"'", "bash"),
        (
            "docker exec box /bin/sh -e -lc \"agent {PROMPT}\"",
            "/bin/sh",
        ),
        ("bash -o pipefail -c \"echo {PROMPT}\"", "bash"),
        ("bash -eo pipefail -c \"echo {PROMPT}\"", "bash"),
        ("bash -c -o pipefail \"echo {PROMPT}\"", "bash"),
        ("bash -c -- \"echo {PROMPT}\"", "bash"),
        ("bash +e -ce \"echo {PROMPT}\"", "bash"),
        ("bash --rcfile <(true) -ic \"echo {PROMPT}\"", "bash"),
        ("bash 2>/dev/null -c \"echo {PROMPT}\"", "bash"),
        ("bash -c 'echo '{PROMPT}", "bash"),
        ("bash -c 'echo '\"{PROMPT}\"", "bash"),
        ("bash \\\n  -c \"echo {PROMPT}\"", "bash"),
        ("env bash -c $\"echo {PROMPT}\"", "bash"),
        ("'bash' \"-c\" \"echo {PROMPT}\"", "bash"),
        ("sh -c \"$(cat {PROMPT_FILE})\"", "sh"),
        ("echo | xargs -I% zsh -c 'echo {PROMPT}'", "zsh"),
        ("fish --command=\"echo {PROMPT}\"", "fish"),
        ("su root -c \"echo {PROMPT}\"", "su"),
        ("su - root -s /bin/sh -c \"echo {PROMPT}\"", "su"),
        ("su --command \"echo {PROMPT}\" root", "su"),
        ("script -qec \"agent {PROMPT}\" /dev/null", "script"),
        ("python3 -c \"print('{PROMPT}')\"", "python3"),
        (
            "python3.12 -W ignore -Ic 'print(\"{PROMPT}\")'",
            "python3.12",
        ),
        ("python3 -c'print(\"{PROMPT}\")'", "python3"),
        ("perl -e 'print \"{PROMPT}\"'", "perl"),
        ("perl -w -lne \"print if /{PROMPT}/\" log", "perl"),
        ("perl -e 1 -e \"{PROMPT}\"", "perl"),
        ("ruby -rjson -e \"puts '{PROMPT}'\"", "ruby"),
        ("node -e \"console.log('{PROMPT}')\"", "node"),
        (
            "node --input-type=module --eval=\"log('{PROMPT}')\"",
            "node",
        ),
        ("php -r \"echo '{PROMPT}';\"", "php"),
        ("php -e \"{PROMPT}\"", "php"),
        ("awk 'BEGIN{print \"{PROMPT}\"}'", "awk"),
        ("gawk -F : -v a=b \"/{PROMPT}/\" file", "gawk"),
        ("sed \"s/x/{PROMPT}/\" file", "sed"),
        ("sed -n -e p -e \"s/x/{PROMPT}/\" file", "sed"),
    ] {
        let error = refusal(line);
        let expected = format!("cannot stand in what `{name}` runs (");
        assert!(error.contains(&expected), "{line}: {error}");
        assert!(error.contains("as an argument: `sh -c"), "{line}: {error}");
    }
}

#[test]
fn a_text_that_an_interpreter_might_take_for_an_option_is_refused() {
    for line in [
        "python3 {EVAL_ID}.py",
        "perl -e 'print @ARGV' {PROMPT}",
        "node {PROMPT}",
        "sed p {EVAL_ID}",
        "su root -c 'agent \"$1\"' sh {PROMPT}",
    ] {
        let error = refusal(line);
        let expected = "cannot stand in the place of an option of `";
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn what_an_interpreter_takes_as_an_argument_or_a_file_is_let_through() {
    for line in [
        "sh -c 'agent \"$1\"' sh {PROMPT}",
        "bash -o pipefail -c 'agent \"$1\"' bash \"{PROMPT}\"",
        "bash agent.sh -c {PROMPT}",
        "bash < {PROMPT_FILE}",
        "eval \"$AGENT\" < {PROMPT_FILE} > out",
        "eval \"$AGENT\"; agent {PROMPT}",
        "trap 'rm -f x' EXIT; agent {PROMPT}",
        "agent eval {PROMPT}",
        "agent trap {PROMPT}",
        "python3 agent.py -c {PROMPT}",
        "python3 -u -m agent -c {EVAL_ID} --prompt {PROMPT}",
        "python3 -c 'import sys; print(sys.argv[1])' {PROMPT}",
        "python3 ./{EVAL_ID}.py {PROMPT}",
        "python3 {PROMPT_FILE}",
        "perl -e 'print @ARGV' -- {PROMPT}",
        "su root -c 'agent \"$1\"' -- sh {PROMPT}",
        "sed p -- {EVAL_ID}",
        "node agent.js -p {PROMPT} -e {EVAL_ID}",
        "node -r dotenv/config agent.js -p {PROMPT}",
        "perl -pe 's/a/b/' {PROMPT_FILE}",
        "perl -i.bak -Mstrict agent.pl -e {PROMPT}",
        "awk '{print}' {PROMPT_FILE}",
        "awk -v p={PROMPT} -f agent.awk {PROMPT_FILE}",
        "sed -e s/a/b/ {PROMPT_FILE}",
        "sed -n p {PROMPT_FILE} | agent {PROMPT}",
        "agent --language awk {PROMPT}",
        "agent --language python {PROMPT}",
        "agent --shell bash {PROMPT}",
        "echo \"$(sh -c true)\" {PROMPT}",
        "sh -c true & agent -c {PROMPT}",
        "case {EVAL_ID} in sh) true;; -c) agent {PROMPT};; esac",
    ] {
        assert!(
            Template::of(line, WORDS).is_ok(),
            "{line}: {}",
            refusal(line)
        );
    }
}

#[test]
fn what_belongs_to_the_shell_is_left_alone() {
    let line = "echo ${PROMPT} ${{ PROMPT }} {OTHER} {a,b} {PROMPT";
    let template = Template::of(line, WORDS).unwrap();
    assert!(!template.uses("PROMPT"));
    assert_eq!(filled(&template), line);
}
