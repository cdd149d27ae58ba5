//! The statistics of one run.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentv_core::{ResultRecord, Status};
use serde::Serialize;

use agentv_statistics::{
    CaseTrials, ClusteredFold, Detectable, Flakes, Interval, Level, PassAmongTrials, PassFold,
    Power, VarianceComponents, detectable_pass_rates, detectable_scores, flakes, pass_among,
    variance_components,
};

/// The statistics of one run. Errored and ungraded trials are excluded.
///
/// Several targets that answer the same cases are not independent, and their average says little
/// about any of them. Therefore a run with several targets has only the figures of each.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RunStatistics {
    /// The statistics of the run, if it has a single target.
    #[serde(flatten)]
    pub single: Option<TargetFigures>,
    /// The statistics of each target, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetStatistics>,
}

/// The statistics of one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetStatistics {
    /// Its name.
    pub target: Arc<str>,
    /// Its figures.
    #[serde(flatten)]
    pub figures: TargetFigures,
}

/// The figures of one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetFigures {
    /// The share of the graded trials that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<Interval>,
    /// The mean of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<Interval>,
    /// The smallest difference of pass rates that a comparison with another run of this size
    /// detects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable_pass_rate: Option<Detectable>,
    /// The smallest difference of mean scores that a comparison with another run of this size
    /// detects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable_mean_score: Option<Detectable>,
    /// The statistics of repeated trials; `None` if each case has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialStatistics>,
}

impl RunStatistics {
    /// Returns the figures of a target.
    pub fn of_target(&self, target: &str) -> Option<&TargetFigures> {
        let mut targets = self.targets.iter();
        let found = targets.find(|found| &*found.target == target);
        found.map(|found| &found.figures)
    }
}

/// The statistics of several trials of the same cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialStatistics {
    /// The probability that some, and that all, of k trials pass, for every k up to ten and for the
    /// largest number of trials.
    pub pass_among: Vec<PassAmongTrials>,
    /// The disagreement between the trials of a case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flakes: Option<Flakes>,
    /// The variance between cases and within a case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance: Option<VarianceComponents>,
    /// The cases whose trials disagree most, at most twenty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flaky_cases: Vec<FlakyCase>,
}

/// A case whose trials disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlakyCase {
    /// The eval file.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// The target.
    pub target: Arc<str>,
    /// The number of its trials that passed.
    pub passed: u64,
    /// The number of its graded trials.
    pub trials: u64,
}

/// The largest number of flaky cases that are named.
const NAMED: usize = 20;
/// The largest k, besides the largest number of trials, for which the probability is computed.
const LARGEST_K: u64 = 10;

/// A fold of records into [`RunStatistics`], in any order. Memory grows with the number of
/// conversations and, if cases have several trials, with the number of cases.
#[derive(Debug, Clone, Default)]
pub(crate) struct StatisticsFold {
    is_repeated: bool,
    targets: BTreeMap<Arc<str>, Group>,
}

/// The graded trials of one target.
#[derive(Debug, Clone, Default)]
struct Group {
    scores: ClusteredFold,
    passes: PassFold,
    /// The trials of each case, by file and id, if cases have several.
    cases: BTreeMap<CaseKey, CaseTrials>,
}

type CaseKey = (Arc<str>, String);

impl StatisticsFold {
    /// Creates a fold for a run with this many trials per case.
    pub(crate) fn of_trials(trials: u32) -> StatisticsFold {
        StatisticsFold {
            is_repeated: trials > 1,
            ..StatisticsFold::default()
        }
    }

    /// Adds the record of one trial.
    pub(crate) fn add(&mut self, record: &ResultRecord) {
        let passed = match record.status {
            Status::Pass => true,
            Status::Borderline | Status::Fail => false,
            Status::Error | Status::Ungraded => return,
        };
        let Some(score) = record.score else { return };
        let cluster = self.cluster_of(record);
        if !self.targets.contains_key(&record.target) {
            let target = Arc::clone(&record.target);
            self.targets.insert(target, Group::default());
        }
        let Some(group) = self.targets.get_mut(&record.target) else {
            return;
        };
        group.scores.add(score.value(), cluster.as_deref());
        group.passes.add(passed, cluster.as_deref());
        if self.is_repeated {
            let key = (Arc::clone(&record.eval_file), record.eval_id.clone());
            let trials = group.cases.entry(key);
            let trials = trials.or_insert_with(|| CaseTrials::new(cluster.map(Arc::from)));
            trials.add(score.value(), passed);
        }
    }

