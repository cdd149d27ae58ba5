//! Answers of earlier runs, graded again with scripted judges.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentv_core::{
    Cause, EvalCase, EvaluatorSpec, Planned, ProviderError, ResultRecord, Secrets, Stage, Status,
    Stop, Target, Transcript, TranscriptRecord,
};
use agentv_journal::{Line, RecordFile, RunFolder};

use crate::testing::{
    Cases, Contains, Scripted, SeenEvents, Trying, case, file, scripted, target_with,
};
use crate::trial::judges_tests::Judged;
use crate::*;

/// A run that is over, and the folder of its grading.
struct Again {
    trying: Trying,
    folder: RunFolder,
    judge: Option<Target>,
    _results: tempfile::TempDir,
}

impl Again {
    /// Runs the cases. Afterwards, the target must not be called.
    async fn of(cases: Vec<EvalCase>, provider: Arc<Scripted>) -> Again {
        let trying = Trying::new(cases, vec![target_with("t", Arc::clone(&provider) as _)]);
        trying.run(|_| {}).await;
        let results = tempfile::tempdir().unwrap();
        Again {
            trying,
            folder: RunFolder::create_at(results.path(), jiff::Timestamp::now()).unwrap(),
            judge: None,
            _results: results,
        }
    }

    fn plan(&self, with: GradedWith, selection: &Selection) -> (Regrading, RegradePreview) {
        let source_run = SourceRun::read(&self.trying.folder).unwrap();
        let graders: &dyn Graders = match self.judge {
            Some(_) => &Judged,
            None => &Contains,
        };
        plan_regrading(source_run, vec![file()], with, selection, graders).unwrap()
    }

    async fn grade(&self, with: GradedWith) -> (Ended, SeenEvents, RegradePreview) {
        self.grade_until(StopHandle::default(), with, |_| {}).await
    }

    async fn grade_until(
        &self,
        stop: StopHandle,
        with: GradedWith,
        change: impl FnOnce(&mut RunSpec),
    ) -> (Ended, SeenEvents, RegradePreview) {
        let (regrading, preview) = self.plan(with, &Selection::default());
        let mut writer = self.folder.write(jiff::Timestamp::now()).unwrap();
        let judge = self.judge.clone();
        let graded = GradedTarget {
            judge: judge.as_ref().map(|judge| judge.name.clone()),
            reads_files: false,
        };
        let named = judge.iter().map(|judge| (judge.name.clone(), 0));
        let mut spec = RunSpec {
            trials: TrialsSpec::Answers {
                source: Arc::new(regrading),
                targets: HashMap::from([((0, "t".to_owned()), graded)]),
            },
            targets: Vec::new(),
            cache: None,
            workspaces: None,
            dump_prompts: None,
            assignment: Assignment {
                chosen: Vec::new(),
                targets: HashMap::from([(0, named.collect())]),
                ..Assignment::default()
            },
            planned: Planned::default(),
            graders: match judge {
                Some(_) => Arc::new(Judged),
                None => Arc::new(Contains),
            },
            judges: judge.into_iter().collect(),
            previous_run: PreviousRun::read(&self.folder, false).unwrap(),
            journal: Journal::open(&mut writer, Secrets::default()).unwrap(),
            budget: None,
            max_time: None,
            stop_on_required: false,
            include_trace: false,
            include_raw: false,
            grace: Duration::from_secs(5),
            engine: None,
            has_dependencies: false,
        };
        change(&mut spec);
        let seen = Arc::new(Mutex::new(SeenEvents::default()));
        let ended = run(spec, stop, Arc::clone(&seen) as SharedReporter).await;
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        (ended, seen, preview)
    }

    fn records<T: serde::de::DeserializeOwned>(&self, file: RecordFile) -> Vec<T> {
        let lines = self.folder.records::<T>(file).unwrap();
        let records = lines.map(|line| match line.unwrap() {
            Line::Record(record) => record.value,
            Line::Damaged(damage) => panic!("{damage}"),
        });
        records.collect()
    }
}

