//! Whole runs with scripted targets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use agentv_core::{Cause, ProviderError, Request, Stage, Status, Stop, Target, Transcript};
use agentv_journal::RecordFile;

use crate::testing::{
    Scripted, Trying, case, scripted, selection_of, target, target_with, with_trials,
};
use crate::*;

fn cases(count: usize) -> Vec<agentv_core::EvalCase> {
    let ids = 0..count;
    ids.map(|id| case(&format!("case-{id}"), "What is 2+2?"))
        .collect()
}

fn slow(delay: Duration) -> Arc<Scripted> {
    Arc::new(Scripted {
        calls: AtomicU64::new(0),
        delay,
        script: Box::new(|_| Ok(Transcript::of_text("4"))),
    })
}

#[tokio::test]
async fn every_target_gets_every_case_as_often_as_requested() {
    let trying = Trying::new(cases(7), vec![target("one"), target("two")]);
    let (ended, seen) = trying.run(|spec| with_trials(spec, 3)).await;
    assert_eq!(ended.stop, None);
    assert_eq!(seen.records.len(), 7 * 2 * 3);
    let mut names: Vec<_> = seen
        .records
        .iter()
        .map(|(record, _)| (record.eval_id.clone(), record.target.clone(), record.trial))
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 7 * 2 * 3);
    assert!(
        seen.records
            .iter()
            .all(|(record, _)| record.status == Status::Pass)
    );
    assert_eq!(trying.lines(RecordFile::Results), 42);
    assert_eq!(trying.lines(RecordFile::Transcripts), 42);
}

#[tokio::test]
async fn a_second_run_in_the_same_folder_does_nothing_again() {
    let provider = scripted(|_| Ok(Transcript::of_text("4")));
    let mut trying = Trying::new(cases(5), vec![target_with("t", Arc::clone(&provider) as _)]);
    let (_, first) = trying.run(|_| {}).await;
    let (_, second) = trying.run(|_| {}).await;
    assert_eq!(provider.calls.load(Ordering::SeqCst), 5);
    assert!(second.records.iter().all(|(_, reused)| *reused));
    let sorted = |seen: &crate::testing::SeenEvents| {
        let mut records: Vec<_> = seen
            .records
            .iter()
            .map(|(record, _)| record.clone())
            .collect();
        records.sort_by(|a, b| a.eval_id.cmp(&b.eval_id));
        records
    };
    assert_eq!(sorted(&first), sorted(&second));

    // Another evaluator: graded again, not asked again.
    Arc::make_mut(&mut trying.cases[0].evaluators)[0]
        .options
        .insert("value".to_owned(), "5".into());
    // Another question: asked again.
    trying.cases[1] = case("case-1", "What is 3+1?");
    let (_, third) = trying.run(|_| {}).await;
    assert_eq!(provider.calls.load(Ordering::SeqCst), 6);
    let done: Vec<_> = third.records.iter().filter(|(_, reused)| !reused).collect();
    assert_eq!(done.len(), 2);
    let regraded = done
        .iter()
        .find(|(record, _)| record.eval_id == "case-0")
        .unwrap();
    assert_eq!(regraded.0.status, Status::Fail);
    assert_eq!(trying.lines(RecordFile::Transcripts), 6);
}

#[tokio::test]
async fn errored_trials_are_kept_unless_retried() {
    let broken = Arc::new(AtomicUsize::new(1));
    let state = Arc::clone(&broken);
    let provider = scripted(move |_| match state.load(Ordering::SeqCst) {
        0 => Ok(Transcript::of_text("4")),
        _ => Err(ProviderError::new(Cause::Setup, "the key was refused")),
    });
    let trying = Trying::new(cases(2), vec![target_with("t", provider as _)]);
    let (_, seen) = trying.run(|_| {}).await;
    let error = seen.records[0].0.error.clone().unwrap();
    assert_eq!(
        (error.stage, error.message.as_str()),
        (Stage::Target, "the key was refused")
    );
    broken.store(0, Ordering::SeqCst);
    let (_, seen) = trying.run(|_| {}).await;
    assert!(
        seen.records
            .iter()
            .all(|(record, reused)| *reused && record.status == Status::Error)
    );
    let folder = trying.folder.clone();
    let (_, seen) = trying
        .run(|spec| spec.previous_run = PreviousRun::read(&folder, true).unwrap())
        .await;
    assert!(
        seen.records
            .iter()
            .all(|(record, reused)| !reused && record.status == Status::Pass)
    );
}

