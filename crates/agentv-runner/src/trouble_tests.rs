//! Runs in which something goes wrong, with scripted targets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agentv_core::{
    BatchProvider, BoxFuture, EvalCase, Evaluation, Evaluator, EvaluatorError, EvaluatorSpec,
    Provider, ProviderError, Request, Score, Stage, Status, Stop, Subject, Target, Transcript,
};
use agentv_journal::RecordFile;
use tokio_util::sync::CancellationToken;

use crate::testing::{Trying, case, scripted, selection_of, target_with, with_trials};
use crate::*;

fn cases(count: usize) -> Vec<EvalCase> {
    let ids = 0..count;
    ids.map(|id| case(&format!("case-{id}"), "What is 2+2?"))
        .collect()
}

/// An answer that costs something.
fn paid(cost: f64) -> Transcript {
    Transcript {
        cost_usd: Some(cost),
        ..Transcript::of_text("4")
    }
}

/// The behaviour of an evaluator that does not judge.
#[derive(Clone, Copy)]
enum Trouble {
    Panics,
    Hangs,
}

impl Graders for Trouble {
    fn build(&self, _: &EvalFile, _: &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        Ok(Arc::new(*self))
    }
}

impl Evaluator for Trouble {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async move {
            match self {
                Trouble::Panics => assert_ne!(subject.case.id, "case-1", "case-1 is too much"),
                Trouble::Hangs => std::future::pending().await,
            }
            Ok(Evaluation::of(Score::of(true)))
        })
    }
}

#[tokio::test]
async fn a_panic_in_a_provider_or_an_evaluator_is_an_error_of_that_case_only() {
    let provider = scripted(|request: &Request| {
        assert_ne!(request.eval_id, "case-2", "case-2 is too much");
        Ok(paid(0.01))
    });
    let mut fragile = target_with("t", provider as _);
    fragile.limits.workers = 1;
    let trying = Trying::new(cases(5), vec![fragile]);
    let (ended, seen) = trying
        .run(|spec| {
            spec.graders = Arc::new(Trouble::Panics);
            // The budget that was reserved for a trial that panics is released.
            spec.budget = Some(0.045);
        })
        .await;
    assert_eq!(ended.stop, None);
    assert_eq!(trying.lines(RecordFile::Results), 5);
    for (record, _) in &seen.records {
        let error = record.error.as_ref();
        let stage = error.map(|error| error.stage);
        let expected = match record.eval_id.as_str() {
            "case-1" => Some(Stage::Evaluator),
            "case-2" => Some(Stage::Target),
            _ => None,
        };
        assert_eq!(stage, expected, "{error:?}");
        assert!(error.is_none_or(|error| error.message.contains("is too much")));
    }
}

#[tokio::test(start_paused = true)]
async fn grading_that_hangs_is_abandoned_and_its_answer_is_kept() {
    let stop = StopHandle::default();
    let provider = scripted(|_| Ok(Transcript::of_text("4")));
    let trying = Trying::new(cases(3), vec![target_with("t", Arc::clone(&provider) as _)]);
    let stopping = stop.clone();
    let hangs = |spec: &mut RunSpec| {
        spec.graders = Arc::new(Trouble::Hangs);
        spec.grace = Duration::from_secs(3);
    };
    let began = tokio::time::Instant::now();
    let (_, (ended, seen)) = tokio::join!(
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            stopping.stop(Stop::Interrupted);
        },
        trying.run_until(stop, hangs)
    );
    assert_eq!(ended.stop, Some(Stop::Interrupted));
    assert_eq!(seen.abandoned, 3);
    assert!(began.elapsed() < Duration::from_secs(5), "the grace alone");
    let (_, seen) = trying.run(|_| {}).await;
    assert!(
        seen.records
            .iter()
            .all(|(record, _)| record.status == Status::Pass)
    );
    assert_eq!(
        provider.calls.load(Ordering::SeqCst),
        3,
        "none was asked again"
    );
}