fn today(cases: Vec<EvalCase>) -> GradedWith {
    GradedWith::Today(Arc::new(Cases {
        file: file(),
        cases,
    }))
}

fn four() -> Arc<Scripted> {
    scripted(|_| Ok(Transcript::of_text("4")))
}

fn expecting(value: &str, mut case: EvalCase) -> EvalCase {
    let options = &mut Arc::make_mut(&mut case.evaluators)[0].options;
    options.insert("value".to_owned(), value.into());
    case
}

fn statuses(seen: &SeenEvents) -> Vec<(&str, Status)> {
    let records = seen.records.iter();
    let mut statuses: Vec<_> = records
        .map(|(record, _)| (record.eval_id.as_str(), record.status))
        .collect();
    statuses.sort_by_key(|(id, _)| *id);
    statuses
}

#[tokio::test]
async fn an_answer_is_graded_by_the_current_case_and_its_target_is_not_called() {
    let target = four();
    let cases = vec![case("a", "What is 2+2?"), case("b", "What is 1+3?")];
    let again = Again::of(cases.clone(), Arc::clone(&target)).await;
    let edited = vec![expecting("5", cases[0].clone()), cases[1].clone()];
    let (ended, seen, preview) = again.grade(today(edited.clone())).await;
    assert!(ended.error.is_none() && ended.stop.is_none());
    assert_eq!(statuses(&seen), [("a", Status::Fail), ("b", Status::Pass)]);
    assert_eq!(target.calls.load(Ordering::SeqCst), 2);
    assert_eq!(
        (preview.trials, preview.changed, preview.gone),
        (2, vec![0], vec![0])
    );

    // The new folder is complete: it has the old answers, and the cases as they are graded.
    let before = again
        .trying
        .folder
        .records::<TranscriptRecord>(RecordFile::Transcripts);
    let before: Vec<_> = before
        .unwrap()
        .map(|line| match line.unwrap() {
            Line::Record(record) => record.value,
            Line::Damaged(damage) => panic!("{damage}"),
        })
        .collect();
    let after: Vec<TranscriptRecord> = again.records(RecordFile::Transcripts);
    for (before, after) in before.iter().zip(&after) {
        let graded = &edited[usize::from(after.eval_id == "b")];
        assert_eq!(*after.case, *graded);
        assert_eq!(after.timestamp, before.timestamp);
        assert_eq!(
            (&after.answer_key, after.timing),
            (&before.answer_key, before.timing)
        );
    }

    // A resumed run of the edited cases has the same keys.
    let mut resumed = again.trying;
    resumed.cases = edited;
    let (_, resumed) = resumed.run(|_| {}).await;
    let keys = |seen: &SeenEvents| {
        let records = seen.records.iter();
        let mut keys: Vec<_> = records
            .map(|(record, _)| (record.answer_key.clone(), record.grade_key.clone()))
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&seen), keys(&resumed));
}

#[tokio::test]
async fn cases_that_are_gone_or_ask_something_else_are_graded_as_recorded() {
    let cases = vec![
        case("a", "What is 2+2?"),
        case("b", "What is 1+3?"),
        case("c", "What is 0+4?"),
    ];
    let again = Again::of(cases.clone(), four()).await;
    let today_is = vec![
        expecting("5", cases[0].clone()),
        expecting("5", case("b", "What is 1+4?")),
        case("new", "What is 4?"),
    ];
    let (_, seen, preview) = again.grade(today(today_is)).await;
    let graded = [
        ("a", Status::Fail),
        ("b", Status::Pass),
        ("c", Status::Pass),
    ];
    assert_eq!(statuses(&seen), graded);
    assert_eq!((preview.changed, preview.gone), (vec![1], vec![1]));
}

