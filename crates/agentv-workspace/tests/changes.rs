//! The difference between two states of a workspace.

use std::fs;

use agentv_core::ChangeKind::{Added, Deleted, Modified, Renamed};
use agentv_core::LineCounts;
use agentv_workspace::{DiffLimits, TemplateSource};

use crate::support::TestProject;

#[test]
fn an_untouched_workspace_has_no_changes() {
    let place = TestProject::with(&[("a.txt", "one\n"), ("src/b.rs", "fn b() {}\n")]);
    let trial = place.trial();
    assert_eq!(trial.listed(), []);
    // Written again with the same content.
    trial.write("a.txt", "one\n");
    assert_eq!(trial.listed(), []);
}

#[test]
fn files_are_added_modified_deleted_and_renamed() {
    let place = TestProject::with(&[
        ("change.txt", "one\ntwo\nthree\n"),
        ("delete.txt", "gone\n"),
        ("old/name.txt", "the same content\n"),
    ]);
    let trial = place.trial();
    trial.write("new/file.txt", "hello\nworld\n");
    trial.write("change.txt", "one\n2\nthree\n");
    fs::remove_file(trial.work().join("delete.txt")).unwrap();
    fs::rename(
        trial.work().join("old/name.txt"),
        trial.work().join("moved.txt"),
    )
    .unwrap();
    let expected = [
        (Modified, "change.txt".to_owned()),
        (Deleted, "delete.txt".to_owned()),
        (Renamed, "moved.txt".to_owned()),
        (Added, "new/file.txt".to_owned()),
    ];
    assert_eq!(trial.listed(), expected);
    let changed = trial.change_of("change.txt");
    assert_eq!(
        changed.lines,
        Some(LineCounts {
            added: 1,
            removed: 1
        })
    );
    let diff = "--- a/change.txt\n+++ b/change.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    assert_eq!(changed.diff.as_deref(), Some(diff));
    assert_eq!(
        trial.change_of("moved.txt").from.as_deref(),
        Some("old/name.txt")
    );
    let added = trial.change_of("new/file.txt").diff.unwrap();
    assert!(
        added.starts_with("--- /dev/null\n+++ b/new/file.txt\n"),
        "{added}"
    );
    let deleted = trial.change_of("delete.txt").diff.unwrap();
    assert!(deleted.contains("+++ /dev/null"), "{deleted}");
}

#[test]
fn a_change_of_the_same_size_in_the_same_moment_is_found() {
    // The clock of a file system has coarse ticks, so that a stamp alone proves nothing.
    for _ in 0..50 {
        let place = TestProject::with(&[("a.txt", "one\n")]);
        let trial = place.trial();
        trial.write("a.txt", "two\n");
        assert_eq!(trial.listed(), [(Modified, "a.txt".to_owned())]);
    }
}

#[test]
fn changes_made_by_setup_are_not_changes_of_the_agent() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let workspace = place.workspaces.create(&place.template).unwrap();
    fs::write(workspace.work().join("a.txt"), "set up\n").unwrap();
    fs::write(workspace.work().join("installed.txt"), "1\n2\n").unwrap();
    let before = workspace.snapshot(&place.template).unwrap();
    let limits = DiffLimits::default();
    assert_eq!(workspace.changes(&before, &limits).unwrap().files, []);
    fs::write(workspace.work().join("installed.txt"), "1\n3\n").unwrap();
    let changes = workspace.changes(&before, &limits).unwrap();
    let diff = changes.files[0].diff.as_deref().unwrap();
    assert!(diff.contains("-2\n+3\n"), "{diff}");
    assert_eq!(changes.files.len(), 1);
}

#[test]
fn binary_files_are_shown_by_digest() {
    let place = TestProject::with(&[("image.png", "\0\u{1}")]);
    let trial = place.trial();
    fs::write(trial.work().join("image.png"), b"\0\xff\xfe").unwrap();
    let change = trial.change_of("image.png");
    assert_eq!(change.diff, None);
    assert_eq!(change.lines, None);
    let digest = blake3::hash(b"\0\xff\xfe").to_hex().to_string();
    assert_eq!(change.digest, Some(digest));
}

