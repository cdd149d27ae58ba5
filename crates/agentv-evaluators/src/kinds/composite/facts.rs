//! Facts about a composite: those of its members and its aggregator together.

use std::path::{Path, PathBuf};

use agentv_core::{Effort, Judge};

use super::aggregator;
use super::evaluator::refuse_too_deep;
use crate::error::BuildError;
use crate::kind::EvaluatorKind;
use crate::kinds;
use crate::options::Options;

/// Returns the kind and the options of each member whose kind is known.
fn members<'a>(options: &Options<'a>) -> Vec<(&'static EvaluatorKind, Options<'a>)> {
    let members = options.objects("evaluators").ok().flatten();
    let members = members.unwrap_or_default().into_iter();
    members
        .filter_map(|member| {
            let kind = member.text("type").ok().flatten()?;
            Some((kinds::named(kind)?, member))
        })
        .collect()
}

fn aggregator<'a>(options: &Options<'a>) -> Option<Options<'a>> {
    options.object("aggregator").ok().flatten()
}

/// Returns the largest effort of a member or of the aggregator.
pub(super) fn effort(options: &Options<'_>) -> Effort {
    let members = members(options);
    let members = members.iter();
    let efforts = members.map(|(kind, member)| (kind.facts.effort)(member));
    let own = aggregator::effort(aggregator(options).as_ref());
    efforts.fold(own, Effort::max)
}

/// Returns the judges that the members and the aggregator ask.
pub(super) fn judges(options: &Options<'_>) -> Result<Vec<Judge>, BuildError> {
    refuse_too_deep(options)?;
    let mut judges = Vec::new();
    for member in options.objects("evaluators")?.unwrap_or_default() {
        let kind = member.required_text("type")?;
        let Some(known) = kinds::named(kind) else {
            return Err(member.unknown_kind(kind));
        };
        judges.extend((known.facts.judges)(&member)?);
    }
    judges.extend(aggregator::judges(options.object("aggregator")?.as_ref())?);
    Ok(judges)
}

/// Returns true if a member or the aggregator runs a command.
pub(super) fn runs_commands(options: &Options<'_>) -> bool {
    let members = members(options);
    let mut members = members.iter();
    members.any(|(kind, member)| (kind.facts.runs_commands)(member))
        || aggregator::runs_commands(aggregator(options).as_ref())
}

/// Returns true if a member works in the workspace of a trial.
pub(super) fn needs_workspace(options: &Options<'_>) -> bool {
    let members = members(options);
    let mut members = members.iter();
    members.any(|(kind, member)| (kind.facts.needs_workspace)(member))
}

/// Returns the cases whose answers members compare.
pub(super) fn compares(options: &Options<'_>) -> Option<Vec<String>> {
    let members = members(options);
    let compared = members.iter();
    let compared = compared.filter_map(|(kind, member)| (kind.facts.compares)(member));
    compared.reduce(|mut all, more| {
        all.extend(more);
        all
    })
}

/// Returns the files that the members and the aggregator read.
pub(super) fn files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let members = members(options);
    let members = members.iter();
    let mut files: Vec<PathBuf> = members
        .flat_map(|(kind, member)| (kind.facts.files)(member, root))
        .collect();
    files.extend(aggregator::files(aggregator(options).as_ref(), root));
    files
}