#[tokio::test]
async fn given_evaluators_replace_those_of_the_cases() {
    let again = Again::of(vec![case("a", "What is 2+2?")], four()).await;
    let mut spec = EvaluatorSpec::of_kind("contains");
    spec.options.insert("value".to_owned(), "5".into());
    let (_, seen, _) = again.grade(GradedWith::These([spec.clone()].into())).await;
    assert_eq!(statuses(&seen), [("a", Status::Fail)]);
    let after: Vec<TranscriptRecord> = again.records(RecordFile::Transcripts);
    assert_eq!(*after[0].case.evaluators, [spec]);
}

#[tokio::test]
async fn a_trial_without_an_answer_is_carried_over_and_never_lost() {
    let target = scripted(|request| match request.eval_id.as_str() {
        "a" => Err(ProviderError::new(Cause::Setup, "the key was refused")),
        _ => Ok(Transcript::of_text("4")),
    });
    let cases = vec![case("a", "What is 2+2?"), case("b", "What is 1+3?")];
    let again = Again::of(cases.clone(), target).await;
    let (_, seen, preview) = again.grade(today(cases.clone())).await;
    assert_eq!(statuses(&seen), [("a", Status::Error), ("b", Status::Pass)]);
    assert_eq!((preview.trials, preview.without_answer), (2, 1));
    let written: Vec<ResultRecord> = again.records(RecordFile::Results);
    let error = written
        .iter()
        .find_map(|record| record.error.clone())
        .unwrap();
    assert_eq!(
        (error.stage, error.message.as_str()),
        (Stage::Target, "the key was refused")
    );

    // Existing results are reported, and not written again.
    let (_, seen, _) = again.grade(today(cases.clone())).await;
    assert_eq!(statuses(&seen), [("a", Status::Error), ("b", Status::Pass)]);
    assert!(seen.records.iter().all(|(_, reused)| *reused));
    let after: Vec<ResultRecord> = again.records(RecordFile::Results);
    assert_eq!(after, written);

    // Nothing is known about a damaged answer.
    let transcripts = again.trying.folder.file(RecordFile::Transcripts);
    fs::write(&transcripts, "{\"cut\n").unwrap();
    let source_run = SourceRun::read(&again.trying.folder).unwrap();
    assert_eq!(source_run.damaged_lines(), 1);
    assert_eq!(source_run.damage()[0].1.line, 1);
    let other = Again {
        folder: RunFolder::create_at(again._results.path(), jiff::Timestamp::now()).unwrap(),
        ..again
    };
    let (_, seen, preview) = other.grade(today(cases)).await;
    assert_eq!(
        statuses(&seen),
        [("a", Status::Error), ("b", Status::Error)]
    );
    assert_eq!(preview.without_answer, 2);
}

#[tokio::test]
async fn the_answer_of_the_last_result_of_a_trial_counts() {
    let number = AtomicU64::new(0);
    let target = scripted(move |_| {
        let answer = number.fetch_add(1, Ordering::SeqCst);
        Ok(Transcript::of_text(format!("answer {answer}")))
    });
    let again = Again::of(vec![case("a", "What is 2+2?")], target).await;
    let mut trying = again.trying;
    // Ask another question, then the first one again: the result of the first is written once more.
    let first = std::mem::replace(&mut trying.cases, vec![case("a", "What is 2+3?")]);
    trying.run(|_| {}).await;
    trying.cases.clone_from(&first);
    trying.run(|_| {}).await;
    assert_eq!(trying.lines(RecordFile::Transcripts), 2);
    let again = Again { trying, ..again };
    let (_, seen, _) = again.grade(today(first)).await;
    let (record, _) = &seen.records[0];
    assert_eq!(record.candidate_answer.as_deref(), Some("answer 0"));

    // If there is no result, the last answer counts.
    fs::write(again.trying.folder.file(RecordFile::Results), "").unwrap();
    let other = Again {
        folder: RunFolder::create_at(again._results.path(), jiff::Timestamp::now()).unwrap(),
        ..again
    };
    let (_, seen, _) = other.grade(today(Vec::new())).await;
    let (record, _) = &seen.records[0];
    assert_eq!(record.candidate_answer.as_deref(), Some("answer 1"));
}