    /// Returns the name of the trials that are not independent of this one: those of the same
    /// conversation, or else of the same case.
    fn cluster_of(&self, record: &ResultRecord) -> Option<String> {
        let ResultRecord {
            eval_file, eval_id, ..
        } = record;
        match record.conversation_id.as_deref() {
            Some(conversation) => Some(format!("{eval_file}\n{conversation}")),
            // No conversation has this name.
            None => self
                .is_repeated
                .then(|| format!("\0{eval_file}\0{eval_id}")),
        }
    }

    /// Returns the statistics of all records.
    pub(crate) fn finish(&self) -> RunStatistics {
        let targets = self.targets.iter();
        let targets: Vec<TargetStatistics> = targets
            .map(|(target, group)| TargetStatistics {
                target: Arc::clone(target),
                figures: group.figures(target, self.is_repeated),
            })
            .collect();
        RunStatistics {
            single: match &targets[..] {
                [only] => Some(only.figures.clone()),
                _ => None,
            },
            targets,
        }
    }
}

impl Group {
    fn figures(&self, target: &Arc<str>, is_repeated: bool) -> TargetFigures {
        let (level, power) = (Level::NINETY_FIVE, Power::EIGHTY);
        let pass_rate = self.passes.interval(level);
        let mean_score = self.scores.score_interval(level);
        let graded = self.scores.count();
        // Clustered trials carry as much information as the number of independent ones with the
        // same error.
        let spread = mean_score.and_then(|mean| {
            let error = mean.standard_error?;
            Some(error * (graded as f64).sqrt())
        });
        let independent = pass_rate.and_then(|rate| rate.effective_n);
        let independent = independent.map_or(graded, |effective| effective as u64);
        TargetFigures {
            pass_rate,
            mean_score,
            detectable_pass_rate: detectable_pass_rates(independent, level, power),
            detectable_mean_score: spread
                .and_then(|spread| detectable_scores(spread, graded, level, power))
                // No two means differ by more than 1.
                .filter(|shown| shown.difference <= 1.0),
            trials: is_repeated.then(|| self.trials(target)),
        }
    }

    fn trials(&self, target: &Arc<str>) -> TrialStatistics {
        let most = self.cases.values().map(CaseTrials::trials).max();
        let most = most.unwrap_or(0);
        let mut ks: Vec<u64> = (1..=most.min(LARGEST_K)).collect();
        if most > LARGEST_K {
            ks.push(most);
        }
        let among = ks
            .iter()
            .filter_map(|k| pass_among(self.cases.values(), *k));
        TrialStatistics {
            pass_among: among.collect(),
            flakes: flakes(self.cases.values()),
            variance: variance_components(self.cases.values()),
            flaky_cases: self.flaky_cases(target),
        }
    }

