//! Commands as targets.

use std::time::{Duration, Instant};

use agentv_core::{Cause, ProviderError};
use libtest_mimic::Trial;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::project::{Project, block_on};
use crate::server::{Server, answer};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        a_prompt_with_anything_in_it_reaches_the_command_as_one_word,
        guidelines_precede_the_question_unless_they_have_a_placeholder,
        every_placeholder_is_filled_in,
        files_are_words_of_their_own_whatever_they_are_called,
        too_many_files_for_the_system_are_a_clear_error,
        a_dotenv_variable_does_not_replace_a_placeholders_value,
        a_command_gets_only_the_values_of_its_own_placeholders,
        hostile_text_is_never_executed,
        arguments_reach_the_program_unchanged,
        files_become_words_of_their_own_or_a_part_of_one,
        words_have_the_same_limits_as_a_line,
        a_program_that_does_not_exist_is_named,
        a_misplaced_placeholder_is_refused,
        the_answer_is_read_from_the_output_file_where_the_command_has_one,
        an_output_in_json_says_what_was_done,
        the_folder_is_that_of_the_eval_file_or_relative_to_it,
        a_command_inherits_the_variables_of_the_dotenv_file,
        a_command_that_fails_reports_its_code_and_the_end_of_its_stderr,
        no_part_of_a_key_that_a_command_prints_is_in_the_error,
        a_command_that_takes_too_long_is_ended_with_its_children,
        a_cancelled_command_is_ended,
        too_much_output_is_a_clear_error,
        a_prompt_that_is_too_long_for_a_command_line_says_what_to_write,
        output_that_is_not_text_is_a_clear_error,
        temporary_files_are_gone_unless_they_are_kept,
        a_healthcheck_by_command_must_succeed,
        a_healthcheck_by_address_must_answer,
    ]
}

fn cli(template: &str) -> Project {
    Project::of(json!({"provider": "cli", "command_template": template}))
}

fn failure(template: &str) -> ProviderError {
    cli(template).ask("Hi").unwrap_err()
}

fn a_prompt_with_anything_in_it_reaches_the_command_as_one_word() {
    let prompt = "it's \"$(echo run)\" `echo run`\n{EVAL_ID} \\ ; | & # * ~ \u{1F600}";
    for template in [
        "printf %s {PROMPT}",
        "printf %s \"{PROMPT}\"",
        "cat {PROMPT_FILE}",
    ] {
        let transcript = cli(template).ask(prompt).unwrap();
        assert_eq!(transcript.answer(), prompt, "{template}");
    }
}

fn guidelines_precede_the_question_unless_they_have_a_placeholder() {
    let ask = |template| {
        let project = cli(template);
        let mut request = project.request("case", "Question");
        request.prompt.guidelines = "Be short.".to_owned();
        project.answer(&request).unwrap().answer()
    };
    let both = "[[ ## Guidelines ## ]]\n\nBe short.\n\n[[ ## Question ## ]]\n\nQuestion";
    assert_eq!(ask("printf %s {PROMPT}"), both);
    assert_eq!(ask("cat {PROMPT_FILE}"), both);
    assert_eq!(
        ask("printf '%s/%s' {PROMPT} {GUIDELINES}"),
        "Question/Be short."
    );
    assert_eq!(
        ask("cat {PROMPT_FILE}; printf %s {GUIDELINES}"),
        "QuestionBe short."
    );
}

fn every_placeholder_is_filled_in() {
    let project = Project::of(json!({
        "provider": "cli",
        "command_template": "printf '<%s>' {EVAL_ID} {ATTEMPT} {FILES}",
        "files_format": "--file={path} \"{basename}\"",
    }));
    let mut request = project.request("a b", "Hi");
    request.attempt = 3;
    request.files = vec!["/x/it's.md".into(), "/y/b c.md".into()];
    let expected = "<a b><3><--file=/x/it's.md><it's.md><--file=/y/b c.md><b c.md>";
    assert_eq!(project.answer(&request).unwrap().answer(), expected);

    let project = cli("printf '<%s>' start {FILES} end");
    let mut request = project.request("case", "Hi");
    assert_eq!(project.answer(&request).unwrap().answer(), "<start><end>");
    request.files = vec!["/x/a b".into()];
    assert_eq!(
        project.answer(&request).unwrap().answer(),
        "<start></x/a b><end>"
    );
}