#[tokio::test]
async fn the_first_so_many_cases_are_those_of_the_eval_file_first() {
    let cases: Vec<_> = ["a", "b", "c"].map(|id| case(id, "What is 2+2?")).into();
    let again = Again::of(cases.clone(), four()).await;
    let selection = Selection {
        limit: Some(2),
        ..Selection::default()
    };
    let (regrading, preview) = again.plan(today(vec![cases[2].clone()]), &selection);
    assert_eq!(preview.trials, 2);
    let mut ids = Vec::new();
    let visited = regrading.visit(&mut |_, given| {
        let GivenRecord::Answer(record) = given else {
            panic!("{given:?}")
        };
        ids.push(record.eval_id.clone());
        std::ops::ControlFlow::Continue(())
    });
    visited.unwrap();
    assert_eq!((ids.len(), ids[0].as_str()), (2, "c"));
}

#[tokio::test]
async fn judges_are_asked_concurrently_and_graded_answers_are_not_judged_again() {
    let cases: Vec<_> = (0..20)
        .map(|id| case(&format!("case-{id}"), "What is 2+2?"))
        .collect();
    let mut again = Again::of(cases.clone(), four()).await;
    let stop = StopHandle::default();
    let (at_tenth, calls) = (stop.clone(), Arc::new(AtomicU64::new(0)));
    let counted = Arc::clone(&calls);
    let judge = scripted(move |_| {
        if counted.fetch_add(1, Ordering::SeqCst) == 9 {
            at_tenth.stop(Stop::Interrupted);
        }
        Ok(Transcript::of_text("0.9"))
    });
    again.judge = Some(target_with("j", judge as _));
    let (ended, seen, preview) = again.grade_until(stop, today(cases.clone()), |_| {}).await;
    assert_eq!(ended.stop, Some(Stop::Interrupted));
    assert!(
        (10..20).contains(&seen.records.len()),
        "{}",
        seen.records.len()
    );
    assert_eq!(preview.judges[0].judged.len(), 1);
    let first = calls.load(Ordering::SeqCst);
    let (ended, seen, _) = again.grade(today(cases)).await;
    assert_eq!(ended.stop, None);
    assert_eq!(seen.records.len(), 20);
    assert_eq!(calls.load(Ordering::SeqCst), 20.max(first));
    assert_eq!(
        seen.records.iter().filter(|(_, reused)| *reused).count() as u64,
        first
    );
    let calls = &seen.records[0].0.evaluator_results[0].judge_calls;
    assert_eq!(calls[0].target, "j");
}

#[tokio::test]
async fn the_budget_is_for_judges_alone() {
    let cases: Vec<_> = (0..5)
        .map(|id| case(&format!("case-{id}"), "What is 2+2?"))
        .collect();
    let costing = |text: &str, cost| Transcript {
        cost_usd: Some(cost),
        ..Transcript::of_text(text)
    };
    let target = scripted(move |_| Ok(costing("4", 100.0)));
    let mut again = Again::of(cases.clone(), target).await;
    let judge = scripted(move |_| Ok(costing("0.9", 0.4)));
    again.judge = Some(target_with("j", judge as _));
    let limited = |spec: &mut RunSpec| spec.budget = Some(1.0);
    let (ended, seen, _) = again
        .grade_until(StopHandle::default(), today(cases.clone()), limited)
        .await;
    assert_eq!(ended.stop, Some(Stop::Budget));
    assert_eq!(seen.records.len(), 2);
    let (ended, seen, _) = again
        .grade_until(StopHandle::default(), today(cases), limited)
        .await;
    assert_eq!((ended.stop, seen.records.len()), (Some(Stop::Budget), 2));
}
