//! What is required of the results of a run.

use std::path::Path;

use agentv_core::GateOutcome;
use agentv_journal::RunFolder;
use agentv_report::compare::{compare, read_runs};
use agentv_report::{RunResults, Summary};

use super::refused::Refused;
use crate::arguments::GateArguments;
use crate::commands::compare::{of_file, of_run, tell_damaged, tell_few_grades};

/// The gates of a run, and what it is held against.
#[derive(Default)]
pub(crate) struct Gates {
    arguments: GateArguments,
    baseline: Option<RunResults>,
}

impl Gates {
    /// Finds the baseline and reads it, so that what is wrong with it is told before anything is asked.
    /// `going_on` is the folder of a run that is resumed.
    pub(crate) fn open(
        arguments: &GateArguments,
        results: &Path,
        going_on: Option<&RunFolder>,
    ) -> Result<Gates, Refused> {
        let named = arguments.baseline.as_deref();
        let baseline = named.map(|name| match of_file(name) {
            Some(baseline) => Ok(baseline),
            None => of_run(results, name),
        });
        let baseline = baseline.transpose()?;
        if let Some(baseline) = &baseline {
            check(baseline, going_on)?;
        }
        Ok(Gates {
            arguments: arguments.clone(),
            baseline,
        })
    }

    /// What the results of the run in `folder` come to against all that is required.
    pub(crate) fn judge(&self, summary: &Summary, folder: &RunFolder) -> Vec<GateOutcome> {
        let mut outcomes = self.arguments.spec().judge(summary);
        let baseline = self.baseline.as_ref();
        outcomes.extend(baseline.map(|baseline| self.against(baseline, folder)));
        outcomes
    }

    fn against(&self, baseline: &RunResults, folder: &RunFolder) -> GateOutcome {
        let gate = self.arguments.drop_gate();
        let name = format!("that of `{}`", baseline.name());
        let results = RunResults::of_folder(folder).map_err(|error| error.to_string());
        let runs = results.and_then(|results| {
            let runs = [baseline.clone(), results];
            read_runs(&runs).map_err(|error| error.to_string())
        });
        let runs = match runs {
            Ok(runs) => runs,
            Err(why) => return gate.not_judged(&name, why),
        };
        match compare(&runs[0], &runs[1], 0.0) {
            Ok(comparison) => {
                let summary = comparison.summary();
                tell_few_grades(summary);
                gate.judge(summary, &name)
            }
            Err(nothing) => gate.not_judged(&name, nothing.to_string()),
        }
    }
}

fn check(baseline: &RunResults, going_on: Option<&RunFolder>) -> Result<(), Refused> {
    let is_same = going_on.is_some_and(|folder| folder.id().as_str() == baseline.name());
    if is_same {
        return Err(Refused::with_hint(
            "the baseline is the run that goes on",
            Some("name another run with `--baseline`".to_owned()),
        ));
    }
    let runs = read_runs(std::slice::from_ref(baseline));
    let runs = runs.map_err(|error| Refused::because(format!("the baseline: {error}")))?;
    runs.iter().for_each(tell_damaged);
    match runs.iter().all(|run| run.totals().trials == 0) {
        true => Err(Refused::because(format!(
            "the baseline `{}` has no results",
            baseline.name()
        ))),
        false => Ok(()),
    }
}
