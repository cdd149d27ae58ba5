//! A provider and an evaluator that panic, in a program of any profile: each is an error of its trial.
//!
//! `cargo test` always unwinds, whatever the profile says. `./test` therefore runs this program with
//! the release profile, where `panic = "abort"` would end it.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use agentv_core::{
    BoxFuture, CaseIdentity, Digest, EvalCase, EvalFile, Evaluation, Evaluator, EvaluatorError,
    EvaluatorSpec, Extra, Limits, Provider, ProviderError, Request, Score, Secrets, Stage, Subject,
    Target, Transcript, Trial, TrialKeys, Work,
};
use agentv_runner::{Assignment, Executor, ExecutorSpec, Graders, StopHandle};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The ids of the cases, and the stage in which each of them panics.
const CASES: [(&str, Option<Stage>); 3] = [
    ("provider panics", Some(Stage::Target)),
    ("evaluator panics", Some(Stage::Evaluator)),
    ("nothing panics", None),
];

/// Panics as a provider or as an evaluator, depending on the case.
struct Panics;

impl Provider for Panics {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async {
            assert_ne!(request.eval_id, CASES[0].0, "as a provider");
            Ok(Transcript::of_text("4"))
        })
    }
}

impl Evaluator for Panics {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async {
            assert_ne!(subject.case.id, CASES[1].0, "as an evaluator");
            Ok(Evaluation::of(Score::of(true)))
        })
    }
}

impl Graders for Panics {
    fn build(&self, _: &EvalFile, _: &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        Ok(Arc::new(Panics))
    }
}

fn executor() -> Executor {
    let target = Target {
        name: "default".to_owned(),
        kind: "example".to_owned(),
        settings: Extra::new(),
        settings_digest: Digest::of_settings(&Extra::new()),
        judge_target: None,
        limits: Limits::API,
        provider: Arc::new(Panics),
    };
    let names = HashMap::from([("default".to_owned(), 0)]);
    Executor::new(ExecutorSpec {
        targets: vec![target],
        judges: Vec::new(),
        assignment: Arc::new(Assignment {
            chosen: vec!["default".to_owned()],
            targets: HashMap::from([(0, names)]),
            programs: HashMap::new(),
        }),
        graders: Arc::new(Panics),
        stop: StopHandle::default(),
        stop_on_required: false,
        include_trace: false,
        secrets: Secrets::default(),
        notify: Arc::new(|_| {}),
    })
}

fn trial(id: &str) -> Result<Trial, serde_json::Error> {
    let case: EvalCase = serde_json::from_value(json!({
        "id": id,
        "dataset": "panics",
        "expected_outcome": "4",
        "input_messages": [{"role": "user", "content": "What is 2+2?"}],
        "evaluators": [{"name": "example", "type": "example"}],
    }))?;
    let folder: Arc<Path> = Arc::from(Path::new("/"));
    Ok(Trial {
        file: Arc::new(EvalFile {
            index: 0,
            name: "panics.yaml".into(),
            folder: Arc::clone(&folder),
            root: folder,
        }),
        identity: CaseIdentity::of(&case),
        case: Arc::new(case),
        position: None,
        target: "default".into(),
        number: 1,
        work: Work::Ask,
        keys: TrialKeys {
            answer: String::new(),
            grade: String::new(),
        },
        files: Arc::new([]),
        judge: "default".into(),
        reads_files: false,
        dry_run: false,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The panics are expected, and would fill the screen with backtraces.
    std::panic::set_hook(Box::new(|_| {}));
    let executor = executor();
    for (id, expected) in CASES {
        let outcome = executor.execute(&trial(id)?).await;
        let result = outcome.result.ok_or("the trial has no result")?;
        let found = result.error.as_ref().map(|error| error.stage);
        if found != expected {
            return Err(format!("`{id}`: expected {expected:?}, found {:?}", result.error).into());
        }
    }
    Ok(())
}
