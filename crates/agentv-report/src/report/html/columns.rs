//! The data of each trial for lists, filters and sorting, in columns.

use std::collections::HashMap;
use std::hash::Hash;

use agentv_core::{ResultRecord, Status};
use serde::Serialize;

use super::details::Detail;
use crate::said::said;
use crate::text::excerpt;

/// The number of bytes of a question or a reason in a list.
const SHORT: usize = 200;

/// The rows of some trials: the values of each column, in the order of the trials.
#[derive(Debug, Default, Serialize)]
pub(super) struct Columns {
    /// The index of their run.
    run: usize,
    files: Table<String>,
    targets: Table<String>,
    /// Name and type.
    evaluators: Table<(String, String)>,
    id: Vec<String>,
    /// Indices into `files`.
    file: Vec<u32>,
    /// Indices into `targets`.
    target: Vec<u32>,
    trial: Vec<u32>,
    /// Indices into [`Status::ALL`].
    status: Vec<u8>,
    score: Vec<Option<f64>>,
    /// The duration of the call, if it was measured.
    ms: Vec<Option<f64>>,
    /// The cost of the answer, if it is known.
    cost: Vec<Option<f64>>,
    question: Vec<String>,
    reason: Vec<String>,
    /// Three numbers per evaluator of each trial: its index in `evaluators`, its score, and its
    /// verdict as an index into [`SAID`](crate::SAID).
    results: Vec<Vec<Option<f64>>>,
    /// The number of trials in each block of details.
    details: Vec<u32>,
}

impl Columns {
    pub(super) fn of_run(run: usize) -> Columns {
        Columns {
            run,
            ..Columns::default()
        }
    }

    /// Returns the number of trials.
    pub(super) fn len(&self) -> usize {
        self.id.len()
    }

    pub(super) fn push(&mut self, record: &ResultRecord, question: &str) {
        self.id.push(record.eval_id.clone());
        self.file.push(self.files.place(&record.eval_file));
        self.target.push(self.targets.place(&record.target));
        self.trial.push(record.trial);
        let status = Status::ALL.iter().position(|one| *one == record.status);
        self.status.push(status.unwrap_or_default() as u8);
        self.score.push(record.score.map(|score| score.value()));
        self.ms
            .push(record.timing.total_ms.map(|ms| round(ms, 1e2)));
        self.cost
            .push(record.answer_cost_usd().map(|cost| round(cost, 1e9)));
        self.question.push(excerpt(question, SHORT));
        self.reason
            .push(excerpt(record.reason().unwrap_or_default(), SHORT));
        let mut results = Vec::with_capacity(3 * record.evaluator_results.len());
        for result in &record.evaluator_results {
            let place = self.evaluators.place_of_pair(&result.name, &result.kind);
            let score = result.score.map(|score| round(score.value(), 1e6));
            results.extend([
                Some(f64::from(place)),
                score,
                Some(f64::from(said(
                    result.score,
                    result.verdict,
                    result.skipped.is_some(),
                ))),
            ]);
        }
        self.results.push(results);
    }

    /// Sets the number of trials in each block of details.
    pub(super) fn divided(&mut self, details: &[Detail]) {
        self.details = details.iter().map(|detail| detail.trials).collect();
    }
}

fn round(value: f64, units: f64) -> f64 {
    let rounded = (value * units).round() / units;
    if rounded.is_finite() { rounded } else { value }
}

/// Repeated values, each stored once.
#[derive(Debug)]
struct Table<T> {
    values: Vec<T>,
    places: HashMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            values: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn add(&mut self, value: T) -> u32 {
        let place = self.values.len() as u32;
        self.values.push(value.clone());
        self.places.insert(value, place);
        place
    }
}

impl Table<String> {
    fn place(&mut self, value: &str) -> u32 {
        let known = self.places.get(value).copied();
        known.unwrap_or_else(|| self.add(value.to_owned()))
    }
}

impl Table<(String, String)> {
    fn place_of_pair(&mut self, first: &str, second: &str) -> u32 {
        // Most cases have the same few evaluators, so a linear search is faster than a copy for a
        // lookup.
        let near = self.values.iter().take(16);
        let mut near = near.zip(0..);
        if let Some((_, place)) = near.find(|(value, _)| value.0 == first && value.1 == second) {
            return place;
        }
        let pair = (first.to_owned(), second.to_owned());
        let known = self.places.get(&pair).copied();
        known.unwrap_or_else(|| self.add(pair))
    }
}

impl<T: Serialize> Serialize for Table<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said::SAID;

    #[test]
    fn the_page_calls_what_evaluators_say_the_same() {
        let script = super::super::page::FilePage::trials(false).script();
        assert!(script.contains(&format!(
                "const SAID = {};",
                serde_json::to_string(&SAID)
                    .unwrap()
                    .replace("\",\"", "\", \"")
            )));
        let statuses: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
        let statuses = serde_json::to_string(&statuses)
            .unwrap()
            .replace("\",\"", "\", \"");
        assert!(script.contains(&format!("const STATUSES = {statuses};")));
    }
}
