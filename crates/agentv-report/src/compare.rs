//! Two runs, or several, held against each other.
//!
//! [`read_runs`] keeps of each run what a comparison needs: some hundred bytes a trial. [`compare`]
//! matches the trials of two of them and says how they differ, a [`Comparison`]; [`Pairwise`] does so
//! for every two of several. A [`Showing`] says which cases are shown, with the reasons of both
//! sides, and a [`ComparisonFormat`] how.

mod case_digest;
mod cases;
mod comparison;
mod difference_sentence;
mod families;
mod format;
mod json;
mod markdown;
mod matching;
mod named;
mod pairs;
mod pairwise;
mod records;
mod run;
mod sentence;
mod showing;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod told;
mod totals;

pub use comparison::{Comparison, Figures, compare};
pub use families::Member;
pub use format::{ComparisonFormat, write_comparison, write_pairwise};
pub use matching::NothingShared;
pub use pairwise::{Pairwise, RunPair};
pub use run::{ComparedRun, read_runs};
pub use showing::{Showing, ShownCase, ShownSide};
pub use summary::{ComparisonSummary, Statistics};
pub use totals::RunTotals;
