//! Parts that stand in for the real ones in tests.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentv_core::{
    BoxFuture, Digest, EvalCase, Evaluation, Evaluator, EvaluatorError, EvaluatorSpec, Extra,
    Limits, Planned, Provider, ProviderError, ReportError, Reporter, Request, ResultRecord, Retry,
    RunEvent, Secrets, Stop, Subject, Target, Transcript,
};
use agentv_journal::{RecordFile, RunFolder};
use tokio_util::sync::CancellationToken;

use crate::*;

/// A case that an answer with `4` passes.
pub(crate) fn case(id: &str, question: &str) -> EvalCase {
    let json = serde_json::json!({
        "id": id, "dataset": "d", "expected_outcome": "right",
        "input_messages": [{"role": "user", "content": question}],
        "evaluators": [{"name": "contains", "type": "contains", "value": "4"}],
    });
    serde_json::from_value(json).unwrap()
}

/// The behaviour of a scripted provider.
pub(crate) type Script = dyn Fn(&Request) -> Result<Transcript, ProviderError> + Send + Sync;

/// Answers by a script, and counts.
pub(crate) struct Scripted {
    pub(crate) calls: AtomicU64,
    pub(crate) delay: Duration,
    pub(crate) script: Box<Script>,
}

impl Provider for Scripted {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            if !self.delay.is_zero() {
                tokio::select! {
                    () = tokio::time::sleep(self.delay) => {}
                    () = cancel.cancelled() => return Err(ProviderError::cancelled()),
                }
            }
            (self.script)(request)
        })
    }
}

pub(crate) fn scripted(
    script: impl Fn(&Request) -> Result<Transcript, ProviderError> + Send + Sync + 'static,
) -> Arc<Scripted> {
    Arc::new(Scripted {
        calls: AtomicU64::new(0),
        delay: Duration::ZERO,
        script: Box::new(script),
    })
}

/// A target that answers `4` to everything.
pub(crate) fn target(name: &str) -> Target {
    target_with(name, scripted(|_| Ok(Transcript::of_text("4"))))
}

pub(crate) fn target_with(name: &str, provider: Arc<dyn Provider>) -> Target {
    let retry = Retry {
        initial_delay: Duration::from_millis(1),
        ..Retry::DEFAULT
    };
    Target {
        name: name.to_owned(),
        kind: "scripted".to_owned(),
        settings: Extra::new(),
        settings_digest: Digest::of_settings(&Extra::new()),
        judge_target: None,
        limits: Limits {
            retry,
            ..Limits::API
        },
        provider,
    }
}

/// `contains` alone.
pub(crate) struct Contains;

struct ContainsValue(String);

impl Graders for Contains {
    fn build(
        &self,
        _: &EvalFile,
        spec: &EvaluatorSpec,
    ) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        let value = spec.options["value"].as_str();
        let value = value.ok_or_else(|| EvaluatorError::new("no value"))?;
        Ok(Arc::new(ContainsValue(value.to_owned())))
    }
}

impl Evaluator for ContainsValue {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        let met = subject.answer.contains(&self.0);
        Box::pin(async move { Ok(Evaluation::check(met, &self.0)) })
    }
}

pub(crate) struct Cases {
    pub(crate) file: Arc<EvalFile>,
    pub(crate) cases: Vec<EvalCase>,
}

