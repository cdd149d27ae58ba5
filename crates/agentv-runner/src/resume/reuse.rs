//! Trials that were done before, reported again.

use agentv_core::{Outdated, ResultRecord, Trial};

use crate::consumer::Consumer;
use crate::failure::RunError;
use crate::resume::previous_run::{FoundResult, PreviousRun};

/// Reports the result of a trial that was done before. The last record of a trial in the file is the
/// one that counts, so this one is written again if another followed it, or if a field has changed.
/// `outdated` says if the result is out of date now.
pub(crate) fn reuse(
    consumer: &Consumer,
    previous_run: &PreviousRun,
    found: FoundResult,
    (trial, outdated): (&Trial, Option<Outdated>),
    include_trace: bool,
) -> Result<(), RunError> {
    let FoundResult {
        mut record,
        offset,
        is_latest,
    } = found;
    let mut changed = refresh_names(&mut record, trial);
    changed |= std::mem::replace(&mut record.outdated, outdated) != outdated;
    changed |= consumer.note_replaced(&mut record);
    if include_trace {
        changed |= add_messages(previous_run, &mut record)?;
    }
    if changed || !is_latest {
        return consumer.write_result(Box::new(record), true);
    }
    consumer.journal.count(offset);
    consumer.report_result(Box::new(record), true);
    Ok(())
}

/// Updates the fields that change neither the answer nor the grade. Returns true if one was out of date.
fn refresh_names(record: &mut ResultRecord, trial: &Trial) -> bool {
    let case = &trial.case;
    let is_current = record.dataset == case.dataset
        && record.conversation_id == case.conversation_id
        && record.position == trial.position;
    if !is_current {
        record.dataset.clone_from(&case.dataset);
        record.conversation_id.clone_from(&case.conversation_id);
        record.position = trial.position;
    }
    !is_current
}

/// Adds the messages of the target. Returns true if they were missing.
fn add_messages(previous_run: &PreviousRun, record: &mut ResultRecord) -> Result<bool, RunError> {
    if record.output_messages.is_some() {
        return Ok(false);
    }
    let Some(answer) = previous_run.transcript(&record.answer_key)? else {
        return Ok(false);
    };
    record.output_messages = Some(answer.transcript.output_messages);
    Ok(true)
}
