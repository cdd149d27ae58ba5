//! Conversions write everything or nothing, and never over what they read.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use agentv_dataset::{Conversion, ConvertError, ConvertOptions, Converted, convert};
use agentv_testkit::SmallDisk;

use crate::project::{TestProject, names_in, note};

const SUITE: &str = "description: d\nevalcases:\n  - id: a\n    outcome: o\n    input: i\n";
const LINE: &str = "{\"id\": \"a\", \"outcome\": \"o\", \"input\": \"i\"}\n";

fn options(project: &TestProject, to: Conversion, force: bool) -> ConvertOptions {
    ConvertOptions {
        comments: Vec::new(),
        interrupted: Default::default(),
        to,
        force,
        lossy: false,
        load: project.options(),
    }
}

fn to_jsonl(project: &TestProject, from: &str, to: &Path) -> Result<Converted, ConvertError> {
    convert(
        &project.path(from),
        to,
        &options(project, Conversion::Jsonl, false),
    )
}

fn to_jsonl_by_force(
    project: &TestProject,
    from: &str,
    to: &Path,
) -> Result<Converted, ConvertError> {
    convert(
        &project.path(from),
        to,
        &options(project, Conversion::Jsonl, true),
    )
}

fn to_yaml_by_force(
    project: &TestProject,
    from: &str,
    to: &Path,
) -> Result<Converted, ConvertError> {
    convert(
        &project.path(from),
        to,
        &options(project, Conversion::Yaml, true),
    )
}

/// Returns the names, kinds and contents of everything in `evals`.
fn state(project: &TestProject) -> Vec<(String, Option<Vec<u8>>)> {
    let names = project.listed().into_iter();
    names
        .map(|name| {
            let content = fs::read(project.path(&name)).ok();
            (name, content)
        })
        .collect()
}

/// Runs a conversion that must fail and must leave everything as it was.
fn refused(
    project: &TestProject,
    run: impl FnOnce() -> Result<Converted, ConvertError>,
) -> ConvertError {
    let before = state(project);
    let error = run().expect_err("this conversion must be refused");
    assert_eq!(state(project), before, "after {error}");
    error
}

#[test]
fn a_file_that_is_there_is_not_replaced_unless_forced() {
    let project = TestProject::new();
    project.write("suite.yml", SUITE);
    let out = project.write("out.jsonl", "precious");
    let error = refused(&project, || to_jsonl(&project, "suite.yml", &out));
    assert!(matches!(error, ConvertError::Exists(path) if path == out));
    fs::remove_file(&out).unwrap();
    // The sidecar counts as well: the eval file is not written without it.
    let sidecar = project.write("out.yaml", "precious: true\n");
    let error = refused(&project, || to_jsonl(&project, "suite.yml", &out));
    assert!(matches!(error, ConvertError::Exists(path) if path == sidecar));
    fs::remove_file(&sidecar).unwrap();
    // So does a broken link, in either place.
    symlink("nowhere", &out).unwrap();
    let error = refused(&project, || to_jsonl(&project, "suite.yml", &out));
    assert!(matches!(error, ConvertError::Exists(path) if path == out));
    fs::remove_file(&out).unwrap();
    symlink("nowhere", &sidecar).unwrap();
    let error = refused(&project, || to_jsonl(&project, "suite.yml", &out));
    assert!(matches!(error, ConvertError::Exists(path) if path == sidecar));
}

#[test]
fn force_replaces_the_file_and_its_sidecar() {
    let project = TestProject::new();
    project.write("suite.yml", SUITE);
    let out = project.write("out.jsonl", "old");
    let sidecar = project.write("out.yaml", "old: true\n");
    let converted = to_jsonl_by_force(&project, "suite.yml", &out).unwrap();
    assert_eq!(converted.files, [out.clone(), sidecar.clone()]);
    assert_eq!(
        fs::read_to_string(&out).unwrap(),
        "{\"id\":\"a\",\"expected_outcome\":\"o\",\"input\":\"i\"}\n"
    );
    assert!(
        fs::read_to_string(&sidecar)
            .unwrap()
            .contains("description: d")
    );
    // A stale sidecar would change the cases, so it is removed even if nothing is to be written in it.
    project.write("plain.jsonl", LINE);
    let stale = project.write("plain-2.yaml", "evaluator: is_json\n");
    to_jsonl_by_force(&project, "plain.jsonl", &project.path("plain-2.jsonl")).unwrap();
    assert!(!fs::read_to_string(&stale).unwrap().contains("is_json"));
}