#[tokio::test]
async fn only_errors_worth_a_retry_are_retried() {
    for (cause, attempts) in [
        (Cause::Network, 4),
        (Cause::Timeout, 4),
        (Cause::Status(429), 4),
        (Cause::Status(503), 4),
        (Cause::Status(400), 1),
        (Cause::Status(401), 1),
        (Cause::Answer, 1),
        (Cause::Command, 1),
    ] {
        let provider = scripted(move |_| Err(ProviderError::new(cause, "no")));
        let trying = Trying::new(cases(1), vec![target_with("t", provider as _)]);
        let (_, seen) = trying.run(|_| {}).await;
        let record = &seen.records[0].0;
        assert_eq!(record.attempts, attempts, "{cause:?}");
        assert_eq!(record.status, Status::Error);
        assert_eq!(seen.retries.len() as u32, attempts - 1);
    }
}

#[tokio::test]
async fn a_retry_after_header_is_obeyed() {
    let provider = scripted(|request: &Request| match request.attempt {
        1 => Err(ProviderError::new(Cause::Status(429), "slow down")
            .retry_after(Some(Duration::from_millis(40)))),
        _ => Ok(Transcript::of_text("4")),
    });
    let trying = Trying::new(cases(1), vec![target_with("t", provider as _)]);
    let (_, seen) = trying.run(|_| {}).await;
    assert_eq!(seen.retries, [40.0]);
    let record = &seen.records[0].0;
    assert_eq!((record.status, record.attempts), (Status::Pass, 2));
    assert!(record.timing.queue_ms.unwrap() >= 40.0);
    assert!(
        record.timing.total_ms.unwrap() < 40.0,
        "{:?}",
        record.timing
    );
}

#[tokio::test]
async fn a_retry_after_of_a_day_is_not_waited_for() {
    let provider = scripted(|_| {
        Err(ProviderError::new(Cause::Status(429), "quota used up")
            .retry_after(Some(Duration::from_secs(86_400))))
    });
    let trying = Trying::new(cases(1), vec![target_with("t", provider as _)]);
    let (_, seen) = trying.run(|_| {}).await;
    let message = &seen.records[0].0.error.as_ref().unwrap().message;
    assert!(message.contains("a delay of 86400 s"), "{message}");
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_ends() {
    let mut slow = target_with("t", slow(Duration::from_secs(3600)) as _);
    slow.limits.timeout = Duration::from_millis(20);
    slow.limits.retry.max_retries = 1;
    let trying = Trying::new(cases(1), vec![slow]);
    let (_, seen) = trying.run(|_| {}).await;
    let record = &seen.records[0].0;
    assert_eq!(record.attempts, 2);
    let message = &record.error.as_ref().unwrap().message;
    assert!(message.starts_with("no answer within 0.02 s"), "{message}");
}

/// A provider whose every answer takes a moment; `answer` gets the number in flight.
fn crowded(
    answer: impl Fn(usize) -> Result<Transcript, ProviderError> + Send + Sync + 'static,
) -> Arc<dyn agentv_core::Provider> {
    struct Crowded<F>(AtomicUsize, F);
    impl<F> agentv_core::Provider for Crowded<F>
    where
        F: Fn(usize) -> Result<Transcript, ProviderError> + Send + Sync,
    {
        fn answer<'a>(
            &'a self,
            _: &'a Request,
            _: &'a tokio_util::sync::CancellationToken,
        ) -> agentv_core::BoxFuture<'a, Result<Transcript, ProviderError>> {
            Box::pin(async move {
                let in_flight = self.0.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::time::sleep(Duration::from_millis(5)).await;
                self.0.fetch_sub(1, Ordering::SeqCst);
                (self.1)(in_flight)
            })
        }
    }
    Arc::new(Crowded(AtomicUsize::new(0), answer))
}

