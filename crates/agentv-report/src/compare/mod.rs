//! Two runs, or several, held against each other.
//!
//! [`read_runs`] keeps of each run what a comparison needs: some hundred bytes a trial. [`compare`]
//! matches the trials of two of them and says how they differ, a [`Comparison`]; [`Pairwise`] does so
//! for every two of several. A [`ShownCases`] says which cases are shown, with the reasons of both
//! sides, and a [`ComparisonFormat`] how.

mod case_digest;
mod cases;
mod comparison;
mod difference_sentence;
mod families;
mod format;
mod json;
mod labels;
mod markdown;
mod matching;
mod pairs;
mod pairwise;
mod records;
mod run;
mod sentence;
mod shown_cases;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod totals;
mod wording;

pub use comparison::{Comparison, Figures, compare};
pub use families::Member;
pub use format::{ComparisonFormat, write_comparison, write_pairwise};
pub use matching::NothingShared;
pub use pairwise::{Pairwise, RunPair};
pub use run::{ComparedRun, read_runs};
pub use shown_cases::{ShownCase, ShownCases, ShownSide};
pub use summary::{ComparisonSummary, Statistics};
pub use totals::RunTotals;