#[test]
fn force_replaces_a_link_and_not_what_it_leads_to() {
    let project = TestProject::new();
    project.write("suite.yml", SUITE);
    let precious = project.write("precious.txt", "precious");
    let out = project.path("out.jsonl");
    symlink("precious.txt", &out).unwrap();
    to_jsonl_by_force(&project, "suite.yml", &out).unwrap();
    assert_eq!(fs::read_to_string(precious).unwrap(), "precious");
    assert!(!fs::symlink_metadata(&out).unwrap().is_symlink());
}

#[test]
fn the_input_is_never_replaced_not_even_by_force() {
    let project = TestProject::new();
    let input = project.write("a.jsonl", LINE);
    let sidecar = project.write("a.yaml", "description: d\n");
    symlink("a.jsonl", project.path("link.jsonl")).unwrap();
    symlink("a.yaml", project.path("link.yaml")).unwrap();
    symlink("../evals", project.root().join("elsewhere/folder")).unwrap();
    let own = |error| matches!(error, ConvertError::OwnInput(_));
    for output in ["a.jsonl", "./a.jsonl", "data/../a.jsonl", "link.jsonl"] {
        let output = project.path(output);
        assert!(own(refused(&project, || to_jsonl_by_force(
            &project, "a.jsonl", &output
        ))));
    }
    for output in [sidecar.clone(), project.path("link.yaml")] {
        assert!(own(refused(&project, || to_yaml_by_force(
            &project, "a.jsonl", &output
        ))));
    }
    let through_folder = project.root().join("elsewhere/folder/a.jsonl");
    assert!(own(refused(&project, || to_jsonl_by_force(
        &project,
        "link.jsonl",
        &through_folder
    ))));
    // The other way round: the input is a link, and the output is its target.
    assert!(own(refused(&project, || to_jsonl_by_force(
        &project,
        "link.jsonl",
        &input
    ))));
    assert_eq!(fs::read_to_string(&sidecar).unwrap(), "description: d\n");
}

#[test]
fn another_name_of_the_input_is_replaced_and_the_input_stays() {
    let project = TestProject::new();
    let input = project.write("a.jsonl", LINE);
    let twin = project.path("twin.jsonl");
    fs::hard_link(&input, &twin).unwrap();
    let before = fs::metadata(&input).unwrap().ino();
    to_jsonl_by_force(&project, "a.jsonl", &twin).unwrap();
    assert_eq!(fs::metadata(&input).unwrap().ino(), before);
    assert_eq!(fs::read_to_string(&input).unwrap(), LINE);
    assert_ne!(fs::metadata(&twin).unwrap().ino(), before);
}

#[test]
fn a_suite_is_not_replaced_by_the_sidecar_of_its_own_conversion() {
    let project = TestProject::new();
    let input = project.write("a.yaml", SUITE);
    let converted = to_jsonl_by_force(&project, "a.yaml", &project.path("a.jsonl")).unwrap();
    assert_eq!(converted.files, [project.path("a.jsonl")]);
    assert_eq!(fs::read_to_string(&input).unwrap(), SUITE);
    // It serves the new file as a sidecar, so both load the same.
    assert_eq!(
        project.load("a.jsonl").unwrap().cases,
        project.load("a.yaml").unwrap().cases
    );
}

#[test]
fn nothing_is_left_behind_after_any_error() {
    let project = TestProject::new();
    project.write("suite.yml", SUITE);
    let missing = project.root().join("absent/out.jsonl");
    let io = |error| matches!(error, ConvertError::Io(..));
    assert!(io(refused(&project, || to_jsonl(
        &project,
        "suite.yml",
        &missing
    ))));
    let no_folder = project.path("suite.yml/out.jsonl");
    assert!(io(refused(&project, || to_jsonl(
        &project,
        "suite.yml",
        &no_folder
    ))));
    let extension = refused(&project, || {
        to_jsonl(&project, "suite.yml", &project.path("out.json"))
    });
    assert!(matches!(extension, ConvertError::Extension { .. }));
    project.write("wrong.jsonl", format!("{LINE}{{\"id\": 5}}\n"));
    let problems = refused(&project, || {
        to_jsonl(&project, "wrong.jsonl", &project.path("out.jsonl"))
    });
    assert!(matches!(problems, ConvertError::Problems(_)));
    project.write("cut.jsonl", format!("{LINE}{{\"id\": "));
    let problems = refused(&project, || {
        to_jsonl(&project, "cut.jsonl", &project.path("out.jsonl"))
    });
    assert!(matches!(problems, ConvertError::Problems(_)));
    let lossy = refused(&project, || {
        let options = options(&project, Conversion::AgentMark, false);
        convert(
            &project.path("suite.yml"),
            &project.path("out.jsonl"),
            &options,
        )
    });
    assert!(matches!(lossy, ConvertError::Lossy(_)));
    // A folder in the place of the eval file or of its sidecar.
    for name in ["folder.jsonl", "other.yaml"] {
        fs::create_dir(project.path(name)).unwrap();
    }
    for output in ["folder.jsonl", "other.jsonl"] {
        let output = project.path(output);
        refused(&project, || to_jsonl(&project, "suite.yml", &output));
        let by_force = refused(&project, || {
            to_jsonl_by_force(&project, "suite.yml", &output)
        });
        assert!(matches!(
            by_force,
            ConvertError::Io(..) | ConvertError::NotASidecar(_)
        ));
    }
}

