//! Reports of one rich run: stable bytes, and the same numbers in every format.
//!
//! `SNAPSHOTS=overwrite cargo test -p agentv-report formats` rewrites the files in `golden/`.

mod golden;
mod numbers;

use std::path::{Path, PathBuf};

use agentv_journal::RunFolder;
use agentv_report::{ReportFormat, RunResults};

const RUN: &str = "2026-11-15T10-43-07Z-4f1a";
const BEFORE: &str = "2026-11-14T09-00-00Z-0001";

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/formats")
        .join(name)
}

fn run(id: &str) -> RunResults {
    let folder = RunFolder::open(&here("runs").join(id)).unwrap();
    RunResults::of_folder(&folder).unwrap()
}

fn report(format: &ReportFormat, runs: &[RunResults]) -> Vec<u8> {
    let mut out = Vec::new();
    format.write(runs, &mut out).unwrap();
    out
}

fn text(format: &str) -> String {
    let format = ReportFormat::named(format).unwrap();
    String::from_utf8(report(format, &[run(RUN)])).unwrap()
}
