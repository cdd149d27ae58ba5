//! The figures of a run on disk, beside its index: folding a million results takes seconds.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agentv_journal::{Access, AtomicFile, RunFolder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::index::RunIndex;

/// The figures, and what they were computed from.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    /// The version of the program: another one may compute other figures.
    version: String,
    /// The state of the results.
    results: Value,
    /// A digest of `run.json`.
    run: String,
    facts: Value,
}

impl Stored {
    /// Returns the current state of a run, without figures.
    fn of(run: &RunFolder, index: &RunIndex) -> Option<Stored> {
        let description = fs::read(run.path().join("run.json")).unwrap_or_default();
        Some(Stored {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            results: index.results_stamp()?,
            run: blake3::hash(&description).to_hex().to_string(),
            facts: Value::Null,
        })
    }
}

fn path(kept: &Path, run: &RunFolder) -> PathBuf {
    kept.join(format!("{}.facts", run.id()))
}

/// Returns the stored figures of a run, if they are of its current state.
pub(crate) fn load(kept: &Path, run: &RunFolder, index: &RunIndex) -> Option<Value> {
    let bytes = fs::read(path(kept, run)).ok()?;
    let stored: Stored = serde_json::from_slice(&bytes).ok()?;
    let now = Stored::of(run, index)?;
    let is_current =
        stored.version == now.version && stored.results == now.results && stored.run == now.run;
    is_current.then_some(stored.facts)
}

/// Keeps the figures of a run.
///
/// # Errors
/// Fails if they cannot be written.
pub(crate) fn keep(
    kept: &Path,
    run: &RunFolder,
    index: &RunIndex,
    facts: &Value,
) -> io::Result<()> {
    let Some(state) = Stored::of(run, index) else {
        return Ok(());
    };
    let stored = Stored {
        facts: facts.clone(),
        ..state
    };
    let mut file = AtomicFile::create(&path(kept, run), Access::Owner)?;
    serde_json::to_writer(&mut file, &stored)?;
    file.flush()?;
    file.commit()
}
