//! The difference between two runs on the cases they share.

use serde::{Serialize, Serializer};

use crate::{
    Bounds, ClusteredFold, Detectable, Interval, Level, Pair, Power, ScoreFold, TooFew,
    detectable_by,
};

/// The smallest number of cases, or of clusters, for which a permutation test can have a p-value
/// below 0.05.
const FEWEST: u64 = 6;

/// The mean difference of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedDifference {
    /// The mean of the first run.
    pub mean_a: f64,
    /// The mean of the second run.
    pub mean_b: f64,
    /// The mean of the differences, second minus first, with its interval. If all differences are equal, both
    /// ends are the mean, and only the mean is serialised: such an interval is that of the t distribution as
    /// the variance approaches 0, which is right for a test, but claims to know how much other cases differ.
    #[serde(serialize_with = "with_or_without_ends")]
    pub difference: Interval,
    /// The number of clusters that have a name, if the interval is of clusters; the others are
    /// single cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversations: Option<u64>,
    /// The smallest difference that this comparison detects four times out of five. `None` if all
    /// differences are equal, or too few for any to be significant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<Detectable>,
}

/// A mean without an interval.
#[derive(Serialize)]
struct Mean {
    estimate: f64,
    n: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<u64>,
}

fn with_or_without_ends<S: Serializer>(found: &Interval, serializer: S) -> Result<S::Ok, S::Error> {
    if found.has_width() {
        return found.serialize(serializer);
    }
    let Interval {
        estimate,
        n,
        clusters,
        ..
    } = *found;
    Mean {
        estimate,
        n,
        clusters,
    }
    .serialize(serializer)
}

impl PairedDifference {
    /// Returns the reason why the interval must not be shown, if there is one.
    pub fn no_interval(&self) -> Option<TooFew> {
        (!self.difference.has_width()).then_some(TooFew::NoVariation)
    }
}

/// Returns the mean of b − a over cases, with the interval of [`ClusteredFold`]: cases of one
/// cluster count as one as far as they agree. Average the trials of a case first if there are
/// several.
///
/// The interval assumes that means are about normal. With few cases and scores that are mostly 0 or
/// 1 it is rough; [`permutation_test`] is exact then.
///
/// [`permutation_test`]: crate::permutation_test
pub fn paired_difference(
    pairs: &[Pair<'_>],
    level: Level,
    bounds: Bounds,
) -> Result<PairedDifference, TooFew> {
    let (mut a, mut b) = (ScoreFold::new(), ScoreFold::new());
    let mut differences = ClusteredFold::new();
    for pair in pairs {
        a.add(pair.a);
        b.add(pair.b);
        differences.add(pair.difference(), pair.cluster);
    }
    let difference = differences.interval(level, bounds)?;
    Ok(PairedDifference {
        mean_a: a.mean().ok_or(TooFew::NoValues)?,
        mean_b: b.mean().ok_or(TooFew::NoValues)?,
        detectable: detectable_by(&difference, Power::EIGHTY)
            .filter(|_| difference.clusters.unwrap_or(difference.n) >= FEWEST),
        conversations: difference.clusters.map(|_| differences.named_clusters()),
        difference,
    })
}