#[cfg(unix)]
#[test]
fn the_executable_bit_is_a_change() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = TestProject::with(&[("run.sh", "echo\n")]);
    let trial = place.trial();
    let path = trial.work().join("run.sh");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(trial.listed(), [(Modified, "run.sh".to_owned())]);
}

#[test]
fn lists_and_diffs_have_limits_that_are_reported() {
    let place = TestProject::with(&[]);
    let trial = place.trial();
    for number in 0..30 {
        trial.write(&format!("{number:02}.txt"), &"a line of text\n".repeat(100));
    }
    let limits = DiffLimits {
        files: 20,
        file_diff: 1_000,
        all_diffs: 5_000,
        file_size: 1 << 20,
    };
    let changes = trial.workspace.changes(&trial.before, &limits).unwrap();
    assert_eq!((changes.files.len(), changes.further.len()), (20, 10));
    let diffs = changes.files.iter().filter_map(|file| file.diff.as_ref());
    let sizes: Vec<usize> = diffs.map(String::len).collect();
    assert!(sizes.iter().all(|size| *size <= 1_000), "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() <= 5_000, "{sizes:?}");
    assert!(changes.files.iter().all(|file| file.diff_truncated));
    // The counts are those of the whole files.
    let whole = LineCounts {
        added: 100,
        removed: 0,
    };
    assert!(changes.files.iter().all(|file| file.lines == Some(whole)));
}

#[test]
fn two_trials_do_not_see_each_other() {
    let place = TestProject::with(&[("count.txt", "0")]);
    let (one, two) = (place.trial(), place.trial());
    one.write("count.txt", "1");
    assert_eq!(
        fs::read_to_string(two.work().join("count.txt")).unwrap(),
        "0"
    );
    assert_eq!(two.listed(), []);
    assert_eq!(one.listed().len(), 1);
}

#[test]
fn the_digest_of_a_template_depends_on_its_files_alone() {
    let files = [("a.txt", "one\n"), ("b/c.txt", "two\n")];
    let (one, two) = (TestProject::with(&files), TestProject::with(&files));
    assert_eq!(one.template.digest(), two.template.digest());
    for other in [
        &[("a.txt", "one\n"), ("b/c.txt", "three\n")][..],
        &[("a.txt", "one\n"), ("b/d.txt", "two\n")],
        &[("a.txt", "one\n")],
    ] {
        assert_ne!(
            one.template.digest(),
            TestProject::with(other).template.digest()
        );
    }
}

#[test]
fn a_renamed_file_with_a_changed_line_is_renamed() {
    let text = "fn total() {\n    add(price, count)\n}\n\nfn tax() {\n    rate()\n}\n";
    let place = TestProject::with(&[
        ("src/cart.rs", text),
        ("src/other.rs", "something else entirely\nof two lines\n"),
        ("kept.rs", text),
    ]);
    let trial = place.trial();
    fs::remove_file(trial.work().join("src/cart.rs")).unwrap();
    fs::remove_file(trial.work().join("src/other.rs")).unwrap();
    trial.write("src/basket.rs", &text.replace("rate()", "rate(7)"));
    trial.write("new.rs", "nothing of the old files\n");
    let expected = [
        (Added, "new.rs".to_owned()),
        (Renamed, "src/basket.rs".to_owned()),
        (Deleted, "src/other.rs".to_owned()),
    ];
    assert_eq!(trial.listed(), expected);
    let renamed = trial.change_of("src/basket.rs");
    assert_eq!(renamed.from.as_deref(), Some("src/cart.rs"));
    let lines = LineCounts {
        added: 1,
        removed: 1,
    };
    assert_eq!(renamed.lines, Some(lines));
    let diff = renamed.diff.unwrap();
    let begin = "--- a/src/cart.rs\n+++ b/src/basket.rs\n";
    assert!(diff.starts_with(begin), "{diff}");
    assert!(diff.contains("-    rate()\n+    rate(7)\n"), "{diff}");
}

#[test]
fn of_several_similar_files_the_most_similar_is_the_origin() {
    let line = |number: usize| format!("line {number} of the text\n");
    let text = |from: usize| (from..from + 10).map(line).collect::<String>();
    let place = TestProject::with(&[
        ("a.txt", &text(0)),
        ("b.txt", &text(4)),
        ("c.txt", "other\n"),
    ]);
    let trial = place.trial();
    for name in ["a.txt", "b.txt", "c.txt"] {
        fs::remove_file(trial.work().join(name)).unwrap();
    }
    // It has 7 lines of `a.txt`, and 9 of `b.txt`.
    trial.write("new.txt", &text(3));
    // Less than half of the larger file is the same.
    trial.write("long.txt", &format!("other\n{}", "x\n".repeat(40)));
    assert_eq!(
        trial.listed(),
        [
            (Deleted, "a.txt".to_owned()),
            (Deleted, "c.txt".to_owned()),
            (Added, "long.txt".to_owned()),
            (Renamed, "new.txt".to_owned()),
        ]
    );
    assert_eq!(trial.change_of("new.txt").from.as_deref(), Some("b.txt"));
}

#[test]
fn a_text_in_latin_1_has_a_diff() {
    let place = TestProject::with(&[("a.txt", "x\n")]);
    let trial = place.trial();
    fs::write(trial.work().join("a.txt"), b"Gr\xfc\xdfe\n").unwrap();
    fs::write(trial.work().join("b.bin"), b"\xfc\x01\x02").unwrap();
    let changed = trial.change_of("a.txt");
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+Grüße\n";
    assert_eq!(changed.diff.as_deref(), Some(diff));
    assert_eq!(trial.change_of("b.bin").diff, None);
    assert!(trial.change_of("b.bin").digest.is_some());
}

#[test]
fn a_text_with_another_encoding_is_a_change_without_a_diff() {
    let place = TestProject::with(&[("a.txt", "Grüße\n")]);
    let trial = place.trial();
    fs::write(trial.work().join("a.txt"), b"Gr\xfc\xdfe\n").unwrap();
    let changed = trial.change_of("a.txt");
    assert_eq!(changed.diff, None);
    assert!(changed.digest.is_some());
}

#[test]
#[cfg(unix)]
fn a_snapshot_without_reading_is_the_one_that_a_walk_takes() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let source = tempfile::tempdir().unwrap();
    let path = |name: &str| source.path().join(name);
    fs::create_dir_all(path("deep/empty")).unwrap();
    fs::write(path("deep/a.txt"), "one\n").unwrap();
    fs::write(path("empty.txt"), "").unwrap();
    fs::write(path("run.sh"), "exit\n").unwrap();
    fs::set_permissions(path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    fs::write(path("secret.txt"), "s\n").unwrap();
    fs::set_permissions(path("secret.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("nowhere", path("link")).unwrap();
    let place = TestProject::of(&TemplateSource::Folder(source.path().into()));
    let trial = place.trial();
    let walked = trial.workspace.snapshot(&place.template).unwrap();
    for (name, mode) in [("run.sh", 0o751), ("secret.txt", 0o600)] {
        let metadata = fs::metadata(trial.work().join(name)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, mode, "{name}");
    }
    let changes = |before| trial.workspace.changes(before, &DiffLimits::default());
    assert_eq!(changes(&trial.before).unwrap(), changes(&walked).unwrap());
    trial.write("deep/a.txt", "two\n");
    trial.write("new.txt", "new\n");
    fs::remove_file(trial.work().join("link")).unwrap();
    fs::remove_file(trial.work().join("run.sh")).unwrap();
    let found = changes(&trial.before).unwrap();
    assert_eq!(found.files.len(), 4);
    assert_eq!(found, changes(&walked).unwrap());
}
