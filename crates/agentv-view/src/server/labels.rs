//! The answers about labels, and the only request that writes something.

use agentv_core::Verdict;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::api::{json, on_disk};
use super::serve::Shared;
use crate::labels::{EvaluatorAgreement, Label, LabelError, Labelling};
use crate::runs::Runs;
use crate::view_error::ViewError;

/// The labels of a run.
#[derive(Debug, Serialize)]
struct LabelsAnswer {
    /// The person whose name new labels get.
    user: String,
    /// The path of the file; `None` if labels cannot be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The labels of trials of this run, with the number of the trial.
    labels: Vec<(u32, Label)>,
    agreements: Vec<EvaluatorAgreement>,
    verdicts: [Verdict; 3],
}

fn labels_answer(runs: &Runs, id: &str) -> Result<LabelsAnswer, ViewError> {
    let labelled = runs.open(id)?.labelled(runs.labels())?;
    let agreements = labelled.agreements();
    let mut labels: Vec<(u32, Label)> = labelled.labels.into_iter().collect();
    labels.sort_unstable_by_key(|(item, _)| *item);
    Ok(LabelsAnswer {
        user: runs.user().to_owned(),
        path: runs.labels().map(|file| file.path().display().to_string()),
        labels,
        agreements,
        verdicts: agentv_report::agreement::VERDICTS,
    })
}

/// Returns the labels of a run's trials, and the agreement with its evaluators.
pub(super) async fn labels(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, ViewError> {
    let answer = on_disk(&shared, move |runs| labels_answer(runs, &id));
    Ok(json(&answer.await?))
}

/// Returns the id of a trial's answer, or the reason why it cannot be labelled.
pub(super) async fn label_id(
    State(shared): State<Shared>,
    Path((id, item)): Path<(String, u32)>,
) -> Result<Response, ViewError> {
    let answer = on_disk(&shared, move |runs| runs.open(&id)?.answer(item)).await?;
    Ok(match answer {
        Ok(answer) => json(&json!({"id": answer.id})),
        Err(error) => json(&json!({"reason": error.to_string()})),
    })
}

/// Writes or removes a label, and returns the labels of the run.
pub(super) async fn write(
    State(shared): State<Shared>,
    body: Bytes,
) -> Result<Response, ViewError> {
    let labelling: Labelling =
        serde_json::from_slice(&body).map_err(|error| ViewError::Request(error.to_string()))?;
    let now = Timestamp::now().to_string();
    let written = on_disk(&shared, move |runs| {
        let run = labelling.run.clone();
        match put(runs, &labelling, &now)? {
            Ok(_) => Ok(Ok(labels_answer(runs, &run)?)),
            Err(error) => Ok(Err(error)),
        }
    });
    Ok(match written.await? {
        Ok(answer) => json(&answer),
        Err(error) => refused(&error),
    })
}

fn put(
    runs: &Runs,
    labelling: &Labelling,
    now: &str,
) -> Result<Result<Option<Label>, LabelError>, ViewError> {
    let invalid = |reason: String| Ok(Err(LabelError::Invalid(reason)));
    let Some(file) = runs.labels() else {
        return invalid(
            "labels are written to the `.agentv` folder of a project, and these runs are in none"
                .to_owned(),
        );
    };
    let answer = match runs.open(&labelling.run)?.answer(labelling.item)? {
        Ok(answer) => answer,
        Err(reason) => return invalid(format!("this trial cannot be labelled: {reason}")),
    };
    if answer.id != labelling.id {
        return invalid("the trial has another answer now: read it again".to_owned());
    }
    Ok(file.put(&answer, labelling, runs.user(), now))
}

fn refused(error: &LabelError) -> Response {
    let (status, label) = match error {
        LabelError::Changed(label) => (StatusCode::CONFLICT, json!(label)),
        LabelError::Invalid(_) => (StatusCode::BAD_REQUEST, json!(null)),
        LabelError::File(_) => (StatusCode::INTERNAL_SERVER_ERROR, json!(null)),
    };
    let body = json!({"error": error.to_string(), "label": label});
    (
        status,
        [(CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}
