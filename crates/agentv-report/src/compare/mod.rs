//! Comparisons of two or more runs.
//!
//! [`read_runs`] keeps about a hundred bytes per trial of each run. [`compare`] matches the cases
//! of two runs and returns a [`Comparison`]; [`Pairwise`] compares every two of several runs.
//! [`SideBySide`] has a row per case and a cell per run. [`ShownCases`] are the cases that differ most, with the reasons of both runs, and a
//! [`ComparisonFormat`] is the form of the output.

mod case_digest;
mod cases;
mod comparison;
mod difference_sentence;
mod drop_gate;
mod families;
mod format;
mod json;
mod judges;
mod labels;
mod markdown;
mod matching;
mod pairs;
mod pairwise;
mod records;
mod renamed_files;
mod run;
mod sentence;
mod shown_cases;
mod side_by_side;
mod side_rows;
mod statistics;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod totals;
mod wording;

pub use comparison::{Comparison, Figures, compare};
pub use drop_gate::{DropGate, GateRule};
pub use families::Member;
pub use format::{ComparisonFormat, write_comparison, write_pairwise};
pub use judges::DifferentJudges;
pub use matching::NothingShared;
pub use pairwise::{Pairwise, RunPair};
pub use run::{ComparedRun, read_runs};
pub use shown_cases::{ShownCase, ShownCases, ShownSide};
pub use side_by_side::{SideBySide, SideCell, SideFilter, SideOrder, SideRow};
pub use statistics::Statistics;
pub use summary::{ComparisonSummary, ScoreDifference};
pub use totals::RunTotals;
