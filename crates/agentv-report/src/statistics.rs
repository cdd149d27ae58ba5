//! How sure the figures of a run are, and whether two runs differ.
//!
//! Pure functions and small types: nothing is read or written here. What they return serialises
//! with snake_case names, and no result depends on the order of its input, to the last bit. Values
//! are finite numbers.
//!
//! - one run: [`pass_rate`] and [`mean_score`] with their intervals, [`ScoreFold`] and
//!   [`ClusteredFold`] for streams;
//! - several trials a case: [`CaseTrials`], [`pass_among`] them, [`flakes`],
//!   [`variance_components`];
//! - two runs: [`Pair`], [`paired_difference`] and its [`sentence`], [`mcnemar`],
//!   [`permutation_test`], [`is_significant`], [`wins`], [`holm`] where there are several
//!   comparisons, and what difference they would show, [`detectable_by`] and
//!   [`detectable_paired_pass_rates`];
//! - before the other run: what difference a suite would show, [`detectable_scores`],
//!   [`detectable_pass_rates`].

mod binomial;
mod clustered;
mod detectable;
mod difference;
mod distributions;
mod exact;
mod flakes;
mod fold;
mod holm;
mod interval;
mod level;
mod mcnemar;
mod pairs;
mod permutation;
mod random;
mod sentence;
mod significance;
mod trials;
mod variance;
mod wilson;
mod wins;

pub use clustered::{ClusteredFold, mean_score};
pub use detectable::{
    Detectable, DetectableMethod, detectable_by, detectable_paired_pass_rates,
    detectable_pass_rates, detectable_scores,
};
pub use difference::{PairedDifference, paired_difference};
pub use flakes::{Flakes, flakes};
pub use fold::ScoreFold;
pub use holm::holm;
pub use interval::{Bounds, Interval, IntervalMethod, TooFew};
pub use level::{Level, Power};
pub use mcnemar::{McNemar, McNemarMethod, mcnemar};
pub use pairs::{Pair, PassTable};
pub use permutation::{PermutationMethod, PermutationTest, permutation_test};
pub use sentence::sentence;
pub use significance::{is_significant, is_significantly_below};
pub use trials::{CaseTrials, PassAmongTrials, pass_among, pass_at_k, pass_hat_k};
pub use variance::{VarianceComponents, variance_components};
pub use wilson::pass_rate;
pub use wins::{Outcome, Wins, wins};
