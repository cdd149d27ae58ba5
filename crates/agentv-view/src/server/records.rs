//! The records of a trial: shortened for a page, or byte by byte.

use std::ops::Range;

use agentv_journal::RecordFile;
use axum::extract::{Path, State};
use axum::http::header::{ACCEPT_RANGES, CONTENT_RANGE, CONTENT_TYPE, RANGE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;

use super::api::{json, on_disk};
use super::serve::Shared;
use crate::index::{RunIndex, TrialRow};
use crate::view_error::ViewError;

/// The largest number of bytes in one answer.
const MOST_BYTES: u64 = 1 << 20;

/// A trial with its records.
#[derive(Serialize)]
struct TrialAnswer {
    row: TrialRow,
    siblings: Vec<TrialRow>,
    result: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<Box<RawValue>>,
    /// The number of values that were too long for a page.
    cut: u64,
    /// The sizes of the records in bytes.
    sizes: [u64; 2],
}

/// Returns a trial, its records and the trials of the same case.
pub(super) async fn trial(
    State(shared): State<Shared>,
    Path((id, item)): Path<(String, u32)>,
) -> Result<Response, ViewError> {
    let answer = on_disk(&shared, move |runs| {
        let run = runs.open(&id)?;
        trial_answer(&run.state().index, item)
    });
    Ok(json(&answer.await?))
}

fn trial_answer(index: &RunIndex, item: u32) -> Result<TrialAnswer, ViewError> {
    let missing = || ViewError::NoTrial(item);
    let row = index.shown(item)?.ok_or_else(missing)?;
    let records = index.records(item).ok_or_else(missing)?;
    let mut siblings = Vec::new();
    for sibling in index.siblings(item)? {
        siblings.extend(index.shown(sibling)?);
    }
    let mut cut = 0;
    let mut read =
        |name: RecordFile, part: Range<u64>| -> Result<Option<Box<RawValue>>, ViewError> {
            let bytes = index.read(name, part)?;
            let text = std::str::from_utf8(&bytes).ok();
            let mut short = Vec::new();
            cut += text.map_or(0, |text| agentv_report::page::shorten(text, &mut short));
            let short = String::from_utf8(short).ok();
            Ok(short.and_then(|short| RawValue::from_string(short).ok()))
        };
    let size = |part: &Range<u64>| part.end - part.start;
    let sizes = [
        size(&records.result),
        records.transcript.as_ref().map_or(0, size),
    ];
    let result = read(RecordFile::Results, records.result)?;
    let transcript = records
        .transcript
        .map(|part| read(RecordFile::Transcripts, part));
    Ok(TrialAnswer {
        row,
        siblings,
        result: result.ok_or_else(missing)?,
        transcript: transcript.transpose()?.flatten(),
        cut,
        sizes,
    })
}

/// A trial in another run.
#[derive(Serialize)]
struct OtherTrial {
    run: String,
    #[serde(flatten)]
    row: TrialRow,
}

/// Returns the trials of the same case with the same target in other runs.
pub(super) async fn history(
    State(shared): State<Shared>,
    Path((id, item)): Path<(String, u32)>,
) -> Result<Response, ViewError> {
    #[derive(Serialize)]
    struct Answer {
        trials: Vec<OtherTrial>,
    }
    let answer = on_disk(&shared, move |runs| {
        let run = runs.open(&id)?;
        let row = run.state().index.shown(item)?;
        let name = row.ok_or(ViewError::NoTrial(item))?.name;
        let found = runs.in_other_runs(&id, &name)?.into_iter();
        let trials = found.map(|(run, row)| OtherTrial { run, row });
        Ok(Answer {
            trials: trials.collect(),
        })
    });
    Ok(json(&answer.await?))
}

/// Returns a part of the bytes of a record: those that `Range` names, at most a mebibyte.
pub(super) async fn record(
    State(shared): State<Shared>,
    Path((id, item, record)): Path<(String, u32, String)>,
    headers: HeaderMap,
) -> Result<Response, ViewError> {
    let name = match &*record {
        "result" => RecordFile::Results,
        "transcript" => RecordFile::Transcripts,
        other => {
            return Err(ViewError::Request(format!(
                "a trial has no record `{other}`"
            )));
        }
    };
    let wanted = headers
        .get(RANGE)
        .map(|range| range.to_str().ok().and_then(parse_range));
    let read = on_disk(&shared, move |runs| {
        let run = runs.open(&id)?;
        let index = &run.state().index;
        let records = index.records(item).ok_or(ViewError::NoTrial(item))?;
        let place = match name {
            RecordFile::Results => Some(records.result),
            RecordFile::Transcripts => records.transcript,
        };
        let place = place.ok_or(ViewError::NoTrial(item))?;
        let length = place.end - place.start;
        let Some(part) = part_of(wanted, length) else {
            return Ok((None, length));
        };
        let bytes = index.read(name, place.start + part.start..place.start + part.end)?;
        Ok((Some((part, bytes)), length))
    });
    let (read, length) = read.await?;
    let Some((part, bytes)) = read else {
        let range = format!("bytes */{length}");
        return Ok((StatusCode::RANGE_NOT_SATISFIABLE, [(CONTENT_RANGE, range)]).into_response());
    };
    let is_whole = part == (0..length);
    let status = if is_whole {
        StatusCode::OK
    } else {
        StatusCode::PARTIAL_CONTENT
    };
    let kind = [(CONTENT_TYPE, "application/json"), (ACCEPT_RANGES, "bytes")];
    let last = part.end.saturating_sub(1);
    let range = [(
        CONTENT_RANGE,
        format!("bytes {}-{last}/{length}", part.start),
    )];
    Ok(if is_whole {
        (status, kind, bytes).into_response()
    } else {
        (status, kind, range, bytes).into_response()
    })
}

/// Reads a range such as `bytes=0-99`, whose end may be missing.
fn parse_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let last = match last {
        "" => None,
        last => Some(last.parse().ok()?),
    };
    Some((first.parse().ok()?, last))
}

/// Returns the part of a record that is asked for; `None` if it has no such part.
fn part_of(wanted: Option<Option<(u64, Option<u64>)>>, length: u64) -> Option<Range<u64>> {
    let (first, last) = match wanted {
        None => (0, None),
        Some(wanted) => wanted?,
    };
    let end = last
        .map_or(length, |last| last.saturating_add(1))
        .min(length);
    (first < end || (first == 0 && length == 0)).then(|| first..end.min(first + MOST_BYTES))
}
