//! Whole runs with scripted judges.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agentv_core::{
    BoxFuture, Cause, Effort, Evaluation, Evaluator, EvaluatorError, EvaluatorSpec, Judge,
    JudgeRequest, Judging, Prompt, Provider, ProviderError, Request, Score, Stage, Status, Stop,
    Subject, Target, Transcript,
};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

use crate::testing::{self, Scripted, SeenEvents, Trying, case, scripted, target_with};
use crate::*;

/// Every evaluator asks a judge, whose answer is the score.
pub(crate) struct Judged;

struct AskJudge(Judge);

impl Graders for Judged {
    fn build(
        &self,
        _: &EvalFile,
        spec: &EvaluatorSpec,
    ) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        let judge = self.judges_of(spec)?.remove(0);
        Ok(Arc::new(AskJudge(judge)))
    }

    fn judges_of(&self, _: &EvaluatorSpec) -> Result<Vec<Judge>, EvaluatorError> {
        Ok(vec![Judge::Usual])
    }
}

impl Evaluator for AskJudge {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async move {
            let Some(Judging(judges)) = subject.judging else {
                return Err(EvaluatorError::new("nobody to ask"));
            };
            let request = JudgeRequest {
                prompt: Prompt::of_text(format!("How good is {}?", subject.answer)),
                output_schema: None,
            };
            let said = judges.ask(&self.0, request).await;
            let said = said.map_err(|error| EvaluatorError::new(error.message))?;
            let score = said.answer().parse().ok().and_then(Score::new);
            let unusable =
                || EvaluatorError::new(format!("{} said no score", judges.name(&self.0)));
            Ok(Evaluation::of(score.ok_or_else(unusable)?))
        })
    }
}

fn costing(text: &str, cost_usd: f64) -> Transcript {
    Transcript {
        cost_usd: Some(cost_usd),
        ..Transcript::of_text(text)
    }
}

/// A run of some cases with a target `t` and a judge `j`.
struct Court {
    trying: Trying,
    judge: Target,
}

impl Court {
    fn new(count: usize, target: Arc<Scripted>, judge: Arc<dyn Provider>) -> Court {
        let cases = (0..count).map(|id| case(&format!("case-{id}"), "What is 2+2?"));
        let mut target = target_with("t", target);
        target.judge_target = Some("j".to_owned());
        Court {
            trying: Trying::new(cases.collect(), vec![target]),
            judge: target_with("j", judge),
        }
    }

    async fn run(&self, change: impl FnOnce(&mut RunSpec)) -> (Ended, SeenEvents) {
        self.run_until(StopHandle::default(), change).await
    }

    async fn run_until(
        &self,
        stop: StopHandle,
        change: impl FnOnce(&mut RunSpec),
    ) -> (Ended, SeenEvents) {
        let judge = self.judge.clone();
        let run = self.trying.run_until(stop, |spec| {
            spec.graders = Arc::new(Judged);
            spec.judges = vec![judge];
            spec.assignment.assign(0, "j".to_owned(), 1);
            change(spec);
        });
        run.await
    }
}

fn four() -> Arc<Scripted> {
    scripted(|_| Ok(costing("4", 0.01)))
}

fn saying(text: &'static str) -> Arc<Scripted> {
    scripted(move |_| Ok(Transcript::of_text(text)))
}

#[tokio::test]
async fn the_judge_of_the_target_grades_and_its_costs_count() {
    let judge = scripted(|request| {
        assert_eq!(request.prompt.question, "How good is 4?");
        Ok(costing("0.9", 0.002))
    });
    let court = Court::new(3, four(), Arc::clone(&judge) as _);
    let (_, seen) = court.run(|_| {}).await;
    assert_eq!(judge.calls.load(Ordering::SeqCst), 3);
    for (record, _) in &seen.records {
        assert_eq!(record.status, Status::Pass);
        let call = &record.evaluator_results[0].judge_calls[0];
        assert_eq!((call.target.as_str(), call.attempts), ("j", 1));
        assert_eq!((&call.request, &call.answer), (&None, &None));
        let costs = [record.answer_cost_usd(), record.judge_cost_usd()];
        assert_eq!(costs, [Some(0.01), Some(0.002)]);
        assert_eq!(record.trace_summary.as_ref().unwrap().cost_usd, Some(0.01));
    }
}