fn files_are_words_of_their_own_whatever_they_are_called() {
    let names = [
        "/x/$(touch owned)",
        "/x/'; touch owned; '",
        "/x/two\nlines\n",
        "/x/ * ",
        "/x/`touch owned`\"",
    ];
    for (template, format, before, after) in [
        ("printf '<%s>' {FILES}", "{path}", "", ""),
        ("printf '<%s>' {FILES}", "--file=\"{path}\"", "--file=", ""),
        ("printf '<%s>' {FILES}", "'{path}'.", "", "."),
        ("f() { printf '<%s>' {FILES}; }; f other", "{path}", "", ""),
    ] {
        let project = Project::of(json!({
            "provider": "cli", "command_template": template, "files_format": format,
        }));
        let mut request = project.request("case", "Hi");
        request.files = names.iter().map(Into::into).collect();
        let expected: String = names
            .iter()
            .map(|name| format!("<{before}{name}{after}>"))
            .collect();
        assert_eq!(project.answer(&request).unwrap().answer(), expected);
        assert!(!project.evals().join("owned").exists());
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let project = cli("printf %s {FILES} | od -An -tx1");
        let mut request = project.request("case", "Hi");
        request.files = vec![std::ffi::OsStr::from_bytes(b"/\xff\x81\xc3").into()];
        assert_eq!(
            project.answer(&request).unwrap().answer().trim(),
            "2f ff 81 c3"
        );
    }
}

fn too_many_files_for_the_system_are_a_clear_error() {
    let project = cli("printf '<%s>' {FILES} | wc -c");
    let mut request = project.request("case", "Hi");
    request.files = vec!["/x/a".into(); 3_000];
    assert_eq!(project.answer(&request).unwrap().answer(), "18000");
    request.files = vec!["/x/a".into(); 20_000];
    let error = project.answer(&request).unwrap_err();
    assert_eq!(error.cause, Cause::Setup);
    assert!(error.message.contains("and the system accepts"), "{error}");
    request.files = vec!["x".repeat(4_000).into(); 2_000];
    let error = project.answer(&request).unwrap_err();
    assert_eq!(error.cause, Cause::Setup);
    assert!(error.message.contains("longer than 512 KiB"), "{error}");
}

fn a_dotenv_variable_does_not_replace_a_placeholders_value() {
    let project = cli("printf '%s' {PROMPT}");
    project.write(".env", "AGENTV_PROMPT=another\n");
    assert_eq!(project.ask("Hi").unwrap().answer(), "Hi");
}

fn a_command_gets_only_the_values_of_its_own_placeholders() {
    let project = cli("cat {PROMPT_FILE} > seen; env | grep ^AGENTV_ | cut -d= -f1 | sort");
    let answer = project.ask("Hi").unwrap().answer();
    let told: Vec<&str> = answer.lines().collect();
    assert!(told.contains(&"AGENTV_PROMPT_FILE"), "{told:?}");
    assert!(!told.contains(&"AGENTV_PROMPT"), "{told:?}");
}

fn hostile_text_is_never_executed() {
    for prompt in [
        "$(touch owned)",
        "'; touch owned; '",
        "`touch owned`",
        "a\ntouch owned\n",
    ] {
        for template in [
            "echo \"$(echo \"{PROMPT}\")\"",
            "echo 'a'\"{PROMPT}\"'{PROMPT}'{PROMPT}",
            "(true)# it's\necho {PROMPT}",
            "echo a\\\n# '\necho {PROMPT} #'",
        ] {
            let project = cli(template);
            let answer = project.ask(prompt).unwrap().answer();
            assert!(answer.contains(prompt.trim_end()), "{template}: {answer}");
            assert!(!project.evals().join("owned").exists(), "{template}");
        }
    }
}