#[tokio::test]
async fn as_many_are_in_flight_as_the_target_has_workers_and_no_more() {
    let most = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let provider = crowded(move |in_flight| {
        seen.fetch_max(in_flight, Ordering::SeqCst);
        Ok(Transcript::of_text("4"))
    });
    let mut target = target_with("t", provider);
    target.limits.workers = 7;
    let trying = Trying::new(cases(60), vec![target]);
    trying.run(|_| {}).await;
    assert_eq!(most.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn shards_are_disjoint_and_whole() {
    let mut ids = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let trying = Trying::new(cases(60), vec![target("t")]);
        let (_, seen) = trying
            .run(|spec| selection_of(spec).shard = shard.parse().ok())
            .await;
        assert!(seen.records.len() > 5);
        ids.extend(seen.records.into_iter().map(|(record, _)| record.eval_id));
    }
    ids.sort();
    let mut all: Vec<_> = cases(60).into_iter().map(|case| case.id).collect();
    all.sort();
    assert_eq!(ids, all);
}

#[tokio::test]
async fn a_limit_takes_the_first_cases() {
    let trying = Trying::new(cases(60), vec![target("one"), target("two")]);
    let (_, seen) = trying.run(|spec| selection_of(spec).limit = Some(3)).await;
    let mut ids: Vec<_> = seen
        .records
        .iter()
        .map(|(record, _)| record.eval_id.as_str())
        .collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        ["case-0", "case-0", "case-1", "case-1", "case-2", "case-2"]
    );
}

fn costly(cost: f64) -> Target {
    target_with(
        "t",
        scripted(move |_| {
            Ok(Transcript {
                cost_usd: Some(cost),
                ..Transcript::of_text("4")
            })
        }),
    )
}

#[tokio::test]
async fn a_budget_is_not_exceeded_and_a_resumed_run_counts_earlier_costs() {
    let trying = Trying::new(cases(50), vec![costly(0.03)]);
    let (ended, seen) = trying.run(|spec| spec.budget = Some(0.1)).await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(seen.stops, [Stop::Budget]);
    assert_eq!(seen.records.len(), 3);
    let (ended, seen) = trying.run(|spec| spec.budget = Some(0.2)).await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(seen.records.len(), 6);
}

#[tokio::test]
async fn a_run_ends_in_time_with_what_it_has() {
    let provider = slow(Duration::from_millis(50));
    let trying = Trying::new(cases(5_000), vec![target_with("t", provider as _)]);
    let (ended, seen) = trying
        .run(|spec| spec.max_time = Some(Duration::from_secs(3)))
        .await;
    assert_eq!(ended.stop, Some(Stop::Time));
    assert!(!seen.records.is_empty());
    assert_eq!(seen.records.len(), trying.lines(RecordFile::Results));
}

#[tokio::test]
async fn a_stopped_run_lets_work_in_flight_end_and_resumes_with_the_rest() {
    let stop = StopHandle::default();
    let stopping = stop.clone();
    let provider = scripted(move |request: &Request| {
        if request.eval_id == "case-10" {
            stopping.stop(Stop::Interrupted);
        }
        Ok(Transcript::of_text("4"))
    });
    let trying = Trying::new(
        cases(40),
        vec![target_with("t", Arc::clone(&provider) as _)],
    );
    let (ended, seen) = trying.run_until(stop, |_| {}).await;
    assert_eq!(ended.stop, Some(Stop::Interrupted));
    assert!(
        (11..40).contains(&seen.records.len()),
        "{}",
        seen.records.len()
    );
    let (ended, seen) = trying.run(|_| {}).await;
    assert_eq!(ended.stop, None);
    assert_eq!(seen.records.len(), 40);
    assert_eq!(provider.calls.load(Ordering::SeqCst), 40);
    assert_eq!(trying.lines(RecordFile::Results), 40);
}

#[tokio::test]
async fn an_aborted_run_abandons_hanging_calls() {
    let stop = StopHandle::default();
    let trying = Trying::new(
        cases(3),
        vec![target_with("t", slow(Duration::from_secs(3600)) as _)],
    );
    let aborting = stop.clone();
    let (_, (ended, seen)) = tokio::join!(
        async move { aborting.abort(Stop::Terminated) },
        trying.run_until(stop, |_| {})
    );
    assert_eq!(ended.stop, Some(Stop::Terminated));
    assert!(seen.records.is_empty());
}