#[test]
fn a_reference_that_the_new_place_cannot_follow_leaves_nothing_behind() {
    let project = TestProject::new();
    let block = r#"[{"role": "user", "content": [{"type": "file", "value": "notes.md"}]}]"#;
    project.write(
        "refer.jsonl",
        format!("{{\"id\": \"a\", \"outcome\": \"o\", \"input\": {block}}}\n"),
    );
    let other = tempfile::tempdir().unwrap();
    fs::create_dir(other.path().join(".git")).unwrap();
    let output = other.path().join("out.jsonl");
    let error = refused(&project, || to_jsonl(&project, "refer.jsonl", &output));
    assert!(matches!(error, ConvertError::OutOfReach { value, .. } if value == "notes.md"));
    assert_eq!(names_in(other.path()), [".git"]);
}

#[test]
fn a_folder_that_may_not_be_written_stays_as_it_is() {
    let project = TestProject::new();
    project.write("suite.yml", SUITE);
    let folder = project.root().join("elsewhere");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        return note("skipped: this user writes everywhere");
    }
    let error = refused(&project, || {
        to_jsonl(&project, "suite.yml", &folder.join("out.jsonl"))
    });
    assert!(matches!(error, ConvertError::Io(..)));
    assert!(names_in(&folder).is_empty());
}

#[test]
fn a_disk_that_is_full_keeps_what_it_had() {
    let project = TestProject::new();
    let disk = match SmallDisk::mount(project.root().join("elsewhere"), 64) {
        Ok(disk) => disk,
        Err(reason) => return note(&format!("skipped: {reason}")),
    };
    let text: String = (0..2_000)
        .map(|index| LINE.replace("\"a\"", &format!("\"{index}\"")))
        .collect();
    project.write("large.jsonl", text);
    let output = disk.path().join("out.jsonl");
    fs::write(&output, "old").unwrap();
    let error = refused(&project, || {
        to_jsonl_by_force(&project, "large.jsonl", &output)
    });
    assert!(matches!(error, ConvertError::Io(..)), "{error}");
    assert_eq!(names_in(disk.path()), ["out.jsonl"]);
    assert_eq!(fs::read_to_string(&output).unwrap(), "old");
    // Room for the eval file, and none for its sidecar.
    let description = "x".repeat(60_000);
    project.write(
        "wide.yml",
        SUITE.replace("description: d", &format!("description: {description}")),
    );
    project.write("filler.yml", SUITE);
    let error = refused(&project, || {
        to_jsonl_by_force(&project, "wide.yml", &output)
    });
    assert!(matches!(error, ConvertError::Io(..)), "{error}");
    assert_eq!(names_in(disk.path()), ["out.jsonl"]);
    assert_eq!(fs::read_to_string(&output).unwrap(), "old");
}

#[test]
fn new_files_have_the_permissions_of_any_new_file() {
    let project = TestProject::new();
    project.write("suite.yml", SUITE);
    let out = project.path("out.jsonl");
    let converted = to_jsonl(&project, "suite.yml", &out).unwrap();
    // The mode follows the umask, as for every file that a program creates.
    let usual = fs::metadata(project.path("suite.yml")).unwrap().mode() & 0o777;
    for file in converted.files {
        assert_eq!(
            fs::metadata(&file).unwrap().mode() & 0o777,
            usual,
            "{}",
            file.display()
        );
    }
}
