//! Trials that were done before, told again.

use agentv_core::{EvalCase, ResultRecord, RunEvent};

use crate::resume::previous_run::{Found, PreviousRun};
use crate::run_state::{RunError, RunState};

/// Tells how a trial ended before. The last record of a trial in the file is the one that
/// counts: where another came after it, or it does not say what the case says now, it is
/// written once more.
pub(crate) fn reuse(
    run: &RunState,
    previous_run: &PreviousRun,
    found: Found,
    case: &EvalCase,
    answer_key: &str,
) -> Result<(), RunError> {
    let Found {
        mut record,
        offset,
        is_latest,
    } = found;
    let changed = refresh(run, previous_run, &mut record, case, answer_key)?;
    if changed || !is_latest {
        let written = run.journal.write_result(&record);
        written.map_err(RunError::Write)?;
    } else {
        run.journal.count(offset);
    }
    run.tell(&RunEvent::Finished {
        record: &record,
        reused: true,
    });
    Ok(())
}

/// Brings what neither the answer nor the grade depends on up to date; says whether anything
/// was not.
fn refresh(
    run: &RunState,
    previous_run: &PreviousRun,
    record: &mut ResultRecord,
    case: &EvalCase,
    answer_key: &str,
) -> Result<bool, RunError> {
    let mut changed = false;
    if record.dataset != case.dataset || record.conversation_id != case.conversation_id {
        record.dataset.clone_from(&case.dataset);
        record.conversation_id.clone_from(&case.conversation_id);
        changed = true;
    }
    if run.include_trace
        && record.output_messages.is_none()
        && let Some(transcript) = previous_run.transcript(answer_key)?
    {
        record.output_messages = Some(transcript.transcript.output_messages);
        changed = true;
    }
    Ok(changed)
}