#[tokio::test]
async fn an_answer_from_the_cache_has_no_latency_and_is_by_trial() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    let provider = scripted(|_| Ok(Transcript::of_text("4")));
    let trying = || Trying::new(cases(4), vec![target_with("t", Arc::clone(&provider) as _)]);
    let cached = |spec: &mut RunSpec| {
        spec.cache = Some(Cache::open(&path).unwrap());
    };
    trying().run(cached).await;
    let (_, seen) = trying().run(cached).await;
    assert_eq!(provider.calls.load(Ordering::SeqCst), 4);
    for (record, _) in &seen.records {
        assert!(record.cached && record.timing.is_empty() && record.status == Status::Pass);
    }
    let (_, seen) = trying()
        .run(|spec| {
            cached(spec);
            with_trials(spec, 2);
        })
        .await;
    assert_eq!(provider.calls.load(Ordering::SeqCst), 8);
    let fresh = seen.records.iter().filter(|(record, _)| !record.cached);
    assert!(fresh.clone().all(|(record, _)| record.trial == 2));
    assert_eq!(fresh.count(), 4);
}

#[tokio::test]
async fn a_secret_that_a_target_prints_reaches_neither_the_journal_nor_a_reporter() {
    let provider = scripted(|_| Ok(Transcript::of_text("4, by the way: sk-0123456789")));
    let trying = Trying::new(cases(1), vec![target_with("t", provider as _)]);
    let mut secrets = agentv_core::Secrets::default();
    secrets.add("sk-0123456789");
    let folder = trying.folder.clone();
    let (_, seen) = trying
        .run(|spec| {
            // The journal of the usual plan holds the folder's lock.
            let placeholder = tempfile::tempdir().unwrap();
            let other =
                agentv_journal::RunFolder::create_at(placeholder.path(), jiff::Timestamp::now());
            let mut writer = other.unwrap().write(jiff::Timestamp::now()).unwrap();
            spec.journal = Journal::open(&mut writer, secrets.clone()).unwrap();
            let mut writer = folder.write(jiff::Timestamp::now()).unwrap();
            spec.journal = Journal::open(&mut writer, secrets).unwrap();
        })
        .await;
    let answer = seen.records[0].0.candidate_answer.clone().unwrap();
    assert_eq!(answer, "4, by the way: [REDACTED]");
    for file in [RecordFile::Transcripts, RecordFile::Results] {
        let text = std::fs::read_to_string(trying.folder.file(file)).unwrap();
        assert!(text.contains("[REDACTED]") && !text.contains("sk-0123456789"));
    }
}

#[tokio::test]
async fn a_resumed_run_that_is_stopped_again_knows_everything_that_was_done() {
    let mut trying = Trying::new(cases(30), vec![target("t")]);
    trying.run(|_| {}).await;
    let mut more: Vec<_> = (0..5)
        .map(|id| case(&format!("new-{id}"), "What is 1+3?"))
        .collect();
    more.append(&mut trying.cases);
    trying.cases = more;
    let stop = StopHandle::default();
    let stopping = stop.clone();
    trying.targets = vec![target_with(
        "t",
        scripted(move |_| {
            stopping.stop(Stop::Interrupted);
            Ok(Transcript::of_text("4"))
        }),
    )];
    let (ended, seen) = trying.run_until(stop, |_| {}).await;
    assert_eq!(ended.stop, Some(Stop::Interrupted));
    let reused = seen.records.iter().filter(|(_, reused)| *reused).count();
    assert_eq!(reused, 30);
    assert!((31..35).contains(&seen.records.len()));
}

