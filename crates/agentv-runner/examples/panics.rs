//! Providers, judges and evaluators that panic, in a program of any profile: each is an error.
//!
//! `cargo test` always unwinds, whatever the profile says. `./test` therefore runs this program with
//! the release profile, where `panic = "abort"` would end it.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentv_core::{
    BatchProvider, BoxFuture, Digest, EvalCase, EvalFile, Evaluation, Evaluator, EvaluatorError,
    EvaluatorSpec, Extra, Judge, JudgeRequest, Judging, Limits, Planned, Prompt, Provider,
    ProviderError, ReportError, Reporter, Request, Score, Secrets, Stage, Subject, Target,
    Transcript,
};
use agentv_journal::RunFolder;
use agentv_runner::{
    Assignment, CaseSource, Ended, Graders, Journal, PreviousRun, RunSpec, Selection, SourceError,
    StopHandle, TrialsSpec, Visit,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const PROVIDER: &str = "provider panics";
const EVALUATOR: &str = "evaluator panics";
const JUDGE: &str = "judge panics";

/// The ids of the cases, and the stage in which each of them panics.
const CASES: [(&str, Option<Stage>); 4] = [
    (PROVIDER, Some(Stage::Target)),
    (EVALUATOR, Some(Stage::Evaluator)),
    (JUDGE, Some(Stage::Evaluator)),
    ("nothing panics", None),
];

/// A provider that panics.
#[derive(Clone, Copy, PartialEq)]
enum Panics {
    /// Panics for one case.
    Asked,
    /// Panics when it is prepared.
    Prepared,
    /// Panics when it is asked for all cases at once.
    Batched,
    /// Panics when it judges one case.
    Judging,
}

impl Provider for Panics {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        match self {
            // A panic may also come before there is a future.
            Panics::Judging => assert_ne!(request.eval_id, JUDGE, "as a judge"),
            Panics::Asked | Panics::Prepared | Panics::Batched => {}
        }
        Box::pin(async {
            assert_ne!(request.eval_id, PROVIDER, "as a provider");
            Ok(Transcript::of_text("4"))
        })
    }

    fn prepare<'a>(&'a self, _: &'a CancellationToken) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async {
            assert!(*self != Panics::Prepared, "as it is prepared");
            Ok(())
        })
    }

    fn batch(&self) -> Option<&dyn BatchProvider> {
        (*self == Panics::Batched).then_some(self)
    }
}

impl BatchProvider for Panics {
    fn answer_all<'a>(
        &'a self,
        _: &'a [Request],
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Result<Transcript, ProviderError>>, ProviderError>> {
        Box::pin(async { panic!("as a batch") })
    }
}

/// Panics for one case, and asks the judge for the others.
struct AsksJudge;

impl Evaluator for AsksJudge {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async {
            assert_ne!(subject.case.id, EVALUATOR, "as an evaluator");
            let Some(Judging(judges)) = subject.judging else {
                return Err(EvaluatorError::new("there is no judge"));
            };
            let request = JudgeRequest {
                prompt: Prompt::of_text("Is it right?"),
                output_schema: None,
            };
            let judge = Judge::Named("judge".to_owned());
            let asked = judges.ask(&judge, request).await;
            asked.map_err(|error| EvaluatorError::new(error.message))?;
            Ok(Evaluation::of(Score::of(true)))
        })
    }
}

impl Graders for AsksJudge {
    fn build(&self, _: &EvalFile, _: &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        Ok(Arc::new(AsksJudge))
    }
}

struct Cases;

impl CaseSource for Cases {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        let folder: Arc<Path> = Arc::from(Path::new("/"));
        let file = Arc::new(EvalFile {
            index: 0,
            name: "panics.yaml".into(),
            folder: Arc::clone(&folder),
            root: folder,
        });
        for (id, _) in CASES {
            let case: Result<EvalCase, _> = serde_json::from_value(json!({
                "id": id,
                "dataset": "panics",
                "expected_outcome": "4",
                "input_messages": [{"role": "user", "content": "What is 2+2?"}],
                "evaluators": [{"name": "example", "type": "example"}],
            }));
            let case = case.map_err(SourceError::load)?;
            if visit(&file, case).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Collects the stage in which each trial errored.
#[derive(Default)]
struct Stages(HashMap<String, Option<Stage>>);

impl Reporter for Stages {
    fn on_event(&mut self, event: &agentv_core::RunEvent) -> Result<(), ReportError> {
        if let agentv_core::RunEvent::Finished { record, .. } = event {
            let stage = record.error.as_ref().map(|error| error.stage);
            self.0.insert(record.eval_id.clone(), stage);
        }
        Ok(())
    }
}

fn target(name: &str, provider: Panics) -> Target {
    Target {
        name: name.to_owned(),
        kind: "example".to_owned(),
        settings: Extra::new(),
        settings_digest: Digest::of_settings(&Extra::new()),
        judge_target: None,
        limits: Limits::API,
        provider: Arc::new(provider),
    }
}

/// Runs all cases with a target. A budget makes calls wait for each other.
async fn run(provider: Panics) -> Result<(Ended, HashMap<String, Option<Stage>>), Box<dyn Error>> {
    let results = tempfile::tempdir()?;
    let now = jiff::Timestamp::now();
    let folder = RunFolder::create_at(results.path(), now)?;
    let mut writer = folder.write(now)?;
    let names = HashMap::from([("default".to_owned(), 0), ("judge".to_owned(), 1)]);
    let spec = RunSpec {
        trials: TrialsSpec::Cases {
            source: Arc::new(Cases),
            selection: Selection::default(),
            trials: 1,
            dry_run: false,
        },
        targets: vec![target("default", provider)],
        judges: vec![target("judge", Panics::Judging)],
        assignment: Assignment {
            chosen: vec!["default".to_owned()],
            targets: HashMap::from([(0, names)]),
            ..Assignment::default()
        },
        planned: Planned::default(),
        graders: Arc::new(AsksJudge),
        journal: Journal::open(&mut writer, Secrets::default())?,
        previous_run: PreviousRun::default(),
        cache: None,
        budget: Some(1.0),
        max_time: None,
        stop_on_required: false,
        include_trace: false,
        workspaces: None,
        include_raw: false,
        dump_prompts: None,
        grace: Duration::ZERO,
        engine: None,
        has_dependencies: false,
    };
    let stages = Arc::new(Mutex::new(Stages::default()));
    let reporter = Arc::clone(&stages);
    let ended = agentv_runner::run(spec, StopHandle::default(), reporter).await;
    let stages = std::mem::take(&mut stages.lock().map_err(|error| error.to_string())?.0);
    Ok((ended, stages))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The panics are expected, and would fill the screen with backtraces.
    std::panic::set_hook(Box::new(|_| {}));
    let (_, stages) = run(Panics::Asked).await?;
    let expected = CASES.map(|(id, stage)| (id.to_owned(), stage));
    if stages != HashMap::from(expected) {
        return Err(format!("asked one by one: {stages:?}").into());
    }
    let (_, stages) = run(Panics::Batched).await?;
    let expected = CASES.map(|(id, _)| (id.to_owned(), Some(Stage::Target)));
    if stages != HashMap::from(expected) {
        return Err(format!("asked all at once: {stages:?}").into());
    }
    let (ended, stages) = run(Panics::Prepared).await?;
    match ended.error.map(|error| error.to_string()) {
        Some(error) if error.contains("as it is prepared") && stages.is_empty() => Ok(()),
        error => Err(format!("prepared: {error:?}, {stages:?}").into()),
    }
}