#[tokio::test]
async fn a_waiting_request_is_not_sent_after_the_run_was_stopped() {
    let stop = StopHandle::default();
    let stopping = stop.clone();
    let provider = scripted(move |_| {
        stopping.stop(Stop::Interrupted);
        Ok(Transcript::of_text("4"))
    });
    let mut limited = target_with("t", Arc::clone(&provider) as _);
    limited.limits.requests_per_minute = Some(60);
    let trying = Trying::new(cases(20), vec![limited]);
    let (ended, seen) = trying.run_until(stop, |_| {}).await;
    assert_eq!(ended.stop, Some(Stop::Interrupted));
    assert_eq!(provider.calls.load(Ordering::SeqCst), 1);
    assert_eq!(seen.records.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn answers_in_flight_are_waited_for_when_a_limit_stops_the_run() {
    let slow = Arc::new(crate::testing::Scripted {
        calls: AtomicU64::new(0),
        delay: Duration::from_secs(100),
        script: Box::new(|_| Ok(paid(0.01))),
    });
    let trying = Trying::new(cases(9), vec![target_with("t", slow as _)]);
    let (ended, seen) = trying.run(|spec| spec.budget = Some(0.045)).await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(seen.records.len(), 4);
    assert_eq!(seen.abandoned, 0);
}

#[tokio::test]
async fn answers_from_the_cache_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    let costly = || target_with("t", scripted(|_| Ok(paid(0.03))) as _);
    for budget in [1.0, 0.01] {
        let trying = Trying::new(cases(20), vec![costly()]);
        let (ended, seen) = trying
            .run(|spec| {
                spec.cache = Some(Cache::open(&path).unwrap());
                spec.budget = Some(budget);
            })
            .await;
        assert_eq!((ended.stop, seen.records.len()), (None, 20));
    }
}

#[tokio::test]
async fn all_earlier_costs_count_towards_the_budget_graded_or_not() {
    let costly = || target_with("t", scripted(|_| Ok(paid(0.03))) as _);
    let trying = Trying::new(cases(6), vec![costly()]);
    let late = |spec: &mut RunSpec| {
        let mut globs = globset::GlobSetBuilder::new();
        globs.add(globset::Glob::new("case-[45]").unwrap());
        selection_of(spec).eval_ids = Some(globs.build().unwrap());
    };
    trying.run(late).await;
    // A crash between an answer and its grade.
    std::fs::write(trying.folder.file(RecordFile::Results), "").unwrap();
    let (ended, seen) = trying.run(|spec| spec.budget = Some(0.07)).await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(trying.lines(RecordFile::Transcripts), 2, "none was asked");
    assert!(seen.records.len() <= 2);
}

/// Answers all requests at once, at this cost.
struct AtOnce {
    calls: AtomicU64,
    cost: f64,
}

impl Provider for AtOnce {
    fn answer<'a>(
        &'a self,
        _: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        unreachable!("it is asked for all at once")
    }

    fn batch(&self) -> Option<&dyn BatchProvider> {
        Some(self)
    }
}

impl BatchProvider for AtOnce {
    fn answer_all<'a>(
        &'a self,
        requests: &'a [Request],
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Result<Transcript, ProviderError>>, ProviderError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let answers = requests.iter().map(|_| Ok(paid(self.cost)));
        let answers = answers.collect();
        Box::pin(async move { Ok(answers) })
    }
}

fn at_once(cost: f64) -> (Arc<AtOnce>, Target) {
    let provider = Arc::new(AtOnce {
        calls: AtomicU64::new(0),
        cost,
    });
    let target = target_with("t", Arc::clone(&provider) as _);
    (provider, target)
}

