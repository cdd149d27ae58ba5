//! Folding records into a summary.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use agentv_core::{ReportError, Reporter, ResultRecord, RunEvent, Status, TokenUsage};

use super::amount::Amount;
use super::costs::{CostFold, Costs};
use super::errors::ErrorFold;
use super::extremes::Top;
use super::judges::JudgesFold;
use super::latency::LatencyFold;
use super::scores::{Moments, ScoreCounts};
use super::thresholds::ThresholdFold;
use super::{
    CostlyTrial, KeptWorkspaces, Scores, SlowTrial, Statuses, Summary, TargetSummary, Tokens,
    WorstTrial,
};

/// A fold of records into a [`Summary`], in a few bytes per case.
///
/// The order of the records changes nothing, to the last bit: sums are exact, and lists have a
/// total order. So the summary of a resumed run equals that of an uninterrupted one. It is also a
/// [`Reporter`], and then takes every record of the run, including reused ones.
#[derive(Debug, Clone, Default)]
pub struct SummaryFold {
    /// Digests of the cases.
    cases: HashSet<u64>,
    statuses: Statuses,
    scores: ScoreCounts,
    thresholds: ThresholdFold,
    cached: u64,
    redacted: u64,
    outdated: u64,
    dry_run: u64,
    retried: u64,
    costs: CostFold,
    tokens: Option<Tokens>,
    judge_tokens: Option<Tokens>,
    judges: JudgesFold,
    truncated: u64,
    out_of_steps: u64,
    kept_workspaces: Option<KeptWorkspaces>,
    latency: LatencyFold,
    first_token: LatencyFold,
    worst: Top<WorstTrial>,
    slowest: Top<SlowTrial>,
    costliest: Top<CostlyTrial>,
    errors: ErrorFold,
    targets: BTreeMap<Arc<str>, GroupFold>,
}

/// The main figures of some of the records, in a few bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupFold {
    pub(crate) statuses: Statuses,
    scores: Moments,
    costs: CostFold,
    /// The targets that judged answers of their own.
    self_judged: BTreeSet<Arc<str>>,
}

impl GroupFold {
    pub(crate) fn add(&mut self, record: &ResultRecord) {
        self.statuses.add(record.status);
        if let Some(score) = graded_score(record) {
            self.scores.add(score);
        }
        self.costs.add(record);
        if !self.self_judged.contains(&record.target) && record.is_self_judged() {
            self.self_judged.insert(Arc::clone(&record.target));
        }
    }

    pub(crate) fn mean_score(&self) -> Option<f64> {
        self.scores.mean()
    }

    pub(crate) fn costs(&self) -> Costs {
        self.costs.finish()
    }

    /// Returns the targets that judged answers of their own, by name.
    pub(crate) fn self_judged(&self) -> Vec<Arc<str>> {
        self.self_judged.iter().cloned().collect()
    }
}

impl SummaryFold {
    /// Returns an empty fold.
    pub fn new() -> SummaryFold {
        SummaryFold::default()
    }

    fn add_workspace(&mut self, folder: &str) {
        let kept = self.kept_workspaces.get_or_insert_with(|| KeptWorkspaces {
            count: 0,
            first: folder.to_owned(),
        });
        kept.count += 1;
        if *folder < *kept.first {
            kept.first = folder.to_owned();
        }
    }

    /// Adds the record of one trial.
    pub fn add(&mut self, record: &ResultRecord) {
        self.cases.insert(case_digest(record));
        self.statuses.add(record.status);
        self.cached += u64::from(record.cached);
        self.redacted += u64::from(record.redacted);
        self.outdated += u64::from(record.outdated.is_some());
        self.dry_run += u64::from(record.dry_run);
        self.retried += u64::from(record.attempts > 1);
        self.truncated += u64::from(record.truncated);
        self.out_of_steps += u64::from(record.out_of_steps);
        if let Some(folder) = &record.workspace {
            self.add_workspace(folder);
        }
        self.worst.offer_worst(record);
        if let Some(error) = &record.error {
            self.errors.add(error);
        }
        if record.is_own_answer() {
            self.add_tokens(record);
        }
        if !record.cached {
            self.add_time(record);
        }
        self.add_judges(record);
        self.add_graded(record);
    }

    fn add_tokens(&mut self, record: &ResultRecord) {
        let trace = record.trace_summary.as_ref();
        if let Some(usage) = trace.and_then(|trace| trace.token_usage) {
            self.tokens.get_or_insert_default().add(&usage);
        }
    }

    /// Adds the tokens of the judges.
    fn add_judges(&mut self, record: &ResultRecord) {
        self.judges.add_record(record);
        for call in record.judge_calls() {
            let Some(usage) = call.token_usage else {
                continue;
            };
            self.judge_tokens.get_or_insert_default().add(&usage);
        }
    }

