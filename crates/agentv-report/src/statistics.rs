//! How sure the figures of a run are.
//!
//! Pure functions and small types: nothing is read or written here. What they return serialises
//! with snake_case names, and no result depends on the order of its input, to the last bit. Values
//! are finite numbers.

mod clustered;
mod distributions;
mod exact;
mod flakes;
mod fold;
mod histogram;
mod interval;
mod level;
mod quantiles;
mod trials;
mod variance;
mod wilson;

pub use clustered::{ClusteredFold, mean_score};
pub use flakes::{Flakes, flakes};
pub use fold::ScoreFold;
pub use histogram::Histogram;
pub use interval::{Bounds, Interval, IntervalMethod, TooFew};
pub use level::Level;
pub use quantiles::Quantiles;
pub use trials::{CaseTrials, PassAmongTrials, pass_among, pass_at_k, pass_hat_k};
pub use variance::{VarianceComponents, variance_components};
pub use wilson::pass_rate;
