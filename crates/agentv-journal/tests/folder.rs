//! Creating, opening and listing run folders, and `run.json`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use agentv_journal::{
    AppendError, FolderError, RecordFile, RunFolder, SCHEMA_VERSION, SYNC_INTERVAL, list_runs,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{now, run};

#[test]
fn only_the_user_can_read_a_run_folder() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create_at(&root.path().join(".agentv/results"), now()).unwrap();
    let mut writer = folder.write(now()).unwrap();
    writer.write_run(&json!({})).unwrap();
    writer.append(RecordFile::Results).unwrap();
    writer.append(RecordFile::Transcripts).unwrap();
    let mode = |path: &str| {
        let path = root.path().join(".agentv").join(path);
        path.metadata().unwrap().permissions().mode() & 0o777
    };
    let id = folder.id();
    assert_eq!(
        [mode(""), mode("results"), mode(&format!("results/{id}"))],
        [0o700; 3]
    );
    for name in ["run.json", "results.jsonl", "transcripts.jsonl", "lock"] {
        assert_eq!(mode(&format!("results/{id}/{name}")), 0o600, "{name}");
    }
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn runs_that_begin_at_once_get_folders_of_their_own() {
    let root = tempfile::tempdir().unwrap();
    let ids = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let folder = RunFolder::create_at(root.path(), now()).unwrap();
                    ids.lock().unwrap().push(folder.id().clone());
                }
            });
        }
    });
    let mut ids = ids.into_inner().unwrap();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 160);
    let taken = RunFolder::create(root.path(), &ids[7]).unwrap_err();
    assert!(matches!(taken, FolderError::Exists(_)));
}

#[test]
fn runs_are_listed_newest_first() {
    let root = tempfile::tempdir().unwrap();
    let named = |name: &str| RunFolder::create(root.path(), &name.parse().unwrap()).unwrap();
    let began = |folder: &RunFolder, time: &str| {
        let writer = folder.write(now()).unwrap();
        writer.write_run(&json!({"started_at": time})).unwrap();
    };
    named("2026-11-15T10-43-07Z-4f2a");
    named("2026-11-15T10-43-07Z-0000");
    began(&named("nightly"), "2026-11-15T10:43:07.1Z");
    began(&named("2026-11-14T00-00-00Z-0000"), "2026-11-16T00:00:00Z");
    named("unknown");
    fs::write(named("damaged").path().join("run.json"), "{\"started_at\":").unwrap();
    fs::write(root.path().join("a file"), "").unwrap();
    fs::create_dir(root.path().join(".hidden")).unwrap();
    let runs = list_runs(root.path()).unwrap();
    let ids: Vec<&str> = runs.iter().map(|run| run.folder.id().as_str()).collect();
    assert_eq!(
        ids,
        [
            "2026-11-14T00-00-00Z-0000",
            "2026-11-15T10-43-07Z-4f2a",
            "nightly",
            "2026-11-15T10-43-07Z-0000",
            "unknown",
            "damaged",
        ]
    );
}

#[test]
fn run_json_carries_its_version_and_refuses_a_newer_one() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Run {
        files: Vec<String>,
    }
    let (_root, folder) = run();
    assert_eq!(folder.run::<Run>().unwrap(), None);
    let writer = folder.write(now()).unwrap();
    writer
        .write_run(&json!({"files": ["a"], "schema_version": 77}))
        .unwrap();
    let path = folder.path().join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with(&format!("{{\n  \"schema_version\": {SCHEMA_VERSION},\n")),
        "{text}"
    );
    assert_eq!(folder.run::<Run>().unwrap().unwrap().files, ["a"]);

    fs::write(&path, r#"{"schema_version": 2, "other": 1}"#).unwrap();
    let error = folder.run::<Run>().unwrap_err();
    assert!(matches!(error, FolderError::Newer { version: 2, .. }));
    assert!(error.to_string().contains("newer version"), "{error}");

    fs::write(&path, "{").unwrap();
    let error = folder.run::<Value>().unwrap_err();
    assert!(error.to_string().starts_with("cannot read `"), "{error}");
    assert!(writer.write_run(&[1]).is_err());
}

#[test]
fn the_next_writer_removes_temporary_files_of_a_killed_one() {
    let (_root, folder) = run();
    fs::write(folder.path().join(".unfinished-a1b2"), "{").unwrap();
    drop(folder.write(now()).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn only_folders_are_opened() {
    let (root, folder) = run();
    assert_eq!(RunFolder::open(folder.path()).unwrap(), folder);
    let error = RunFolder::open(&root.path().join("none")).unwrap_err();
    assert!(error.to_string().starts_with("run folder `"), "{error}");
    fs::write(root.path().join("file"), "").unwrap();
    assert!(RunFolder::open(&root.path().join("file")).is_err());
}

#[test]
fn records_are_appended_while_a_sync_is_waited_for() {
    let results = tempfile::tempdir().unwrap();
    let now = "2026-11-15T10:43:07Z".parse().unwrap();
    let folder = RunFolder::create_at(results.path(), now).unwrap();
    let mut writer = folder.write(now).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap().defer_sync();
    let later = Instant::now() + SYNC_INTERVAL * 2;
    assert!(
        append.begin_sync().unwrap().is_none(),
        "there is nothing to sync"
    );
    append
        .append_json(b"{\"number\": 1}", Instant::now())
        .unwrap();
    assert!(append.sync_due(later), "whoever appends does not sync");
    let pending = append.begin_sync().unwrap().unwrap();
    append
        .append_json(b"{\"number\":\n2}", Instant::now())
        .unwrap();
    append.end_sync(pending.wait()).unwrap();
    assert!(
        append.sync_due(later),
        "the second record came after the sync began"
    );
    append.finish().unwrap();
    let text = std::fs::read_to_string(folder.file(RecordFile::Results)).unwrap();
    assert_eq!(text, "{\"number\": 1}\n{\"number\": 2}\n");
}

#[test]
fn after_a_failed_background_sync_nothing_is_reported_as_safe() {
    let results = tempfile::tempdir().unwrap();
    let now = "2026-11-15T10:43:07Z".parse().unwrap();
    let folder = RunFolder::create_at(results.path(), now).unwrap();
    let mut writer = folder.write(now).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap().defer_sync();
    append.append_json(b"{}", Instant::now()).unwrap();
    drop(append.begin_sync().unwrap());
    let failed = Err(std::io::Error::other("the disk is gone"));
    assert!(matches!(
        append.end_sync(failed),
        Err(AppendError::Sync { .. })
    ));
    let refused = append.append_json(b"{}", Instant::now());
    assert!(matches!(refused, Err(AppendError::Sync { .. })));
}