#[tokio::test]
async fn the_last_record_of_a_trial_in_the_file_is_the_one_that_counts() {
    let mut trying = Trying::new(cases(1), vec![target("t")]);
    let last = |trying: &Trying| {
        let text = std::fs::read_to_string(trying.folder.file(RecordFile::Results)).unwrap();
        let record: agentv_core::ResultRecord =
            serde_json::from_str(text.lines().last().unwrap()).unwrap();
        record
    };
    trying.run(|_| {}).await;
    let first = trying.cases.clone();
    Arc::make_mut(&mut trying.cases[0].evaluators)[0]
        .options
        .insert("value".to_owned(), "5".into());
    trying.run(|_| {}).await;
    assert_eq!(last(&trying).status, Status::Fail);
    trying.cases = first;
    trying.run(|_| {}).await;
    assert_eq!(last(&trying).status, Status::Pass);
    // The result that went out of date was marked.
    assert_eq!(trying.lines(RecordFile::Results), 4);
    trying.run(|_| {}).await;
    assert_eq!(
        trying.lines(RecordFile::Results),
        4,
        "it is the last already"
    );

    trying.cases[0].conversation_id = Some("talk".to_owned());
    trying.run(|spec| spec.include_trace = true).await;
    assert_eq!(last(&trying).conversation_id.as_deref(), Some("talk"));
    assert!(last(&trying).output_messages.is_some());
    assert_eq!(trying.lines(RecordFile::Transcripts), 1);
}

#[tokio::test]
async fn if_one_target_is_not_ready_none_is_called() {
    assert_eq!(
        error_of_preparing(|| Err(ProviderError::new(Cause::Setup, "it is sick"))).await,
        "target `sick`: it is sick"
    );
}

#[tokio::test]
async fn a_panic_while_a_target_is_prepared_is_an_error_of_the_run() {
    assert_eq!(
        error_of_preparing(|| panic!("it is mad")).await,
        "target `sick`: this is a bug in agentv, please report it: it is mad"
    );
}

/// Runs with a target that is prepared like this, and with one that is well. Returns the error that ends
/// the run.
async fn error_of_preparing(prepare: fn() -> Result<(), ProviderError>) -> String {
    struct Sick(fn() -> Result<(), ProviderError>);
    impl agentv_core::Provider for Sick {
        fn answer<'a>(
            &'a self,
            _: &'a Request,
            _: &'a tokio_util::sync::CancellationToken,
        ) -> agentv_core::BoxFuture<'a, Result<Transcript, ProviderError>> {
            Box::pin(async { Ok(Transcript::of_text("4")) })
        }
        fn prepare<'a>(
            &'a self,
            _: &'a tokio_util::sync::CancellationToken,
        ) -> agentv_core::BoxFuture<'a, Result<(), ProviderError>> {
            Box::pin(async { (self.0)() })
        }
    }
    let well = scripted(|_| Ok(Transcript::of_text("4")));
    let targets = vec![
        target_with("well", Arc::clone(&well) as _),
        target_with("sick", Arc::new(Sick(prepare))),
    ];
    let trying = Trying::new(cases(3), targets);
    let (ended, _) = trying.run(|_| {}).await;
    assert_eq!(well.calls.load(Ordering::SeqCst), 0);
    ended.error.unwrap().to_string()
}

#[tokio::test]
async fn the_duration_of_failed_attempts_is_not_waiting_time() {
    let provider = Arc::new(Scripted {
        calls: AtomicU64::new(0),
        delay: Duration::from_millis(60),
        script: Box::new(|request| match request.attempt {
            1 => Err(ProviderError::new(Cause::Network, "no")),
            _ => Ok(Transcript::of_text("4")),
        }),
    });
    let trying = Trying::new(cases(1), vec![target_with("t", provider as _)]);
    let (_, seen) = trying.run(|_| {}).await;
    let timing = seen.records[0].0.timing;
    assert!(timing.queue_ms.unwrap() < 60.0, "{timing:?}");
    assert!(timing.total_ms.unwrap() >= 60.0, "{timing:?}");
}

#[tokio::test]
async fn refusals_of_many_requests_are_not_failures_of_one_trial() {
    let provider = crowded(|in_flight| match in_flight {
        1 | 2 => Ok(Transcript::of_text("4")),
        _ => Err(ProviderError::new(Cause::Status(429), "too many")),
    });
    let mut target = target_with("t", provider);
    target.limits.workers = 50;
    target.limits.retry.initial_delay = Duration::from_millis(10);
    let trying = Trying::new(cases(100), vec![target]);
    let (_, seen) = trying.run(|_| {}).await;
    let errored = seen
        .records
        .iter()
        .filter(|(record, _)| record.status == Status::Error);
    assert_eq!(errored.count(), 0);
}