#[tokio::test]
async fn with_the_trace_the_record_contains_prompts_and_replies_of_judges() {
    let court = Court::new(1, four(), saying("1"));
    let (_, seen) = court.run(|spec| spec.include_trace = true).await;
    let call = &seen.records[0].0.evaluator_results[0].judge_calls[0];
    let request = serde_json::to_value(&call.request).unwrap();
    assert_eq!(request[0]["content"], "How good is 4?");
    assert_eq!(call.answer.as_deref(), Some("1"));
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_panics_errs_its_trial_and_releases_the_budget() {
    let judge = scripted(|request| {
        assert_ne!(request.eval_id, "case-0", "case-0 is too much");
        Ok(costing("1", 0.01))
    });
    let court = Court::new(3, four(), judge);
    let run = court.run(|spec| spec.budget = Some(1.0));
    let ended = tokio::time::timeout(Duration::from_secs(60), run).await;
    let (ended, seen) = ended.expect("no later trial waits for the call that panicked");
    assert_eq!((ended.stop, seen.records.len()), (None, 3));
    for (record, _) in &seen.records {
        let expected = match record.eval_id.as_str() {
            "case-0" => Status::Error,
            _ => Status::Pass,
        };
        assert_eq!(record.status, expected, "{:?}", record.error);
    }
}

#[tokio::test]
async fn an_unusable_reply_of_a_judge_is_an_error_that_quotes_it() {
    let court = Court::new(1, four(), saying("lovely"));
    let (_, seen) = court.run(|_| {}).await;
    let record = &seen.records[0].0;
    assert_eq!((record.status, record.score), (Status::Error, None));
    assert_eq!(record.error.as_ref().unwrap().stage, Stage::Evaluator);
    let result = &record.evaluator_results[0];
    assert_eq!(result.error.as_deref(), Some("j said no score"));
    assert_eq!(result.judge_calls[0].answer.as_deref(), Some("lovely"));
}

#[tokio::test]
async fn a_judge_is_tried_again_like_any_target() {
    let judge = scripted(|request| match request.attempt {
        1 => Err(ProviderError::new(Cause::Status(503), "busy")),
        _ => Ok(Transcript::of_text("1")),
    });
    let court = Court::new(1, four(), judge);
    let (_, seen) = court.run(|_| {}).await;
    assert_eq!(seen.retries.len(), 1);
    let record = &seen.records[0].0;
    assert_eq!(record.evaluator_results[0].judge_calls[0].attempts, 2);
    assert_eq!((record.status, record.attempts), (Status::Pass, 1));
}

#[tokio::test]
async fn a_target_judges_itself_where_it_has_no_judge() {
    let target = scripted(|request| {
        let is_judging = request.prompt.question.starts_with("How good");
        Ok(Transcript::of_text(if is_judging { "0.7" } else { "4" }))
    });
    let mut court = Court::new(2, Arc::clone(&target), four());
    court.trying.targets[0].judge_target = None;
    // With one worker, a trial that asks a judge must not wait for its own slot.
    court.trying.targets[0].limits.workers = 1;
    let (_, seen) = court.run(|_| {}).await;
    assert_eq!(target.calls.load(Ordering::SeqCst), 4);
    let statuses = seen.records.iter().map(|(record, _)| record.status);
    assert_eq!(statuses.collect::<Vec<_>>(), [Status::Borderline; 2]);
}

#[tokio::test]
async fn another_judge_grades_again_without_calling_the_target() {
    let target = four();
    let mut court = Court::new(2, Arc::clone(&target), saying("1"));
    court.run(|_| {}).await;
    let (_, again) = court.run(|_| {}).await;
    assert!(again.records.iter().all(|(_, reused)| *reused));
    court.judge = target_with("j", saying("0"));
    court.judge.settings_digest = agentv_core::Digest::of(b"another model");
    let (_, seen) = court.run(|_| {}).await;
    let statuses = seen
        .records
        .iter()
        .map(|(record, reused)| (record.status, *reused));
    assert_eq!(statuses.collect::<Vec<_>>(), [(Status::Fail, false); 2]);
    assert_eq!(target.calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_judge_that_the_budget_does_not_allow_leaves_its_trial_for_later() {
    let judge = scripted(|_| Ok(costing("1", 0.4)));
    let court = Court::new(5, four(), Arc::clone(&judge) as _);
    let (ended, seen) = court.run(|spec| spec.budget = Some(1.0)).await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(judge.calls.load(Ordering::SeqCst), 2);
    let statuses = seen.records.iter().map(|(record, _)| record.status);
    assert_eq!(statuses.collect::<Vec<_>>(), [Status::Pass; 2]);
    // A resumed run counts earlier costs.
    let folder = court.trying.folder.clone();
    let (ended, seen) = court
        .run(|spec| {
            spec.budget = Some(1.0);
            spec.previous_run = PreviousRun::read(&folder, false).unwrap();
        })
        .await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(judge.calls.load(Ordering::SeqCst), 2);
    assert_eq!(seen.records.len(), 2);
    // With a larger budget the rest is graded.
    let (ended, seen) = court.run(|_| {}).await;
    assert_eq!((ended.stop, seen.records.len()), (None, 5));
    assert_eq!(judge.calls.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn a_run_that_ends_while_a_judge_is_asked_records_nothing_of_that_trial() {
    let was_asked = AtomicBool::new(false);
    let stop = StopHandle::default();
    let ending = stop.clone();
    let judge = scripted(move |_| {
        if was_asked.swap(true, Ordering::SeqCst) {
            return Ok(Transcript::of_text("1"));
        }
        ending.abort(Stop::Interrupted);
        Err(ProviderError::cancelled())
    });
    let target = four();
    let court = Court::new(1, Arc::clone(&target), judge);
    let (ended, seen) = court.run_until(stop, |_| {}).await;
    assert_eq!(ended.stop, Some(Stop::Interrupted));
    assert_eq!((seen.records.len(), seen.abandoned), (0, 1));
    let (_, seen) = court.run(|_| {}).await;
    assert_eq!(seen.records[0].0.status, Status::Pass);
    assert_eq!(target.calls.load(Ordering::SeqCst), 1);
}

/// Judges that answer only when this many are asked at the same time: one after the other, they wait forever.
struct Meeting(Barrier);

impl Provider for Meeting {
    fn answer<'a>(
        &'a self,
        _: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async {
            self.0.wait().await;
            Ok(Transcript::of_text("0.9"))
        })
    }
}

#[tokio::test]
async fn the_evaluators_of_a_case_are_asked_side_by_side() {
    for stop_on_required in [false, true] {
        let mut court = Court::new(1, four(), Arc::new(Meeting(Barrier::new(3))));
        court.trying.cases[0].evaluators = ["a", "b", "c"].map(EvaluatorSpec::of_kind).into();
        let run = court.run(|spec| spec.stop_on_required = stop_on_required);
        let (ended, seen) = tokio::time::timeout(Duration::from_secs(60), run)
            .await
            .expect("one waits for another");
        assert_eq!(ended.stop, None);
        let results = &seen.records[0].0.evaluator_results;
        let scores: Vec<_> = results.iter().map(|result| result.score).collect();
        assert_eq!(scores, [Score::new(0.9); 3]);
    }
}

/// `contains` is a check, everything else asks a judge.
struct Mixed;

impl Graders for Mixed {
    fn build(
        &self,
        file: &EvalFile,
        spec: &EvaluatorSpec,
    ) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        match self.effort(spec) {
            Effort::Judge => Judged.build(file, spec),
            _ => testing::Contains.build(file, spec),
        }
    }

    fn judges_of(&self, spec: &EvaluatorSpec) -> Result<Vec<Judge>, EvaluatorError> {
        match self.effort(spec) {
            Effort::Judge => Judged.judges_of(spec),
            _ => Ok(Vec::new()),
        }
    }

    fn effort(&self, spec: &EvaluatorSpec) -> Effort {
        match spec.kind.as_str() {
            "contains" => Effort::Check,
            _ => Effort::Judge,
        }
    }
}

/// One case with a judge, and a required check that passes if the answer contains `wanted`.
fn guarded(wanted: &str, judge: Arc<Scripted>) -> Court {
    let mut court = Court::new(1, four(), judge);
    let case = &mut court.trying.cases[0];
    let mut check = case.evaluators[0].clone();
    check.required = true;
    check.options.insert("value".to_owned(), wanted.into());
    case.evaluators = [EvaluatorSpec::of_kind("llm_judge"), check].into();
    court
}

fn sparing(spec: &mut RunSpec) {
    spec.graders = Arc::new(Mixed);
    spec.stop_on_required = true;
}

#[tokio::test]
async fn no_judge_is_asked_after_a_required_check_failed() {
    let judge = saying("1");
    let court = guarded("5", Arc::clone(&judge));
    let (_, seen) = court.run(sparing).await;
    assert_eq!(judge.calls.load(Ordering::SeqCst), 0);
    let record = &seen.records[0].0;
    assert_eq!(record.status, Status::Fail);
    assert_eq!(record.reasoning.as_deref(), Some("not asked: `llm_judge`"));
    let [judged, check] = record.evaluator_results.as_slice() else {
        panic!("{:?}", record.evaluator_results);
    };
    let reason = "`contains` is required and did not pass";
    assert_eq!(judged.skipped.as_deref(), Some(reason));
    assert_eq!((judged.score, check.score), (None, Some(Score::ZERO)));
}

#[tokio::test]
async fn judges_are_asked_if_the_required_check_passes_or_the_flag_is_not_set() {
    let judge = saying("1");
    let court = guarded("4", Arc::clone(&judge));
    let (_, seen) = court.run(sparing).await;
    assert_eq!(seen.records[0].0.status, Status::Pass);
    assert_eq!(judge.calls.load(Ordering::SeqCst), 1);
    let court = guarded("5", Arc::clone(&judge));
    let (_, seen) = court.run(|spec| spec.graders = Arc::new(Mixed)).await;
    assert_eq!(seen.records[0].0.status, Status::Fail);
    assert_eq!(judge.calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_resume_without_the_flag_grades_what_was_skipped() {
    let judge = saying("1");
    let court = guarded("5", Arc::clone(&judge));
    court.run(sparing).await;
    let again = |stops: bool| {
        court.run(move |spec| {
            spec.graders = Arc::new(Mixed);
            spec.stop_on_required = stops;
        })
    };
    let (_, seen) = again(true).await;
    assert!(seen.records[0].1, "nothing to do again");
    let (_, seen) = again(false).await;
    assert!(!seen.records[0].1);
    assert_eq!(judge.calls.load(Ordering::SeqCst), 1);
}
