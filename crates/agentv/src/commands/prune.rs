//! `agentv runs prune`: removes old runs.

use std::io::{self, Write};

use agentv_core::visible;
use agentv_project::{Project, ProjectError, PrunedRun, counted};
use jiff::Timestamp;

use crate::arguments::PruneArguments;
use crate::exit::{CommandError, Exit};
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &PruneArguments) -> Result<Exit, CommandError> {
    let folders = Project::here().run_folders()?;
    let options = arguments.options();
    let (removed, freed) = if options.is_dry_run {
        ("would remove", "to be freed")
    } else {
        ("removed", "freed")
    };
    let mut stdout = io::stdout().lock();
    let (mut runs, mut bytes) = (0, 0);
    let mut printed = Ok(());
    let mut print = |run: PrunedRun| {
        runs += 1;
        bytes += run.bytes;
        let line = writeln!(
            stdout,
            "{removed} {} ({})",
            visible(&run.id),
            size(run.bytes)
        );
        if printed.is_ok() {
            printed = line;
        }
    };
    let notices = &mut StderrNotices::new();
    let pruned: Result<(), ProjectError> =
        folders.prune(&options, Timestamp::now(), notices, &mut print);
    printed?;
    if runs > 0 || pruned.is_ok() {
        let runs = match runs {
            0 => "nothing".to_owned(),
            runs => counted(runs, "run"),
        };
        writeln!(stdout, "{removed} {runs}, {} {freed}", size(bytes))?;
    }
    stdout.flush()?;
    pruned?;
    Ok(Exit::Success)
}

/// Returns a size in bytes as people write it.
fn size(bytes: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let number = bytes as f64;
    let unit = units.iter().find(|(unit, _)| number >= *unit);
    match unit {
        Some((unit, name)) => format!("{:.1} {name}", number / unit),
        None => counted(bytes, "byte"),
    }
}