impl CaseSource for Cases {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        for case in &self.cases {
            if visit(&self.file, case.clone()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The eval file of all cases.
pub(crate) fn file() -> Arc<EvalFile> {
    Arc::new(EvalFile {
        index: 0,
        name: "a.yaml".into(),
        folder: Arc::from(Path::new("/project")),
        root: Arc::from(Path::new("/project")),
    })
}

/// Everything that was seen, in order.
#[derive(Default)]
pub(crate) struct SeenEvents {
    pub(crate) records: Vec<(ResultRecord, bool)>,
    pub(crate) retries: Vec<f64>,
    pub(crate) stops: Vec<Stop>,
    pub(crate) notices: Vec<String>,
    pub(crate) started: u64,
    pub(crate) abandoned: u64,
}

impl Reporter for SeenEvents {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        match event {
            RunEvent::Finished { record, reused } => {
                self.records.push((ResultRecord::clone(record), *reused));
            }
            RunEvent::Retrying { wait_ms, .. } => self.retries.push(*wait_ms),
            RunEvent::Stopping { reason } => self.stops.push(*reason),
            RunEvent::Noticed { message } => self.notices.push(message.clone()),
            RunEvent::Abandoned(_) => self.abandoned += 1,
            RunEvent::Started(_) => self.started += 1,
            RunEvent::Planned(_) | RunEvent::Active { .. } | RunEvent::Workers { .. } => {}
        }
        Ok(())
    }
}

/// Changes the number of trials per case in a plan.
pub(crate) fn with_trials(spec: &mut RunSpec, number: u32) {
    if let TrialsSpec::Cases { trials, .. } = &mut spec.trials {
        *trials = number;
    }
}

/// Returns the selection of a plan.
pub(crate) fn selection_of(spec: &mut RunSpec) -> &mut Selection {
    match &mut spec.trials {
        TrialsSpec::Cases { selection, .. } => selection,
        TrialsSpec::Answers { .. } => panic!("answers are not selected"),
    }
}

/// A run of some cases in a folder of its own, which can be repeated.
pub(crate) struct Trying {
    pub(crate) folder: RunFolder,
    pub(crate) cases: Vec<EvalCase>,
    pub(crate) targets: Vec<Target>,
    _results: tempfile::TempDir,
}

impl Trying {
    pub(crate) fn new(cases: Vec<EvalCase>, targets: Vec<Target>) -> Trying {
        let results = tempfile::tempdir().unwrap();
        Trying {
            folder: RunFolder::create_at(results.path(), jiff::Timestamp::now()).unwrap(),
            cases,
            targets,
            _results: results,
        }
    }

    /// Runs with `change` made to the plan; says how it ended and what was seen.
    pub(crate) async fn run(&self, change: impl FnOnce(&mut RunSpec)) -> (Ended, SeenEvents) {
        self.run_until(StopHandle::default(), change).await
    }

    pub(crate) async fn run_until(
        &self,
        stop: StopHandle,
        change: impl FnOnce(&mut RunSpec),
    ) -> (Ended, SeenEvents) {
        let mut spec = self.spec();
        change(&mut spec);
        let seen = Arc::new(Mutex::new(SeenEvents::default()));
        let ended = run(spec, stop, Arc::clone(&seen) as SharedReporter).await;
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        (ended, seen)
    }

    fn spec(&self) -> RunSpec {
        let mut writer = self.folder.write(jiff::Timestamp::now()).unwrap();
        let file = file();
        let names = self.targets.iter().map(|target| target.name.clone());
        RunSpec {
            trials: TrialsSpec::Cases {
                source: Arc::new(Cases {
                    file,
                    cases: self.cases.clone(),
                }),
                selection: Selection::default(),
                trials: 1,
                dry_run: false,
            },
            assignment: Assignment {
                chosen: names.clone().collect(),
                targets: HashMap::from([(0, names.zip(0..).collect())]),
                ..Assignment::default()
            },
            targets: self.targets.clone(),
            judges: Vec::new(),
            planned: Planned::default(),
            graders: Arc::new(Contains),
            previous_run: PreviousRun::read(&self.folder, false).unwrap(),
            journal: Journal::open(&mut writer, Secrets::default()).unwrap(),
            cache: None,
            budget: None,
            max_time: None,
            stop_on_required: false,
            include_trace: false,
            workspaces: None,
            include_raw: false,
            dump_prompts: None,
            grace: Duration::from_secs(5),
            engine: None,
            has_dependencies: false,
        }
    }

    /// The lines of a record file.
    pub(crate) fn lines(&self, file: RecordFile) -> usize {
        let text = std::fs::read_to_string(self.folder.file(file)).unwrap_or_default();
        text.lines().count()
    }
}