fn words(command: &[&str]) -> Project {
    Project::of(json!({"provider": "cli", "command": command}))
}

fn arguments_reach_the_program_unchanged() {
    let prompt =
        "it's \"$(touch owned)\" `touch owned`\n{EVAL_ID} \\ ; | & # * ~ $HOME \u{1F600}\n";
    let project = words(&[
        "printf",
        "<%s>",
        "{PROMPT}",
        "--text={PROMPT}.",
        "",
        "$HOME",
    ]);
    let answer = project.ask(prompt).unwrap().answer();
    assert_eq!(answer, format!("<{prompt}><--text={prompt}.><><$HOME>"));
    assert!(!project.evals().join("owned").exists());

    let project = words(&["cat", "{PROMPT_FILE}"]);
    assert_eq!(project.ask("a\nb").unwrap().answer(), "a\nb");
    let project = words(&["cp", "{PROMPT_FILE}", "{OUTPUT_FILE}"]);
    assert_eq!(project.ask("a\nb").unwrap().answer(), "a\nb");

    let project = words(&[
        "printf",
        "%s/%s/%s/%s",
        "{EVAL_ID}",
        "{ATTEMPT}",
        "{PROMPT}",
        "{GUIDELINES}",
    ]);
    let mut request = project.request("a b", "Hi");
    request.attempt = 3;
    request.prompt.guidelines = "Be short.".to_owned();
    assert_eq!(
        project.answer(&request).unwrap().answer(),
        "a b/3/Hi/Be short."
    );
}

fn files_become_words_of_their_own_or_a_part_of_one() {
    let ask = |command: &[&str], format: Option<&str>, files: &[&str]| {
        let project = Project::of(json!({
            "provider": "cli", "command": command, "files_format": format,
        }));
        let mut request = project.request("case", "Hi");
        request.files = files.iter().map(Into::into).collect();
        project.answer(&request).unwrap().answer()
    };
    let files = ["/x/it's $(a).md", "/y/b c.md"];
    let whole = ["printf", "<%s>", "start", "{FILES}", "end"];
    let part = ["printf", "<%s>", "--files={FILES}."];
    assert_eq!(
        ask(&whole, None, &files),
        "<start></x/it's $(a).md></y/b c.md><end>"
    );
    assert_eq!(ask(&whole, None, &[]), "<start><end>");
    assert_eq!(
        ask(&whole, Some("--file {path}:{basename}"), &files[1..]),
        "<start><--file></y/b c.md:b c.md><end>"
    );
    assert_eq!(
        ask(&part, None, &files),
        "<--files=/x/it's $(a).md /y/b c.md.>"
    );
    assert_eq!(ask(&part, None, &[]), "<--files=.>");
}

fn words_have_the_same_limits_as_a_line() {
    let project = words(&["printf", "%s", "{PROMPT}"]);
    let fits = "x".repeat((128 << 10) - 1);
    assert_eq!(project.ask(&fits).unwrap().answer(), fits);
    let error = project.ask(&"x".repeat(128 << 10)).unwrap_err();
    assert_eq!(error.cause, Cause::Setup);
    assert_eq!(
        error.message,
        "an argument of the command has 131072 bytes, and the system accepts at most 131071; \
         use `{PROMPT_FILE}` instead of `{PROMPT}` in `command`"
    );
    let error = project.ask("a\0b").unwrap_err();
    assert!(error.message.contains("NUL"), "{error}");
}

fn a_program_that_does_not_exist_is_named() {
    let error = words(&["no-such-command-anywhere"]).ask("Hi").unwrap_err();
    assert_eq!(error.cause, Cause::Command);
    assert_eq!(
        error.message,
        "command `no-such-command-anywhere` not found"
    );
}

