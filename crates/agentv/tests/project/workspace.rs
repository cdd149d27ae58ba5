//! The star of crates: stages depend on the core and the leaves, never on each other; one crate above them
//! prepares a project for the binary.

use std::process::Command;

use serde_json::Value;

/// The crates that every stage may depend on.
const SHARED: &[&str] = &[
    "agentv-core",
    "agentv-journal",
    "agentv-process",
    "agentv-statistics",
    "agentv-syntax",
    "agentv-workspace",
];
const STAGES: &[&str] = &[
    "agentv-dataset",
    "agentv-evaluators",
    "agentv-providers",
    "agentv-report",
    "agentv-runner",
];

/// Returns the crates of the workspace and their dependencies among each other, without those of tests.
fn dependencies() -> Vec<(String, Vec<String>)> {
    let own = |name: &String| name.starts_with("agentv");
    let crates = all_dependencies().into_iter();
    let crates = crates.map(|(name, needed)| (name, needed.into_iter().filter(own).collect()));
    crates.collect()
}

/// Returns the crates of the workspace and all their dependencies, without those of tests.
fn all_dependencies() -> Vec<(String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(crate::repository())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .map(|package| {
            let needed = package["dependencies"].as_array().unwrap().iter();
            let needed = needed
                .filter(|needed| needed["kind"] != "dev")
                .map(name)
                .collect();
            (name(package), needed)
        })
        .collect()
}

/// Returns the packages of a lock file and their dependencies, without versions.
fn locked(file: &str) -> Vec<(&str, Vec<&str>)> {
    let packages = file.split("[[package]]").skip(1);
    let packages = packages.map(|package| {
        let mut lines = package.lines();
        let name = lines.find(|line| line.starts_with("name = ")).unwrap();
        let name = name.split('"').nth(1).unwrap();
        let needed = lines.filter(|line| line.starts_with(" \""));
        let needed = needed.filter_map(|line| line.split(['"', ' ']).nth(2));
        (name, needed.collect())
    });
    packages.collect()
}

#[test]
fn the_lock_file_of_the_fuzz_targets_is_up_to_date() {
    let file = crate::repository().join("fuzz/Cargo.lock");
    let file = std::fs::read_to_string(file).unwrap();
    let locked = locked(&file);
    let crates = all_dependencies();
    let known = crates.iter().filter_map(|(name, needed)| {
        let (_, locked) = locked.iter().find(|(locked, _)| locked == name)?;
        Some((name, needed, locked))
    });
    let known: Vec<_> = known.collect();
    assert!(known.len() >= 8, "{}", known.len());
    for (name, needed, locked) in known {
        let missing: Vec<_> = needed
            .iter()
            .filter(|needed| !locked.contains(&needed.as_str()))
            .collect();
        assert!(
            missing.is_empty(),
            "fuzz/Cargo.lock lacks {missing:?} of {name}: run `cargo metadata` in `fuzz`"
        );
    }
}

#[test]
fn stages_depend_on_the_core_and_the_leaves_only() {
    let crates = dependencies();
    assert!(crates.len() >= 8, "{crates:?}");
    for (name, needed) in crates {
        let allowed: Vec<&str> = match name.as_str() {
            "agentv" => {
                let above = [
                    "agentv-cluster",
                    "agentv-lsp",
                    "agentv-project",
                    "agentv-view",
                ];
                [SHARED, STAGES, &above].concat()
            }
            "agentv-cluster" => [SHARED, STAGES, &["agentv-project"]].concat(),
            "agentv-lsp" | "agentv-view" => [SHARED, STAGES, &["agentv-project"]].concat(),
            "agentv-project" => [SHARED, STAGES].concat(),
            "agentv-testkit" => SHARED.to_vec(),
            // They record changes of files, and build walls around commands, from the core's nouns.
            "agentv-workspace" | "agentv-process" => vec!["agentv-core"],
            shared if SHARED.contains(&shared) => Vec::new(),
            stage if STAGES.contains(&stage) => SHARED.to_vec(),
            unknown => panic!("where in the star is {unknown}?"),
        };
        for other in needed {
            assert!(allowed.contains(&other.as_str()), "{name} needs {other}");
        }
    }
}
