//! The grades of a conversation's turns, while the conversation is held.

use agentv_core::{
    EvaluatorResult, EvaluatorSpec, JudgeCall, Score, Subject, Timing, TraceSummary, Transcript,
    Trial, Verdict, WorkspaceFolders,
};

use crate::schedule::lane::Lane;
use crate::trial::execute::Executor;
use crate::trial::grade::ask;
use crate::trial::records::transcript_record;
use crate::trial::turns::prompt_in_turn;

/// The results of evaluators that graded a turn before the next one was asked.
#[derive(Debug, Default)]
pub(crate) struct GradedTurns(Vec<(EvaluatorSpec, EvaluatorResult)>);

impl GradedTurns {
    /// Grades the last answer of a conversation by the evaluators of its turn, from 1. Returns true if it passes,
    /// as it does if there are none; `None` if the run was stopped meanwhile.
    pub(crate) async fn grade(
        &mut self,
        executor: &Executor,
        lane: &Lane,
        trial: &Trial,
        transcript: &Transcript,
        turn: usize,
        workspace: Option<&WorkspaceFolders>,
    ) -> Option<bool> {
        // The answer that is graded is the one that will be stored.
        let redacted = executor.trial_without_secrets(trial);
        let trial = redacted.as_ref().unwrap_or(trial);
        let specs = trial.case.evaluators.iter();
        let specs: Vec<EvaluatorSpec> = specs
            .flat_map(|spec| spec.of_turn(turn as u64))
            .filter(|spec| !executor.graders.skips(spec))
            .collect();
        if specs.is_empty() {
            return Some(true);
        }
        let record = transcript_record(trial, transcript.clone(), Timing::default(), 0);
        let transcript = executor.without_secrets(record).transcript;
        let (prompt, answer) = (
            prompt_in_turn(trial, turn, &transcript),
            transcript.answer(),
        );
        let trace = TraceSummary::of(&transcript, None);
        let subject = Subject {
            case: &trial.case,
            prompt: &prompt,
            transcript: &transcript,
            answer: &answer,
            trace: &trace,
            folder: &trial.file.folder,
            workspace,
            sandbox: lane.target.provider.sandbox(),
            further_changes: &[],
            workspace_is_gone: false,
            rivals: &trial.rivals,
            judging: None,
            spares: false,
        };
        let first = self.0.len();
        for spec in specs {
            let result = ask(executor, trial, &spec, &subject).await?;
            self.0.push((spec, result));
        }
        let results = || self.0[first..].iter().map(|(_, result)| result);
        let lacks = results().any(|result| result.error.is_some() || result.lacks_required);
        let scores = results().filter_map(|result| Some((result.score?, result.weight)));
        let score = Score::weighted_mean(scores);
        Some(!lacks && score.verdict(subject.pass_threshold()) == Verdict::Pass)
    }

    /// Returns the result of an evaluator that graded its turn.
    pub(crate) fn result(&self, spec: &EvaluatorSpec) -> Option<EvaluatorResult> {
        let mut known = self.0.iter();
        let known = known.find(|(known, _)| known == spec);
        known.map(|(_, result)| result.clone())
    }

    /// Returns the calls of judges for members of an evaluator that graded their turns.
    pub(crate) fn calls_of_members(&self, spec: &EvaluatorSpec) -> Vec<JudgeCall> {
        let is_member = |known: &EvaluatorSpec| {
            let turn = known.turn().unwrap_or_default();
            known != spec && spec.of_turn(turn).contains(known)
        };
        let members = self.0.iter().filter(|(known, _)| is_member(known));
        let calls = members.flat_map(|(_, result)| result.judge_calls.iter().cloned());
        calls.collect()
    }
}