/// The check of the file does not see the values of variables.
fn a_misplaced_placeholder_is_refused() {
    for (fields, expected) in [
        (
            json!({"command_template": "echo ${{ TICK }}cat {PROMPT_FILE}`"}),
            "`command_template`: `{PROMPT_FILE}` cannot be used in or after backticks; write `$(…)` instead",
        ),
        (
            json!({"command_template": "echo {FILES}", "files_format": "`cat {path}`"}),
            "`files_format`: `{path}` cannot be used in or after backticks; write `$(…)` instead",
        ),
        (
            json!({"command": ["${{ EMPTY }}"]}),
            "`command`: the first word must be a program",
        ),
        (
            json!({"command": ["echo"], "healthcheck": {"type": "command", "command_template": "${{ TICK }} {PROMPT}"}}),
            "`healthcheck`: `{PROMPT}` cannot be used in or after backticks; write `$(…)` instead",
        ),
    ] {
        let mut target = json!({"provider": "cli"});
        target
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let project = Project::of(target);
        let error = project
            .resolve("t", &[("TICK", "`"), ("EMPTY", "")])
            .unwrap_err();
        let expected = format!("targets.yaml:1: target `t`: {expected}");
        assert_eq!(error.to_string(), expected);
    }
}

fn the_answer_is_read_from_the_output_file_where_the_command_has_one() {
    let transcript = cli("echo noise; printf 'from the file\\n' > {OUTPUT_FILE}").ask("Hi");
    assert_eq!(transcript.unwrap().answer(), "from the file");
    let error = failure("echo noise # \ntest -n {OUTPUT_FILE}");
    assert_eq!(error.cause, Cause::Answer);
    assert_eq!(
        error.message,
        "the command succeeded, but did not write `{OUTPUT_FILE}`"
    );
}