#[tokio::test]
async fn a_batch_counts_towards_the_budget() {
    let (provider, target) = at_once(0.01);
    let trying = Trying::new(cases(5), vec![target]);
    let (ended, seen) = trying
        .run(|spec| {
            with_trials(spec, 4);
            spec.budget = Some(0.12);
        })
        .await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(provider.calls.load(Ordering::SeqCst), 2, "five cents each");
    assert_eq!(seen.records.len(), 10);
}

#[tokio::test]
async fn a_batch_takes_what_it_can_from_the_cache_and_its_prompts_are_dumped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    let prompts = folder.path().join("prompts");
    let count = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    let (provider, target) = at_once(0.01);
    for (wanted, calls, dumped) in [(3, 1, 3), (3, 1, 3), (5, 2, 5)] {
        let trying = Trying::new(cases(wanted), vec![target.clone()]);
        let (_, seen) = trying
            .run(|spec| {
                spec.cache = Some(Cache::open(&path).unwrap());
                spec.dump_prompts = Some(prompts.clone());
            })
            .await;
        assert_eq!(seen.records.len(), wanted);
        assert_eq!(provider.calls.load(Ordering::SeqCst), calls);
        assert_eq!(count(&prompts), dumped);
    }
}

/// Never answers, and ignores cancellation.
struct Deaf;

impl Provider for Deaf {
    fn answer<'a>(
        &'a self,
        _: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(std::future::pending())
    }
}

/// Never answers a batch, and ignores cancellation.
struct DeafBatch;

impl Provider for DeafBatch {
    fn answer<'a>(
        &'a self,
        _: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        unreachable!("it is asked for all at once")
    }

    fn batch(&self) -> Option<&dyn BatchProvider> {
        Some(self)
    }
}

impl BatchProvider for DeafBatch {
    fn answer_all<'a>(
        &'a self,
        _: &'a [Request],
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Result<Transcript, ProviderError>>, ProviderError>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn every_started_trial_of_a_batch_is_abandoned_when_the_run_is_stopped() {
    for twice in [true, false] {
        let stop = StopHandle::default();
        let stopping = stop.clone();
        let trying = Trying::new(cases(3), vec![target_with("t", Arc::new(DeafBatch))]);
        let (_, (ended, seen)) = tokio::join!(
            async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                if twice {
                    stopping.end_at_once(Stop::Interrupted)
                } else {
                    stopping.stop(Stop::Interrupted)
                }
            },
            trying.run_until(stop, |_| {})
        );
        assert_eq!(ended.stop, Some(Stop::Interrupted));
        assert_eq!((seen.started, seen.abandoned), (3, 3), "twice: {twice}");
        assert_eq!(seen.records.len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_times_out_is_an_error_of_each_trial() {
    let mut deaf = target_with("t", Arc::new(DeafBatch));
    deaf.limits.timeout = Duration::from_secs(7);
    let trying = Trying::new(cases(3), vec![deaf]);
    let (ended, seen) = trying.run(|_| {}).await;
    assert_eq!((ended.stop, seen.abandoned), (None, 0));
    assert_eq!(seen.records.len(), 3);
    for (record, _) in &seen.records {
        let error = record.error.as_ref().unwrap();
        assert!(
            error.message.starts_with("no answer within 7 s"),
            "{error:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_stop_does_not_wait_for_calls_that_ignore_the_first() {
    for (twice, longest) in [(true, 1), (false, 9)] {
        let stop = StopHandle::default();
        let stopping = stop.clone();
        let trying = Trying::new(cases(3), vec![target_with("t", Arc::new(Deaf))]);
        let began = tokio::time::Instant::now();
        let (_, (ended, _)) = tokio::join!(
            async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                if twice {
                    stopping.end_at_once(Stop::Interrupted)
                } else {
                    stopping.stop(Stop::Interrupted)
                }
            },
            trying.run_until(stop, |_| {})
        );
        assert_eq!(ended.stop, Some(Stop::Interrupted));
        assert!(began.elapsed() < Duration::from_secs(longest));
    }
}
