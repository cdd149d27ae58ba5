//! The money that a run has spent, by its records.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use agentv_core::{ResultRecord, TranscriptRecord};
use agentv_journal::{FileError, Line, RecordFile, RunFolder};
use serde::Deserialize;

use crate::schedule::budget::Spent;

/// The money that a run has spent on answers and judges: by target, and by trial. Work that was repeated
/// counts each time.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    by_target: HashMap<String, Spent>,
    /// The cost of each trial so far, by the digest of its name.
    trials: HashMap<u64, f64>,
    /// The cost of trials that were stopped between two requests, by the digest of the answer key. The next
    /// record with that key includes it.
    unfinished: HashMap<u64, f64>,
    /// Digests of the results whose judges are counted. A result may be written twice.
    grades: HashSet<u64>,
}

/// The cost in a transcript's record.
#[derive(Deserialize)]
struct PaidAnswer {
    eval_file: String,
    eval_id: String,
    target: String,
    trial: u32,
    answer_key: String,
    #[serde(default)]
    cached: bool,
    #[serde(default)]
    of_other_run: bool,
    #[serde(default)]
    unfinished: bool,
    transcript: PaidTranscript,
}

#[derive(Deserialize)]
struct PaidTranscript {
    #[serde(default)]
    cost_usd: Option<f64>,
}

/// The cost of judges in a result's record.
#[derive(Deserialize)]
struct PaidGrade {
    timestamp: String,
    eval_file: String,
    eval_id: String,
    target: String,
    trial: u32,
    grade_key: String,
    #[serde(default)]
    evaluator_results: Vec<PaidEvaluator>,
}

#[derive(Deserialize)]
struct PaidEvaluator {
    #[serde(default)]
    judge_calls: Vec<PaidCall>,
}

#[derive(Deserialize)]
struct PaidCall {
    target: String,
    #[serde(default)]
    cost_usd: Option<f64>,
}

impl Spending {
    /// Reads the records of a run.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub(crate) fn read(folder: &RunFolder) -> Result<Spending, FileError> {
        let mut spending = Spending::default();
        for line in folder.records::<PaidAnswer>(RecordFile::Transcripts)? {
            if let Line::Record(record) = line? {
                spending.add_paid_answer(&record.value);
            }
        }
        for line in folder.records::<PaidGrade>(RecordFile::Results)? {
            if let Line::Record(record) = line? {
                spending.add_paid_grade(&record.value);
            }
        }
        Ok(spending)
    }

    /// Returns the cost of each target and judge.
    pub(crate) fn by_target(&self) -> &HashMap<String, Spent> {
        &self.by_target
    }

    /// Adds an answer that was just recorded.
    pub(crate) fn add_answer(&mut self, record: &TranscriptRecord) {
        self.add_paid_answer(&PaidAnswer {
            eval_file: record.eval_file.to_string(),
            eval_id: record.eval_id.clone(),
            target: record.target.to_string(),
            trial: record.trial,
            answer_key: record.answer_key.clone(),
            cached: record.cached,
            of_other_run: record.of_other_run,
            unfinished: record.unfinished,
            transcript: PaidTranscript {
                cost_usd: record.transcript.cost_usd,
            },
        });
    }

    /// Adds the judges of a result, unless they are counted, and returns the cost of the trial that is not
    /// in the result: that of earlier answers and grades.
    pub(crate) fn replaced_by(&mut self, record: &ResultRecord) -> Option<f64> {
        let trial = digest((
            &*record.eval_file,
            &*record.eval_id,
            &*record.target,
            record.trial,
        ));
        let judges = record.judge_cost_usd();
        if judges.is_some()
            && self
                .grades
                .insert(grade(&record.timestamp, &record.grade_key))
        {
            *self.trials.entry(trial).or_default() += judges.unwrap_or_default();
        }
        let own = record.answer_cost_usd().unwrap_or_default() + judges.unwrap_or_default();
        let replaced = self.trials.get(&trial)? - own;
        // Differences below a billionth of a dollar come from the addition.
        let rounded = (replaced * 1e9).round() / 1e9;
        (rounded > 0.0).then_some(rounded)
    }

    fn add_paid_answer(&mut self, paid: &PaidAnswer) {
        let is_own = !paid.cached && !paid.of_other_run;
        let Some(cost) = paid.transcript.cost_usd.filter(|_| is_own) else {
            return;
        };
        let key = digest(&paid.answer_key);
        let before = self.unfinished.remove(&key).unwrap_or_default();
        let target = self.by_target.entry(paid.target.clone()).or_default();
        target.replace(before, cost);
        let trial = digest((&*paid.eval_file, &*paid.eval_id, &*paid.target, paid.trial));
        *self.trials.entry(trial).or_default() += cost - before;
        if paid.unfinished {
            self.unfinished.insert(key, cost);
        }
    }

    fn add_paid_grade(&mut self, paid: &PaidGrade) {
        let calls = paid.evaluator_results.iter();
        let calls = calls.flat_map(|result| &result.judge_calls);
        let costs: Vec<(&str, f64)> = calls
            .filter_map(|call| Some((&*call.target, call.cost_usd?)))
            .collect();
        if costs.is_empty() || !self.grades.insert(grade(&paid.timestamp, &paid.grade_key)) {
            return;
        }
        let trial = digest((&*paid.eval_file, &*paid.eval_id, &*paid.target, paid.trial));
        for (judge, cost) in costs {
            self.by_target
                .entry(judge.to_owned())
                .or_default()
                .add(cost);
            *self.trials.entry(trial).or_default() += cost;
        }
    }
}

fn grade(timestamp: &str, grade_key: &str) -> u64 {
    digest((timestamp, grade_key))
}

fn digest(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}
