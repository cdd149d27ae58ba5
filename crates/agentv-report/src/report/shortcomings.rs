//! The reasons why a run as a whole is not green, beside the trials that did not pass.

use agentv_core::GateOutcome;

use crate::figures::{count, counted};
use crate::render::outdated_results;
use crate::results::RunResults;
use crate::style::Style;

const STYLE: Style = Style {
    colour: false,
    width: usize::MAX,
    unicode: true,
};

/// A reason why a run is not green.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shortcoming {
    pub(super) kind: Kind,
    /// The number of trials or shards; 1 for a gate.
    pub(super) number: u64,
    pub(super) sentence: String,
}

/// The kind of a shortcoming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Trials were not run.
    NotRun,
    /// Shards were not merged.
    MissingShards,
    /// Results are of an earlier version of the cases, targets or settings.
    Outdated,
    /// A gate is not met.
    Gate,
}

/// Returns the shortcomings of a run with this many trials and results that are out of date.
pub(super) fn shortcomings(run: &RunResults, trials: u64, outdated: u64) -> Vec<Shortcoming> {
    let not_run = run.not_run(trials);
    let planned = counted(not_run + trials, "trial", "trials");
    let verb = if not_run == 1 { "was" } else { "were" };
    let record = run.run();
    let missing = record.map_or(&[][..], |record| &record.missing_shards);
    let shards = match missing {
        [one] => format!("shard {one} is missing"),
        several => format!("shards {} are missing", several.join(", ")),
    };
    let found = [
        (
            Kind::NotRun,
            not_run,
            format!("{} of {planned} {verb} not run", count(not_run)),
        ),
        (Kind::MissingShards, missing.len() as u64, shards),
        (Kind::Outdated, outdated, outdated_results(outdated)),
    ];
    let found = found.into_iter().filter(|(_, number, _)| *number > 0);
    let found = found.map(|(kind, number, sentence)| Shortcoming {
        kind,
        number,
        sentence,
    });
    let gates = record.map_or(&[][..], |record| &record.gates);
    found.chain(gates.iter().filter_map(unmet)).collect()
}

/// Returns a gate that is not met, unless other words say the same.
fn unmet(gate: &GateOutcome) -> Option<Shortcoming> {
    let is_said = [GateOutcome::COMPLETE, GateOutcome::CURRENT].contains(&&*gate.gate);
    (!gate.met && !is_said && !gate.is_allowance()).then(|| Shortcoming {
        kind: Kind::Gate,
        number: 1,
        sentence: format!("gate: {}", crate::gate::gate_line(gate, STYLE)),
    })
}
