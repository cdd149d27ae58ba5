//! The answers about runs and lists of trials.

use std::sync::Arc;

use agentv_core::{RunRecord, Status};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::filter_text::TrialsRequest;
use super::serve::Shared;
use super::spread::{Spread, spread};
use crate::index::{Row, RunIndex, TrialName, TrialRow};
use crate::open_run::OpenRun;
use crate::runs::Runs;
use crate::view_error::ViewError;

/// Calls a function that reads files, on a thread for that.
pub(super) async fn on_disk<T: Send + 'static>(
    shared: &Shared,
    read: impl FnOnce(&Runs) -> Result<T, ViewError> + Send + 'static,
) -> Result<T, ViewError> {
    let runs = Arc::clone(shared.runs());
    let read = tokio::task::spawn_blocking(move || read(&runs)).await;
    read.unwrap_or_else(|_| {
        Err(ViewError::Request(
            "the request could not be answered".to_owned(),
        ))
    })
}

/// Returns a value as JSON.
pub(super) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => ([(CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Answers for addresses that do not exist.
pub(super) async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing here").into_response()
}

/// Lists the runs.
pub(super) async fn runs(State(shared): State<Shared>) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Listed {
        folder: String,
        runs: Vec<crate::ListedRun>,
    }
    let folder = shared.runs().folder().display().to_string();
    let runs = on_disk(&shared, Runs::list).await?;
    Ok(json(&Listed { folder, runs }))
}

/// The facts about a run that its index knows.
#[derive(Debug, Serialize)]
struct RunAnswer {
    id: String,
    version: u64,
    running: bool,
    /// The reason why `run.json` cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    total: usize,
    damaged: u64,
    /// The number of trials whose texts are longer than a search covers.
    cut: usize,
    repeats: bool,
    statuses: [usize; 5],
    names: NamesAnswer,
    datasets: Vec<DatasetFigures>,
    spreads: Spreads,
}

/// The figures of a dataset: its trials by status, and the mean score of those that were graded.
#[derive(Debug, Default, Clone, Serialize)]
struct DatasetFigures {
    name: String,
    statuses: [usize; 5],
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_score: Option<f64>,
    #[serde(skip)]
    sum: f64,
    #[serde(skip)]
    scored: usize,
}

/// Returns the figures of each dataset, by name.
fn dataset_figures(index: &RunIndex) -> Vec<DatasetFigures> {
    let names = index.names().datasets.values().iter();
    let mut figures: Vec<DatasetFigures> = names
        .map(|name| DatasetFigures {
            name: name.clone(),
            ..DatasetFigures::default()
        })
        .collect();
    for row in index.rows() {
        let Some(dataset) = figures.get_mut(row.dataset as usize) else {
            continue;
        };
        dataset.statuses[usize::from(row.status).min(4)] += 1;
        let is_graded = !matches!(row.status(), Status::Error | Status::Ungraded);
        if let Some(score) = row.score().filter(|_| is_graded) {
            dataset.sum += score;
            dataset.scored += 1;
        }
    }
    for dataset in &mut figures {
        dataset.mean_score = (dataset.scored > 0).then(|| dataset.sum / dataset.scored as f64);
    }
    figures.sort_by(|one, other| one.name.cmp(&other.name));
    figures
}

#[derive(Debug, Serialize)]
struct NamesAnswer {
    file: Vec<String>,
    target: Vec<String>,
    dataset: Vec<String>,
    evaluator: Vec<String>,
    tool: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Spreads {
    ms: Option<Spread>,
    cost: Option<Spread>,
}

/// Describes a run, without its figures.
pub(super) async fn run(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, ViewError> {
    let answer = on_disk(&shared, move |runs| {
        let run = runs.open(&id)?;
        run.refresh()?;
        Ok(run_answer(&run))
    });
    Ok(json(&answer.await?))
}

fn run_answer(run: &OpenRun) -> RunAnswer {
    let running = run.folder().is_being_written();
    let problem = match run.folder().run::<RunRecord>() {
        Ok(Some(_)) => None,
        Ok(None) => Some("the run has no `run.json`".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    let state = run.state();
    let index = &state.index;
    let rows = index.rows();
    let figures = |get: fn(&Row) -> f32| rows.iter().map(move |row| f64::from(get(row)));
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        names
    };
    let names = index.names();
    let evaluators: Vec<String> = names
        .evaluators
        .values()
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    RunAnswer {
        id: run.folder().id().to_string(),
        version: index.version(),
        running,
        problem,
        total: index.len(),
        damaged: index.damaged(),
        cut: index.cut(),
        repeats: rows.iter().any(|row| row.trial > 1),
        statuses: index.statuses(),
        names: NamesAnswer {
            file: sorted(names.files.values()),
            target: sorted(names.targets.values()),
            dataset: sorted(names.datasets.values()),
            evaluator: sorted(&evaluators),
            tool: sorted(names.tools.values()),
        },
        datasets: dataset_figures(index),
        spreads: Spreads {
            ms: spread(figures(|row| row.ms)),
            cost: spread(figures(|row| row.cost)),
        },
    }
}

/// Returns the figures of a run, as the HTML report has them.
pub(super) async fn facts(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Answer {
        version: u64,
        facts: Arc<serde_json::Value>,
    }
    let facts = on_disk(&shared, move |runs| runs.open(&id)?.facts()).await?;
    Ok(json(&Answer {
        version: facts.version,
        facts: facts.json,
    }))
}

/// Lists trials of a run that match a filter.
pub(super) async fn trials(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(request): Query<TrialsRequest>,
) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Answer {
        version: u64,
        total: usize,
        statuses: [usize; 5],
        /// The number of trials that match.
        length: usize,
        first: usize,
        /// The place of the trial that was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<usize>,
        rows: Vec<TrialRow>,
    }
    let query = request.query()?;
    let answer = on_disk(&shared, move |runs| {
        let run = runs.open(&id)?;
        let state = run.state();
        let found = state.find(&query)?;
        let range = request.range(found.len());
        let mut rows = Vec::with_capacity(range.len());
        for item in &found[range.clone()] {
            rows.extend(state.index.shown(*item)?);
        }
        Ok(Answer {
            version: state.index.version(),
            total: state.index.len(),
            statuses: state.index.statuses(),
            length: found.len(),
            first: range.start,
            place: request
                .place
                .and_then(|item| found.iter().position(|one| *one == item)),
            rows,
        })
    });
    Ok(json(&answer.await?))
}

/// Returns the number of a trial.
pub(super) async fn locate(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(name): Query<TrialName>,
) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Answer {
        item: Option<u32>,
    }
    let item = on_disk(&shared, move |runs| {
        let run = runs.open(&id)?;
        Ok(run.state().index.locate(&name)?)
    });
    Ok(json(&Answer { item: item.await? }))
}
