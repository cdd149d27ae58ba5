//! The filter of a request, in the words that the address of the page uses.

use agentv_core::Status;
use agentv_report::SAID;
use serde::Deserialize;

use crate::index::{Filter, Query, Sort};
use crate::view_error::ViewError;

/// The largest number of rows in an answer.
const MOST_ROWS: usize = 1_000;

/// The fields of a request for trials.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TrialsRequest {
    #[serde(default)]
    q: String,
    #[serde(default)]
    status: String,
    evaluator: Option<String>,
    said: Option<String>,
    min: Option<String>,
    max: Option<String>,
    target: Option<String>,
    file: Option<String>,
    dataset: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    sort: String,
    #[serde(default)]
    first: usize,
    count: Option<usize>,
    /// The number of a trial whose place in the list is wanted.
    pub(super) place: Option<u32>,
}

impl TrialsRequest {
    /// Returns the range of rows that is asked for, among as many as there are.
    pub(super) fn range(&self, length: usize) -> std::ops::Range<usize> {
        let first = self.first.min(length);
        let count = self.count.unwrap_or(100).min(MOST_ROWS);
        first..first.saturating_add(count).min(length)
    }

    /// Returns the query.
    ///
    /// # Errors
    /// Fails if a field has a value that does not exist.
    pub(super) fn query(&self) -> Result<Query, ViewError> {
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let (descending, sort) = match self.sort.strip_prefix('-') {
            Some(sort) => (true, sort),
            None => (false, &*self.sort),
        };
        Ok(Query {
            filter: Filter {
                text: self.q.clone(),
                statuses: statuses(&self.status)?,
                evaluator: filled(&self.evaluator),
                said: filled(&self.said).map(|said| verdict(&said)).transpose()?,
                least: filled(&self.min).map(|text| number(&text)).transpose()?,
                most: filled(&self.max).map(|text| number(&text)).transpose()?,
                target: filled(&self.target),
                file: filled(&self.file),
                dataset: filled(&self.dataset),
                tool: filled(&self.tool),
            },
            sort: match sort {
                "" => Sort::File,
                "id" => Sort::Id,
                "score" => Sort::Score,
                "ms" => Sort::Ms,
                "cost" => Sort::Cost,
                other => return Err(unknown("sort", other)),
            },
            descending,
        })
    }
}

fn statuses(text: &str) -> Result<Vec<Status>, ViewError> {
    let names = text.split(',').filter(|name| !name.is_empty());
    let found = names.map(|name| {
        let mut all = Status::ALL.iter().copied();
        let status = all.find(|status| status.as_str() == name);
        status.ok_or_else(|| unknown("status", name))
    });
    found.collect()
}

fn verdict(text: &str) -> Result<u8, ViewError> {
    let place = SAID.iter().position(|said| *said == text);
    place
        .map(|place| place as u8)
        .ok_or_else(|| unknown("said", text))
}

fn number(text: &str) -> Result<f64, ViewError> {
    let number = text
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite());
    number.ok_or_else(|| ViewError::Request(format!("`{text}` is not a number")))
}

fn unknown(field: &str, value: &str) -> ViewError {
    ViewError::Request(format!("`{field}` has no value `{value}`"))
}
