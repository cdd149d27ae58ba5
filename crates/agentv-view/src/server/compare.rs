//! The answers about runs and targets side by side.

use agentv_report::compare::{SideBySide, SideFilter, SideOrder, SideRow};
use axum::extract::{Query, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::api::{json, on_disk};
use super::serve::Shared;
use crate::comparisons::Column;
use crate::view_error::ViewError;

/// The smallest difference of scores that counts, as in `agentv compare`.
const THRESHOLD: f64 = 0.1;
/// The largest number of rows in an answer.
const MOST_ROWS: usize = 1_000;

/// The fields of a request.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    /// A JSON array of `[run]` and `[run, target]`.
    columns: String,
    threshold: Option<f64>,
    #[serde(default)]
    q: String,
    outcome: Option<String>,
    target: Option<String>,
    #[serde(default)]
    sort: String,
    #[serde(default)]
    first: usize,
    count: Option<usize>,
}

impl Request {
    fn columns(&self) -> Result<Vec<Column>, ViewError> {
        let wrong = || {
            let expected = "`columns` must be a JSON array of [RUN] and [RUN, TARGET]";
            ViewError::Request(expected.to_owned())
        };
        let columns: Vec<Vec<String>> = serde_json::from_str(&self.columns).map_err(|_| wrong())?;
        let columns = columns.into_iter().map(|names| {
            let mut names = names.into_iter();
            let column = Column {
                run: names.next().ok_or_else(wrong)?,
                target: names.next(),
            };
            names.next().map_or(Ok(column), |_| Err(wrong()))
        });
        columns.collect()
    }

    fn threshold(&self) -> Result<f64, ViewError> {
        let threshold = self.threshold.unwrap_or(THRESHOLD);
        if (0.0..=1.0).contains(&threshold) {
            return Ok(threshold);
        }
        let reason = "`threshold` must be a number from 0 to 1";
        Err(ViewError::Request(reason.to_owned()))
    }

    fn filter(&self) -> Result<SideFilter, ViewError> {
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let outcome = filled(&self.outcome);
        if let Some(unknown) = outcome
            .as_deref()
            .filter(|name| !SideBySide::OUTCOMES.contains(name))
        {
            let reason = format!("`outcome` has no value `{unknown}`");
            return Err(ViewError::Request(reason));
        }
        Ok(SideFilter {
            text: self.q.clone(),
            outcome,
            target: filled(&self.target),
        })
    }

    fn order(&self) -> Result<SideOrder, ViewError> {
        match &*self.sort {
            "" | "regression" => Ok(SideOrder::Regression),
            "improvement" => Ok(SideOrder::Improvement),
            "name" => Ok(SideOrder::Name),
            other => Err(ViewError::Request(format!("`sort` has no value `{other}`"))),
        }
    }
}

/// Returns the figures of the columns, and of every two of them.
pub(super) async fn about(
    State(shared): State<Shared>,
    Query(request): Query<Request>,
) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Answer {
        version: u64,
        threshold: f64,
        total: usize,
        runs: Vec<serde_json::Value>,
        pairs: Vec<serde_json::Value>,
        targets: Vec<String>,
        outcomes: Vec<(&'static str, usize)>,
    }
    let answer = on_disk(&shared, move |runs| {
        let found = runs.compare(&request.columns()?, request.threshold()?)?;
        let sides = &found.sides;
        let counts = SideBySide::OUTCOMES.into_iter().zip(sides.counts());
        Ok(Answer {
            version: found.version,
            threshold: sides.threshold(),
            total: sides.len(),
            runs: sides.runs(),
            pairs: sides.pairs(),
            targets: sides.targets(),
            outcomes: counts.collect(),
        })
    });
    Ok(json(&answer.await?))
}

/// Lists cases with their scores in each column.
pub(super) async fn rows(
    State(shared): State<Shared>,
    Query(request): Query<Request>,
) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Answer {
        version: u64,
        total: usize,
        /// The number of cases that match.
        length: usize,
        first: usize,
        rows: Vec<SideRow>,
    }
    let answer = on_disk(&shared, move |runs| {
        let (filter, order) = (request.filter()?, request.order()?);
        let found = runs.compare(&request.columns()?, request.threshold()?)?;
        let items = found.sides.find(&filter, order);
        let first = request.first.min(items.len());
        let wanted = request.count.unwrap_or(100).min(MOST_ROWS);
        let shown = items[first..].iter().take(wanted);
        Ok(Answer {
            version: found.version,
            total: found.sides.len(),
            length: items.len(),
            first,
            rows: shown.filter_map(|item| found.sides.row(*item)).collect(),
        })
    });
    Ok(json(&answer.await?))
}
