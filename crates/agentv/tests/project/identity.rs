//! If a case gets another field, resume, `grade` and `compare` agree on whether it has changed.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Writes a suite with one case; `field` is a further line of it.
fn write_suite(folder: &Path, field: &str) {
    let suite = format!(
        "evalcases:
  - id: sum
    expected_outcome: Right
    input: What is 2+2?
    evaluators: [{{contains: '2+2'}}]
{field}
"
    );
    fs::write(folder.join("sums.yaml"), suite).unwrap();
}

/// Runs a command; returns its standard output and standard error.
fn agentv(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_agentv"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{stdout}{stderr}");
    (stdout, stderr)
}

/// Returns the only run of the folder.
fn only_run(folder: &Path) -> String {
    let mut runs = fs::read_dir(folder.join(".agentv/results")).unwrap();
    let run = runs.next().unwrap().unwrap().file_name();
    assert!(runs.next().is_none());
    run.into_string().unwrap()
}

/// Returns which of these notice that a case got another field: a resume, which calls the target again;
/// `grade`, which warns; `compare`, which reports that the case changed.
fn who_notices(before: &str, after: &str) -> [bool; 3] {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join(".git")).unwrap();
    write_suite(folder, before);
    agentv(folder, &["run", "sums.yaml", "--target", "echo"]);
    let first = only_run(folder);
    write_suite(folder, after);
    let (_, warnings) = agentv(folder, &["grade", &first]);
    let grade = warnings.contains("has a different input now");
    agentv(folder, &["run", "sums.yaml", "--target", "echo"]);
    let (compared, _) = agentv(folder, &["compare", &first, "latest", "--format", "json"]);
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    let compare = compared.to_string().contains("\"changed\":true");
    let transcripts = folder.join(format!(".agentv/results/{first}/transcripts.jsonl"));
    let asked = || fs::read_to_string(&transcripts).unwrap().lines().count();
    let asked_before = asked();
    let resume = format!("--resume={first}");
    agentv(folder, &["run", "sums.yaml", "--target", "echo", &resume]);
    [asked() > asked_before, grade, compare]
}

#[test]
fn all_notice_another_field_of_a_case_or_none_does() {
    for field in [
        "    owner: somebody",
        "    conversation_id: talk",
        "    metadata: {level: hard}",
        "    execution: {note: slow}",
    ] {
        assert_eq!(who_notices("", field), [false; 3], "{field}");
    }
    let other_input = "    input_messages: [{role: user, content: 'Is 2+2 = 4?'}]";
    for (before, after) in [
        ("", other_input),
        (
            other_input,
            "    input_messages: [{role: user, content: 'Is 2+2 = 4?', name: me}]",
        ),
    ] {
        assert_eq!(who_notices(before, after), [true; 3], "{after}");
    }
}