fn an_output_in_json_says_what_was_done() {
    let output = r#"{"text": "Paris", "token_usage": {"input": 7, "output": 1}, "cost_usd": 0.25}"#;
    let transcript = cli(&format!("echo '{output}'")).ask("Hi").unwrap();
    assert_eq!(transcript.answer(), "Paris");
    assert_eq!(transcript.token_usage.unwrap().total(), 8);
    assert_eq!(transcript.cost_usd, Some(0.25));
    let output = r#"{"text": "Paris", "token_usage": {"input": -7, "output": 1}, "cost_usd": -1}"#;
    let transcript = cli(&format!("echo '{output}'")).ask("Hi").unwrap();
    assert_eq!(transcript.answer(), "Paris");
    assert_eq!((transcript.token_usage, transcript.cost_usd), (None, None));
    assert_eq!(transcript.warnings.len(), 2);
    let error = failure(r#"echo '{"text": "a", "output_messages": "b"}'"#);
    assert_eq!(error.cause, Cause::Answer);
    assert!(
        error
            .message
            .contains("`output_messages`: expected an array"),
        "{error}"
    );
}

fn the_folder_is_that_of_the_eval_file_or_relative_to_it() {
    let project = cli("pwd");
    let evals = project.evals();
    assert_eq!(project.ask("Hi").unwrap().answer(), evals.to_string_lossy());
    let project = Project::of(json!({"provider": "cli", "command_template": "pwd", "cwd": ".."}));
    assert_eq!(
        project.ask("Hi").unwrap().answer(),
        project.root().to_string_lossy()
    );
    let project = Project::of(json!({"provider": "cli", "command_template": "pwd", "cwd": "no"}));
    let error = project.ask("Hi").unwrap_err();
    assert_eq!(error.cause, Cause::Setup);
    assert!(
        error.message.contains("cannot run in the folder"),
        "{error}"
    );
}

fn a_command_inherits_the_variables_of_the_dotenv_file() {
    let project = cli("printf '%s %s' \"$OWN\" \"$HOME\"");
    let dotenv = project.write(".env", "OWN=from-dotenv\nHOME=never\n");
    let environment = agentv_providers::Environment::of_process().with_dotenv(&dotenv);
    let resolved = project
        .targets()
        .resolve("t", &environment.unwrap())
        .unwrap();
    let request = project.request("case", "Hi");
    let cancel = CancellationToken::new();
    let transcript = block_on(resolved.target.provider.answer(&request, &cancel)).unwrap();
    let home = std::env::var("HOME").unwrap();
    assert_eq!(transcript.answer(), format!("from-dotenv {home}"));
}

fn a_command_that_fails_reports_its_code_and_the_end_of_its_stderr() {
    for (template, expected) in [
        (
            "echo out; echo why >&2; exit 3",
            "the command failed with exit code 3: why",
        ),
        (
            "kill -9 $$",
            "the command failed with signal 9 (SIGKILL); it wrote nothing to stderr",
        ),
    ] {
        let error = failure(template);
        assert_eq!(error.cause, Cause::Command);
        assert_eq!(error.message, expected);
    }
    let error = failure("seq 1 100000 >&2; exit 1");
    assert!(error.message.ends_with("99999\n100000"), "{error}");
    assert!(error.message.contains(": …"), "{error}");
    assert!(error.message.len() < 1_200, "{error}");
    let error = failure("no-such-command-anywhere {PROMPT}");
    let start = "the command was not found (exit code 127): ";
    assert!(error.message.starts_with(start), "{error}");
    assert!(
        error.message.contains("no-such-command-anywhere"),
        "{error}"
    );
}

fn no_part_of_a_key_that_a_command_prints_is_in_the_error() {
    let project = cli("echo \"refused: $OWN_KEY\" >&2; exit 1");
    let key = "0123456789abcdef".repeat(100);
    let dotenv = project.write(".env", format!("OWN_KEY={key}\n"));
    let environment = agentv_providers::Environment::of_process().with_dotenv(&dotenv);
    let resolved = project.targets().resolve("t", &environment.unwrap());
    let provider = resolved.unwrap().target.provider;
    let request = project.request("case", "Hi");
    let error = block_on(provider.answer(&request, &CancellationToken::new())).unwrap_err();
    let expected = "the command failed with exit code 1: refused: [REDACTED]";
    assert_eq!(error.message, expected);
}

/// The command writes its process id and then waits for ever in a child of its own session.
const ENDLESS: &str = "echo working >&2; setsid sh -c 'echo $$ > pid; exec sleep 10000' & wait";

fn is_gone(project: &Project) -> bool {
    let pid = std::fs::read_to_string(project.evals().join("pid")).unwrap_or_default();
    let pid = pid.trim();
    pid.is_empty() || !std::path::Path::new("/proc").join(pid).exists()
}

fn a_command_that_takes_too_long_is_ended_with_its_children() {
    let project = cli(ENDLESS);
    let mut request = project.request("case", "Hi");
    request.timeout = Duration::from_millis(700);
    let error = project.answer(&request).unwrap_err();
    assert_eq!(error.cause, Cause::Timeout);
    let expected = "the command timed out after 700ms and was stopped: working";
    assert_eq!(error.message, expected);
    assert!(is_gone(&project));
}

fn a_cancelled_command_is_ended() {
    let project = cli(ENDLESS);
    let provider = project.provider();
    let request = project.request("case", "Hi");
    let cancel = CancellationToken::new();
    let pid = project.evals().join("pid");
    let started = Instant::now();
    let error = block_on(async {
        let watch = async {
            while !pid.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cancel.cancel();
        };
        tokio::join!(provider.answer(&request, &cancel), watch)
            .0
            .unwrap_err()
    });
    assert_eq!(error, ProviderError::cancelled());
    assert!(is_gone(&project));
    assert!(started.elapsed() < crate::project::DEADLINE);
}

fn too_much_output_is_a_clear_error() {
    let error = failure("head -c 67108865 /dev/zero");
    assert_eq!(error.message, "the command printed more than 64 MiB");
    let error = failure("head -c 67108865 /dev/zero > {OUTPUT_FILE}");
    assert_eq!(
        error.message,
        "the command wrote more than 64 MiB to `{OUTPUT_FILE}`"
    );
}

fn a_prompt_that_is_too_long_for_a_command_line_says_what_to_write() {
    let long = "x".repeat(200_000);
    let error = cli("printf %s {PROMPT} | wc -c").ask(&long).unwrap_err();
    assert_eq!(error.cause, Cause::Setup);
    assert!(
        error
            .message
            .contains("use `{PROMPT_FILE}` instead of `{PROMPT}` in `command_template`"),
        "{error}"
    );
    let transcript = cli("wc -c < {PROMPT_FILE}").ask(&long).unwrap();
    assert_eq!(transcript.answer(), "200000");
    let error = cli("printf %s {PROMPT}").ask("a\0b").unwrap_err();
    assert!(error.message.contains("NUL"), "{error}");
    // The longest line that fits is taken.
    let fits = "x".repeat((128 << 10) - 1 - "printf %s  | wc -c".len());
    assert!(cli("printf %s {PROMPT} | wc -c").ask(&fits).is_ok());
}

fn output_that_is_not_text_is_a_clear_error() {
    let error = failure("printf 'ab\\377'");
    assert_eq!(
        error.message,
        "the command's output is not valid UTF-8 at byte 2"
    );
}

fn temporary_files_are_gone_unless_they_are_kept() {
    let file = cli("echo {PROMPT_FILE}").ask("Hi").unwrap().answer();
    assert!(file.ends_with("prompt.txt"));
    assert!(!std::path::Path::new(&file).parent().unwrap().exists());
    let keeping = |template: &str| {
        Project::of(json!({
            "provider": "cli", "command_template": template, "keep_temp_files": true,
        }))
    };
    let file = keeping("echo {PROMPT_FILE}").ask("Hi").unwrap().answer();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "Hi");
    std::fs::remove_dir_all(std::path::Path::new(&file).parent().unwrap()).unwrap();
    let error = keeping("echo {PROMPT_FILE} >&2; exit 1")
        .ask("Hi")
        .unwrap_err();
    let folder = error.message.split('`').nth(1).unwrap().to_owned();
    assert!(
        std::path::Path::new(&folder).join("prompt.txt").exists(),
        "{error}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

fn checked(healthcheck: serde_json::Value) -> Result<(), ProviderError> {
    let project = Project::of(json!({
        "provider": "cli", "command_template": "echo", "healthcheck": healthcheck,
    }));
    project.write("evals/here", "");
    let provider = project.provider();
    block_on(provider.prepare(&CancellationToken::new()))
}

fn a_healthcheck_by_command_must_succeed() {
    checked(json!({"type": "command", "command_template": "test -e here"})).unwrap();
    checked(json!({"type": "command", "commandTemplate": "test -e evals/here", "cwd": ".."}))
        .unwrap();
    checked(json!({"type": "command", "command": ["test", "-e", "here"]})).unwrap();
    let error = checked(json!({"type": "command", "command": ["test", "-e", "gone"]}));
    let expected =
        "the healthcheck failed: the command failed with exit code 1; it wrote nothing to stderr";
    assert_eq!(error.unwrap_err().message, expected);
    let error = checked(json!({"type": "command", "command_template": "echo why >&2; exit 2"}));
    let expected = "the healthcheck failed: the command failed with exit code 2: why";
    assert_eq!(error.unwrap_err().message, expected);
    let slow = json!({"type": "command", "command_template": "sleep 1000", "timeoutSeconds": 0.05});
    assert_eq!(checked(slow).unwrap_err().cause, Cause::Timeout);
}

fn a_healthcheck_by_address_must_answer() {
    let server = Server::start(vec![answer("200 OK", "", ""), answer("503 No", "", "")]);
    let healthcheck = json!({"type": "http", "url": server.url("/health")});
    checked(healthcheck.clone()).unwrap();
    assert!(server.received().head.starts_with("get /health "));
    let error = checked(healthcheck.clone()).unwrap_err();
    assert_eq!(error.cause, Cause::Status(503));
    let start = "the healthcheck failed: the server failed (HTTP 503";
    assert!(error.message.starts_with(start), "{error}");
}
