//! Files that are elsewhere, not regular, or not to be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use agentv_dataset::{check_sidecar, load_eval_cases};
use agentv_syntax::Code;

use super::{codes_of_reference, line, reference};
use crate::alone::soon;
use crate::project::{TestProject, codes, note};

#[test]
fn a_file_outside_the_project_is_refused_however_it_is_reached() {
    let project = TestProject::new();
    let up = "../".repeat(project.path("").components().count());
    let passwd = format!("{up}etc/passwd");
    assert_eq!(
        codes_of_reference(&project, &passwd),
        [Code::FileOutsideRoot]
    );
    assert_eq!(
        codes_of_reference(&project, &format!("./data/../{passwd}")),
        [Code::FileOutsideRoot]
    );
    assert_eq!(
        codes_of_reference(&project, &format!("/{passwd}")),
        [Code::FileOutsideRoot]
    );
    assert_eq!(
        codes_of_reference(&project, "//etc/passwd"),
        [Code::FileOutsideRoot]
    );
    assert_ne!(codes_of_reference(&project, ".//etc/passwd"), []);
    // A leading slash is the project's root; a file under the machine's root is refused.
    assert_eq!(
        codes_of_reference(&project, "/etc/passwd"),
        [Code::FileOutsideRoot]
    );
    symlink("/etc/passwd", project.path("innocent.md")).unwrap();
    assert_eq!(
        codes_of_reference(&project, "innocent.md"),
        [Code::FileOutsideRoot]
    );
    symlink("/etc", project.path("folder")).unwrap();
    assert_eq!(
        codes_of_reference(&project, "folder/passwd"),
        [Code::FileOutsideRoot]
    );
    symlink("link-b", project.path("link-a")).unwrap();
    symlink("link-a", project.path("link-b")).unwrap();
    assert_eq!(codes_of_reference(&project, "link-a"), [Code::FileNotFound]);
    let mut options = project.options();
    options.allow_outside_root = true;
    project.write("refer.jsonl", reference(&passwd));
    let loaded = load_eval_cases(project.path("refer.jsonl"), &options).unwrap();
    assert_eq!(loaded.cases.len(), 1);
    // The options of evaluators and the prompt of a sidecar are files as well.
    let prompt = format!(r#", "evaluators": [{{"type": "llm_judge", "prompt": "{passwd}"}}]"#);
    project.write("refer.jsonl", line("a", &prompt));
    assert_eq!(codes(&project.load("refer.jsonl")), [Code::FileOutsideRoot]);
    project.write("refer.jsonl", line("a", ""));
    project.write("refer.yaml", format!("prompt: {passwd}\n"));
    assert_eq!(codes(&project.load("refer.jsonl")), [Code::FileOutsideRoot]);
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_is_not_a_file_is_refused_and_nobody_waits_for_it() {
    let project = TestProject::new();
    make_fifo(&project.path("pipe"));
    assert_eq!(codes_of_reference(&project, "pipe"), [Code::NotAFile]);
    assert_eq!(codes_of_reference(&project, "data"), [Code::NotAFile]);
    assert_eq!(codes_of_reference(&project, "."), [Code::NotAFile]);
    assert_eq!(
        codes_of_reference(&project, "notes.md/"),
        [Code::FileNotFound]
    );
    assert_eq!(codes_of_reference(&project, ""), [Code::FileNotFound]);
    assert_eq!(codes_of_reference(&project, "a\0b"), [Code::FileNotFound]);
    symlink("nowhere", project.path("broken.md")).unwrap();
    assert_eq!(
        codes_of_reference(&project, "broken.md"),
        [Code::FileNotFound]
    );
    let mut options = project.options();
    options.allow_outside_root = true;
    let up = "../".repeat(project.path("").components().count());
    project.write("refer.jsonl", reference(&format!("{up}dev/zero")));
    let loaded = load_eval_cases(project.path("refer.jsonl"), &options);
    assert_eq!(codes(&loaded), [Code::NotAFile]);
}

#[test]
fn an_eval_file_that_is_not_a_file_is_unreadable() {
    let project = TestProject::new();
    for extension in ["jsonl", "yaml", "jsonl.gz", "jsonl.zst"] {
        make_fifo(&project.path(&format!("pipe.{extension}")));
        fs::create_dir(project.path(&format!("folder.{extension}"))).unwrap();
        symlink("/dev/zero", project.path(&format!("zero.{extension}"))).unwrap();
        symlink("nowhere", project.path(&format!("broken.{extension}"))).unwrap();
        for name in ["pipe", "folder", "zero", "broken", "absent"] {
            let name = format!("{name}.{extension}");
            assert_eq!(
                soon(|| codes(&project.load(&name))),
                [Code::Unreadable],
                "{name}"
            );
        }
    }
}

#[test]
fn a_file_that_may_not_be_read_is_told() {
    let project = TestProject::new();
    let secret = project.write("secret.md", "secret");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&secret).is_ok() {
        return note("skipped: this user reads every file");
    }
    assert_eq!(
        codes_of_reference(&project, "secret.md"),
        [Code::FileUnusable]
    );
    let cases = project.write("secret.jsonl", line("a", ""));
    fs::set_permissions(&cases, fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(codes(&project.load("secret.jsonl")), [Code::Unreadable]);
}

#[test]
fn a_sidecar_that_is_there_but_cannot_be_read_is_not_passed_over() {
    let project = TestProject::new();
    for name in ["folder", "broken", "pipe"] {
        project.write(&format!("{name}.jsonl"), line("a", ""));
    }
    fs::create_dir(project.path("folder.yaml")).unwrap();
    symlink("nowhere.yaml", project.path("broken.yaml")).unwrap();
    make_fifo(&project.path("pipe.yaml"));
    for name in ["folder", "broken", "pipe"] {
        let refused = soon(|| project.load(&format!("{name}.jsonl")))
            .unwrap_err()
            .diagnostic;
        assert_eq!(refused.code(), Code::Unreadable);
        assert!(
            refused.file.ends_with(&format!("{name}.yaml")),
            "{}",
            refused.file
        );
        let path = project.path(&format!("{name}.yaml"));
        let alone = check_sidecar(&path, &project.options());
        assert_eq!(alone[0].code(), Code::Unreadable);
    }
}

#[test]
fn names_that_are_too_long_for_the_system_are_told() {
    let project = TestProject::new();
    let long = "x".repeat(300);
    assert_eq!(
        codes(&project.load(&format!("{long}.jsonl"))),
        [Code::Unreadable]
    );
    assert_eq!(
        codes(&project.load(&format!("{long}.yaml"))),
        [Code::Unreadable]
    );
    assert_eq!(codes_of_reference(&project, &long), [Code::FileNotFound]);
    assert_eq!(
        codes_of_reference(&project, &"x/".repeat(5_000)),
        [Code::FileNotFound]
    );
    // The longest name that the system takes, for the file and its sidecar.
    let longest = "é".repeat(124);
    project.write(&format!("{longest}.jsonl"), line("a", ""));
    let loaded = project.load(&format!("{longest}.jsonl")).unwrap();
    assert_eq!(loaded.cases[0].dataset, longest);
}