    fn add_time(&mut self, record: &ResultRecord) {
        let measured = record.timing.total_ms;
        let Some(total_ms) = measured.filter(|ms| ms.is_finite() && *ms >= 0.0) else {
            return;
        };
        self.slowest.offer_slow(record, total_ms);
        if record.status != Status::Error {
            self.latency.add(total_ms);
            let first = record.timing.first_token_ms;
            if let Some(first) = first.filter(|ms| ms.is_finite() && *ms >= 0.0) {
                self.first_token.add(first);
            }
        }
    }

    /// Adds the score and cost to those of all records and of the target.
    fn add_graded(&mut self, record: &ResultRecord) {
        if !self.targets.contains_key(&record.target) {
            let target = Arc::clone(&record.target);
            self.targets.insert(target, GroupFold::default());
        }
        if let Some(target) = self.targets.get_mut(&record.target) {
            target.add(record);
        }
        if let Some(score) = graded_score(record) {
            self.scores.add(score);
            record
                .pass_threshold
                .into_iter()
                .for_each(|threshold| self.thresholds.add(threshold));
        }
        self.costs.add(record);
        let paid = record.answer_cost_usd();
        let is_notable =
            |dollars: &f64| Amount::of(*dollars).is_some_and(|paid| paid > Amount::default());
        if let Some(dollars) = paid.filter(is_notable) {
            self.costliest.offer_costly(record, dollars);
        }
    }

    /// Returns the moments of all scores: each score belongs to one target.
    fn moments(&self) -> Moments {
        let mut all = Moments::default();
        let targets = self.targets.values();
        targets.for_each(|target| all.join(&target.scores));
        all
    }

    /// Returns the summary of all records; `skipped` is the number of skipped cases.
    pub fn finish(&self, skipped: u64) -> Summary {
        // The average of several targets is the figure of none of them.
        let is_single = self.targets.len() < 2;
        let scores = self.scores.finish(&self.moments());
        Summary {
            trials: self.statuses.total(),
            cases: self.cases.len() as u64,
            skipped,
            statuses: self.statuses,
            graded: self.statuses.graded(),
            pass_rate: self.statuses.pass_rate().filter(|_| is_single),
            scores: scores.map(|scores| {
                if is_single {
                    scores
                } else {
                    scores.without_averages()
                }
            }),
            pass_thresholds: self.thresholds.finish(),
            cached: self.cached,
            redacted: self.redacted,
            outdated: self.outdated,
            dry_run: self.dry_run,
            retried: self.retried,
            costs: self.costs.finish(),
            tokens: self.tokens,
            judge_tokens: self.judge_tokens,
            self_judged: self
                .targets
                .values()
                .flat_map(GroupFold::self_judged)
                .collect(),
            different_judges: self.judges.finish(),
            truncated: self.truncated,
            out_of_steps: self.out_of_steps,
            kept_workspaces: self.kept_workspaces.clone(),
            latency: self.latency.finish(),
            first_token: self.first_token.finish(),
            worst: self.worst.finish(),
            slowest: self.slowest.finish(),
            costliest: self.costliest.finish(),
            errors: self.errors.finish(),
            targets: self.targets.iter().map(target_summary).collect(),
        }
    }
}

impl Scores {
    fn without_averages(self) -> Scores {
        Scores {
            mean: None,
            median: None,
            standard_deviation: None,
            ..self
        }
    }
}

/// Returns a digest of the case of a record.
fn case_digest(record: &ResultRecord) -> u64 {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    hasher.hash_one((&*record.eval_file, &record.eval_id))
}

impl Tokens {
    fn add(&mut self, usage: &TokenUsage) {
        self.input = self.input.saturating_add(usage.input);
        self.output = self.output.saturating_add(usage.output);
        self.cached = self.cached.saturating_add(usage.cached.unwrap_or(0));
    }
}

/// Returns the score of a graded trial.
pub(crate) fn graded_score(record: &ResultRecord) -> Option<agentv_core::Score> {
    match record.status {
        Status::Pass | Status::Borderline | Status::Fail => record.score,
        Status::Error | Status::Ungraded => None,
    }
}

fn target_summary((target, fold): (&Arc<str>, &GroupFold)) -> TargetSummary {
    TargetSummary {
        target: Arc::clone(target),
        statuses: fold.statuses,
        pass_rate: fold.statuses.pass_rate(),
        mean_score: fold.mean_score(),
        costs: fold.costs(),
    }
}

impl Reporter for SummaryFold {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if let RunEvent::Finished { record, .. } = event {
            self.add(record);
        }
        Ok(())
    }
}