    fn flaky_cases(&self, target: &Arc<str>) -> Vec<FlakyCase> {
        let flaky = self.cases.iter().filter(|(_, trials)| trials.is_flaky());
        let mut flaky: Vec<(&CaseKey, &CaseTrials)> = flaky.collect();
        let disagreement = |trials: &CaseTrials| trials.disagreement().unwrap_or(0.0);
        flaky.sort_by(|(_, one), (_, other)| disagreement(other).total_cmp(&disagreement(one)));
        let named = flaky.into_iter().take(NAMED);
        named
            .map(|((eval_file, eval_id), trials)| FlakyCase {
                eval_file: Arc::clone(eval_file),
                eval_id: eval_id.clone(),
                target: Arc::clone(target),
                passed: trials.passed(),
                trials: trials.trials(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{errored, graded};
    use agentv_statistics::IntervalMethod;

    fn all(trials: u32, records: &[ResultRecord]) -> RunStatistics {
        let mut fold = StatisticsFold::of_trials(trials);
        records.iter().for_each(|record| fold.add(record));
        fold.finish()
    }

    fn statistics(trials: u32, records: &[ResultRecord]) -> TargetFigures {
        all(trials, records).single.unwrap()
    }

    fn trial(id: &str, trial: u32, score: f64) -> ResultRecord {
        ResultRecord {
            trial,
            ..graded(id, score)
        }
    }

    #[test]
    fn errored_trials_are_excluded() {
        let records = [
            graded("a", 1.0),
            graded("b", 0.0),
            errored("c", "no answer"),
        ];
        let found = statistics(1, &records);
        let rate = found.pass_rate.unwrap();
        assert_eq!((rate.estimate, rate.n), (0.5, 2));
        assert_eq!(rate.method, IntervalMethod::Wilson);
        assert_eq!(found.mean_score.unwrap().n, 2);
        assert_eq!(found.trials, None);
    }

    #[test]
    fn the_trials_of_a_case_are_not_independent() {
        let records: Vec<ResultRecord> = (1..=4)
            .flat_map(|number| [trial("a", number, 1.0), trial("b", number, 0.0)])
            .collect();
        let found = statistics(4, &records);
        let rate = found.pass_rate.unwrap();
        assert_eq!(rate.method, IntervalMethod::WilsonClustered);
        assert_eq!((rate.n, rate.clusters), (8, Some(2)));
        assert_eq!(rate.effective_n, Some(2.0));
        let trials = found.trials.unwrap();
        assert_eq!(trials.pass_among.len(), 4);
        assert_eq!(trials.flakes.unwrap().flaky, 0);
        assert_eq!(trials.variance.unwrap().within, 0.0);
    }

    #[test]
    fn trials_that_all_end_alike_count_once_a_case() {
        let records: Vec<ResultRecord> = (1..=5).map(|number| trial("a", number, 0.0)).collect();
        let rate = statistics(5, &records).pass_rate.unwrap();
        assert_eq!((rate.low, rate.n, rate.clusters), (0.0, 5, Some(1)));
        assert!(rate.high > 0.7, "one case says little: {rate:?}");
    }

    #[test]
    fn a_case_that_passes_once_is_flaky_and_named() {
        let records = [
            trial("a", 1, 1.0),
            trial("a", 2, 0.0),
            trial("b", 1, 1.0),
            trial("b", 2, 1.0),
        ];
        let trials = statistics(2, &records).trials.unwrap();
        assert_eq!(trials.flakes.unwrap().flake_rate, 0.5);
        let names: Vec<&str> = trials
            .flaky_cases
            .iter()
            .map(|case| case.eval_id.as_str())
            .collect();
        assert_eq!(names, ["a"]);
        let both = trials.pass_among[1];
        assert_eq!((both.k, both.pass_at_k, both.pass_hat_k), (2, 1.0, 0.5));
    }

    #[test]
    fn conversations_are_clusters() {
        let of = |id: &str, conversation: &str, score| ResultRecord {
            conversation_id: Some(conversation.to_owned()),
            ..graded(id, score)
        };
        let records = [of("a", "x", 1.0), of("b", "x", 1.0), of("c", "y", 0.0)];
        let mean = statistics(1, &records).mean_score.unwrap();
        assert_eq!((mean.n, mean.clusters), (3, Some(2)));
    }

    #[test]
    fn two_targets_on_the_same_cases_are_not_one_pool() {
        let of = |target: &str, score| ResultRecord {
            target: target.into(),
            ..graded("a", score)
        };
        let found = all(1, &[of("x", 1.0), of("y", 0.0)]);
        assert_eq!(found.single, None);
        let rates: Vec<(f64, u64)> = found
            .targets
            .iter()
            .filter_map(|target| target.figures.pass_rate)
            .map(|rate| (rate.estimate, rate.n))
            .collect();
        assert_eq!(rates, [(1.0, 1), (0.0, 1)]);
        let written = serde_json::to_value(&found).unwrap();
        assert!(written.get("pass_rate").is_none());
        assert_eq!(written["targets"][0]["pass_rate"]["estimate"], 1.0);
    }

    #[test]
    fn the_same_conversation_id_in_two_files_is_two_conversations() {
        let of = |file: &str| ResultRecord {
            eval_file: file.into(),
            conversation_id: Some("1".to_owned()),
            ..graded("a", 1.0)
        };
        let rate = statistics(1, &[of("x.yaml"), of("y.yaml")]).pass_rate;
        assert_eq!((rate.unwrap().n, rate.unwrap().clusters), (2, None));
    }
}
