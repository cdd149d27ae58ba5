//! Names of files and folders that are hard to write down.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::Command;

use agentv_testkit::Project;

use crate::campaign::rounds;
use crate::program::{Ended, clean, finish, project, typed};
use crate::records::{run_folders, whole_records};

const TARGETS: &str = "targets:
- {name: default, provider: echo}
- {name: command, provider: cli, command_template: 'cat {PROMPT_FILE} > {OUTPUT_FILE}; cat {FILES}'}
";

fn names() -> Vec<OsString> {
    let mut names: Vec<OsString> = [
        "with space",
        "q'uo\"te",
        "emoji 🦀",
        "new\nline",
        "-dash",
        "#hash",
        "%p%20%s",
        "$(touch owned);`touch owned`",
        "[a]*?",
        "<b>&amp;]]>",
        "\u{1b}[31mred",
        "back\\slash",
        "{a,b}",
        "~",
    ]
    .map(OsString::from)
    .into();
    names.push(OsString::from_vec(b"not \xff\xfe text".to_vec()));
    names.push(OsString::from("x".repeat(255 - ".jsonl".len())));
    names
}

/// Creates a project with a file of two cases: the second one fails.
fn project_of(path: &OsStr) -> Project {
    let project = project(TARGETS, 2, |number| match number {
        0 => "right".to_owned(),
        _ => "wrong".to_owned(),
    });
    let file = project.root().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::rename(project.path("cases.jsonl"), file).unwrap();
    project
}

/// Returns `agentv` with arguments, `--`, and a path.
fn said(project: &Project, arguments: &str, path: &OsStr) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command
        .args(arguments.split(' '))
        .arg("--")
        .arg(path)
        .current_dir(project.root());
    clean(&mut command);
    finish(&mut command)
}

/// Returns paths. Each name is used for an eval file and for a folder that contains one; in the short form of the tests,
/// for one of the two in turn.
fn paths() -> impl Iterator<Item = OsString> {
    let pairs = names().into_iter().enumerate().map(|(turn, name)| {
        let mut file = name.clone();
        file.push(".jsonl");
        let within = PathBuf::from(name).join("cases.jsonl");
        let mut pair = [file, within.into_os_string()];
        pair.rotate_left(turn % 2);
        pair
    });
    pairs.flat_map(|pair| pair.into_iter().take(rounds(1, 2)))
}

#[test]
fn all_commands_accept_an_eval_file_of_any_name() {
    for path in paths() {
        let project = project_of(&path);
        said(&project, "validate", &path).expect(0);
        said(&project, "show", &path).expect(0);
        said(&project, "convert --to yaml -o converted.yaml", &path).expect(0);
        let reports = "run --target command --report junit=junit.xml \
                       --report html=page.html --report markdown=page.md --out out.csv";
        said(&project, reports, &path).expect(1);
        let [folder] = run_folders(&project).try_into().unwrap();
        let results = whole_records(&folder.join("results.jsonl"));
        assert_eq!(results.len(), 2, "{path:?}");
        let shown = project.root().join(&path).display().to_string();
        let shown = shown.strip_prefix(&*project.root().to_string_lossy());
        assert_eq!(results[0]["eval_file"].as_str(), shown.map(|s| &s[1..]));
        let page = project.read("page.html").unwrap();
        assert!(!page.contains("<b>&amp;]]>"), "{path:?}");
        let junit = project.read("junit.xml").unwrap();
        assert!(
            !junit.contains("<b>") && !junit.contains('\u{1b}'),
            "{path:?}"
        );
        assert!(!project.path("owned").exists());
    }
}

#[test]
fn the_printed_command_resumes_the_run_whatever_its_files_are_called() {
    for path in paths() {
        let project = project_of(&path);
        let ended = said(&project, "run --max-time 1us", &path).expect(4);
        let told = ended.resume_command();
        assert!(!told.contains(char::is_control), "{told:?}");
        typed(&project, &told.replace("--max-time 1us", "")).expect(1);
        let [folder] = run_folders(&project).try_into().unwrap();
        let results = whole_records(&folder.join("results.jsonl"));
        assert_eq!(results.len(), 2, "{told}");
        assert!(!project.path("owned").exists());
    }
}

#[test]
fn case_files_reach_a_command_whatever_the_folder_is_called() {
    // Cases are text, and so are the paths in them.
    for name in names().into_iter().filter(|name| name.to_str().is_some()) {
        let path = PathBuf::from(&name).join("cases.jsonl");
        let project = project_of(path.as_os_str());
        let case = r#"{"id": "a", "expected_outcome": "right", "input": [{"role": "user",
            "content": [{"type": "file", "value": "file.txt"}]}],
            "evaluators": [{"type": "contains", "value": "right"}]}"#;
        let folder = project.root().join(&name);
        fs::write(folder.join("cases.jsonl"), case.replace('\n', "")).unwrap();
        fs::write(folder.join("file.txt"), "right").unwrap();
        let targets = TARGETS.replace(" > {OUTPUT_FILE}", " > /dev/null");
        project.write("targets.yaml", targets).unwrap();
        let ended = said(&project, "run --target command", path.as_os_str());
        assert_eq!(ended.code, Some(0), "{name:?} {}", ended.stdout);
    }
}

#[test]
fn a_path_that_is_too_long_for_the_system_is_a_clear_error() {
    let project = project_of(OsStr::from_bytes(b"cases.jsonl"));
    let long = format!("{}/cases.jsonl", "x".repeat(300));
    let longer = "folder/".repeat(1_000) + "cases.jsonl";
    for path in [long, longer] {
        for command in ["run", "validate"] {
            let ended = said(&project, command, OsStr::new(&path));
            assert_eq!(ended.code, Some(2), "{}", ended.stderr);
            assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
        }
    }
}
