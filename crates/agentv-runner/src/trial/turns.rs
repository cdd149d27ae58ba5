//! The turns of a conversation: each is asked after the answer to the one before it.

use std::time::Instant;

use agentv_core::{EvalCase, Prompt, Request, Transcript, Trial, TurnFailure};

use crate::schedule::budget::SetAside;
use crate::schedule::lane::Lane;
use crate::trial::attempt::AskResult;
use crate::trial::execute::Executor;
use crate::trial::graded_turns::GradedTurns;
use crate::trial::request::prompt_of_case;
use crate::trial::steps::{BUDGET, RUN, Whole, ask_in_steps, may_continue};
use crate::workspace::TrialWorkspace;

/// Asks all turns of a case, one after the other. The transcript holds the answers, with the messages of the turns
/// between them. Returns `None` if the run was stopped before the last answer came.
pub(crate) async fn ask_in_turns(
    executor: &Executor,
    lane: &Lane,
    request: &mut Request,
    trial: &Trial,
    taken_up: Instant,
    (workspace, graded): (&mut Option<TrialWorkspace>, &mut GradedTurns),
    mut set_aside: Option<&mut SetAside>,
) -> Option<AskResult> {
    let first = set_aside.as_deref_mut();
    let mut asked =
        ask_in_steps(executor, lane, request, trial, taken_up, workspace, first).await?;
    let turns = trial.case.turns.len();
    let stops = trial.case.on_turn_failure == TurnFailure::Stop;
    let is_whole = |answer: &Transcript| {
        // A recording holds the conversation as a whole, or up to the turn after which it was stopped.
        let asked = trial.case.turns_asked(&answer.output_messages);
        asked == turns + 1 || stops && asked > 1
    };
    if asked.answer.as_ref().is_ok_and(is_whole) {
        return Some(asked);
    }
    let mut whole = Whole::default();
    for (index, turn) in trial.case.turns.iter().enumerate() {
        whole.add_timing(asked.timing, asked.attempts);
        let transcript = match asked.answer {
            Ok(transcript) => transcript,
            Err(error) => return Some(whole.fail(error)),
        };
        let cost = transcript.cost_usd;
        whole.add(transcript);
        if stops {
            let folders = workspace.as_ref().map(|workspace| &*workspace.folders);
            let answers = whole.transcript();
            match graded
                .grade(executor, lane, trial, answers, index + 1, folders)
                .await
            {
                Some(true) => {}
                Some(false) => return Some(whole.finish()),
                None => return Some(whole.stop_in_turn(RUN, index + 1)),
            }
        }
        whole.say(&turn.input_messages);
        if let Some(set_aside) = set_aside.as_deref_mut() {
            match may_continue(executor, set_aside, cost).await {
                Some(true) => {}
                Some(false) => return Some(whole.stop_in_turn(BUDGET, index + 1)),
                None => return Some(whole.stop_in_turn(RUN, index + 1)),
            }
        }
        request.prompt = prompt_in_turn(trial, index + 2, whole.transcript());
        request.further.clear();
        request.attempt = 1;
        let again = set_aside.as_deref_mut();
        let next = ask_in_steps(
            executor,
            lane,
            request,
            trial,
            Instant::now(),
            workspace,
            again,
        );
        let Some(next) = next.await else {
            return Some(whole.stop_in_turn(RUN, index + 1));
        };
        asked = next;
    }
    whole.add_timing(asked.timing, asked.attempts);
    match asked.answer {
        Ok(transcript) => whole.add(transcript),
        Err(error) => return Some(whole.fail(error)),
    }
    Some(whole.finish())
}

/// Returns the prompt of a turn, from 1: the conversation so far.
pub(crate) fn prompt_in_turn(trial: &Trial, turn: usize, transcript: &Transcript) -> Prompt {
    let messages = trial.case.conversation(turn, &transcript.output_messages);
    let case = EvalCase {
        input_messages: messages.unwrap_or_else(|| trial.case.input_messages.clone()),
        ..(*trial.case).clone()
    };
    prompt_of_case(trial, &case)
}
