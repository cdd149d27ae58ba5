//! The judges of two runs, and the differences between them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::cases::Case;
use super::labels::listed;
use super::run::ComparedRun;

/// The number of judges that are named.
const FEW: usize = 5;

/// The judges of two runs, if they differ: then a difference of scores may be one of judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferentJudges {
    /// The judges of the matched cases in the first run.
    pub a: Vec<Arc<str>>,
    /// The judges of the matched cases in the second run.
    pub b: Vec<Arc<str>>,
    /// The judges of both runs whose settings differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Arc<str>>,
}

impl DifferentJudges {
    /// Compares the judges of the matched cases; returns `None` if they are the same. A run that lacks a
    /// judge of the other has the same judges, as far as trials errored before that judge was asked.
    pub(super) fn between(
        a: &ComparedRun,
        b: &ComparedRun,
        cases: &[Case],
    ) -> Option<DifferentJudges> {
        let of = |run: &ComparedRun, is_first: bool| -> BTreeSet<Arc<str>> {
            let rows = cases.iter().flat_map(|case| {
                if is_first {
                    case.a.clone()
                } else {
                    case.b.clone()
                }
            });
            // Most trials have the same judges, whose names are stored once.
            let lists: BTreeSet<&Arc<str>> =
                rows.filter_map(|row| run.rows[row].judges()).collect();
            lists
                .into_iter()
                .flat_map(|names| names.lines())
                .map(Arc::from)
                .collect()
        };
        let (of_a, of_b) = (of(a, true), of(b, false));
        let common = of_a.intersection(&of_b);
        let changed = common.filter(|name| a.has_other_settings(b, name));
        let changed: Vec<Arc<str>> = changed.cloned().collect();
        let differ = !of_a.is_subset(&of_b) && !of_b.is_subset(&of_a);
        (differ || !changed.is_empty()).then(|| DifferentJudges {
            a: of_a.into_iter().collect(),
            b: of_b.into_iter().collect(),
            changed,
        })
    }

    /// Describes the difference. The labels name the runs.
    pub fn in_words(&self, [a, b]: [&str; 2]) -> String {
        let named = |names: &[Arc<str>]| listed(names.iter().map(|name| &**name), FEW);
        let found = match self.changed.as_slice() {
            [] => format!(
                "{a} was graded by {}, {b} by {}",
                named(&self.a),
                named(&self.b)
            ),
            changed => format!(
                "the settings of judge {} differ between {a} and {b}",
                named(changed)
            ),
        };
        format!("{found}: scores of different judges cannot be compared")
    }
}
