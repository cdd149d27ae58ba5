//! Pure functions: intervals, tests, agreement.
//!
//! Nothing is read or written here. Results serialise with snake_case names and do not depend on the
//! order of the input, to the last bit. All values are finite numbers.
//!
//! - One run: [`pass_rate`] and [`mean_score`] with their intervals, [`ScoreFold`], [`PassFold`] and
//!   [`ClusteredFold`] for streams.
//! - Several trials per case: [`CaseTrials`], [`pass_among`], [`flakes`], [`variance_components`].
//! - Two runs: [`Pair`], [`paired_difference`], [`mcnemar`], [`permutation_test`],
//!   [`case_permutation_test`], [`is_significant`], [`wins`], [`holm`] for several comparisons, and the smallest difference that
//!   they can detect: [`detectable_by`] and [`detectable_paired_pass_rates`].
//! - One run, before the other exists: the smallest difference that a suite can detect,
//!   [`detectable_scores`] and [`detectable_pass_rates`].
//! - Two raters: [`kappa`] and [`weighted_kappa`] with their intervals, [`spearman`].
//!
//! The tests compare all of these with scipy, statsmodels and scikit-learn.

mod binomial;
mod cluster_bounds;
mod clustered;
mod detectable;
mod difference;
mod distributions;
mod exact;
mod flakes;
mod fold;
mod holm;
mod interval;
mod kappa;
mod level;
mod mcnemar;
mod pairs;
mod pass_fold;
mod permutation;
mod random;
mod relabelling;
mod score_interval;
mod significance;
mod spearman;
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
pub use kappa::{kappa, kappa_interval, weighted_kappa, weighted_kappa_interval};
pub use level::{Level, Power};
pub use mcnemar::{McNemar, McNemarMethod, mcnemar};
pub use pairs::{Pair, PassTable};
pub use pass_fold::PassFold;
pub use permutation::{PermutationMethod, PermutationTest, permutation_test};
pub use relabelling::{CasePair, CaseValues, case_permutation_test};
pub use significance::{is_significant, is_significantly_below};
pub use spearman::spearman;
pub use trials::{CaseTrials, PassAmongTrials, pass_among, pass_at_k, pass_hat_k};
pub use variance::{VarianceComponents, variance_components};
pub use wilson::pass_rate;
pub use wins::{PairOutcome, Wins, wins};
