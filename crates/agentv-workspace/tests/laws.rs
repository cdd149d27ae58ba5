//! Laws of differences, for random edits.

use std::collections::BTreeMap;
use std::fs;

use agentv_core::ChangeKind;
use proptest::prelude::*;

use crate::support::TestProject;

type Files = BTreeMap<String, Vec<u8>>;

fn files() -> impl Strategy<Value = Files> {
    let content = prop_oneof![
        "[a-c\n]{0,12}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::btree_map("[a-d]|[a-d]/[x-z]", content, 0..6).prop_map(without_clashes)
}

/// Removes files that would have to be folders too.
fn without_clashes(files: Files) -> Files {
    let folders: Vec<String> = files
        .keys()
        .filter_map(|path| path.split_once('/').map(|(folder, _)| folder.to_owned()))
        .collect();
    let mut files = files;
    files.retain(|path, _| !folders.contains(path));
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_changes_are_exactly_those_that_were_made(before in files(), after in files()) {
        let source = tempfile::tempdir().unwrap();
        let write = |folder: &std::path::Path, files: &Files| {
            for (path, content) in files {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
        };
        write(source.path(), &before);
        let place = TestProject::of(&agentv_workspace::TemplateSource::Folder(source.path().into()));
        let trial = place.trial();
        for entry in fs::read_dir(trial.work()).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                fs::remove_dir_all(entry.path()).unwrap();
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        write(trial.work(), &after);

        let mut replayed = before.clone();
        for change in trial.changes().files {
            match change.kind {
                ChangeKind::Added => prop_assert!(!before.contains_key(&change.path)),
                ChangeKind::Modified => {
                    prop_assert_ne!(before.get(&change.path), after.get(&change.path));
                }
                ChangeKind::Deleted => prop_assert!(!after.contains_key(&change.path)),
                ChangeKind::Renamed => {
                    let from = change.from.clone().unwrap();
                    prop_assert!(!after.contains_key(&from));
                    if change.lines.is_none() && change.digest.is_none() {
                        prop_assert_eq!(before.get(&from), after.get(&change.path));
                    }
                    replayed.remove(&from);
                }
            }
            match after.get(&change.path) {
                Some(content) => { replayed.insert(change.path, content.clone()); }
                None => { replayed.remove(&change.path); }
            }
        }
        prop_assert_eq!(replayed, after);
    }
}
