//! Runs the cases of an eval file against a provider that is written in Rust, grades its answers, and prints the
//! summary.
//!
//! ```sh
//! cargo run -p agentv-project --example own_provider -- examples/quickstart/evals/capitals.yaml results
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agentv_core::{
    BoxFuture, Digest, EvalFile, EvaluatorError, EvaluatorSpec, Extra, Limits, Provider,
    ProviderError, Request, Secrets, Target, Transcript,
};
use agentv_dataset::{LoadOptions, load_eval_cases};
use agentv_evaluators::{BuildContext, Builder};
use agentv_journal::RunFolder;
use agentv_project::DEFINITIONS;
use agentv_report::{Summary, SummaryFold};
use agentv_runner::{CaseList, Journal, RunSpec, StopHandle};
use tokio_util::sync::CancellationToken;

/// The system under test. It knows one capital.
struct Atlas;

impl Provider for Atlas {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async {
            let asked = request.prompt.text();
            let answer = if asked.contains("France") {
                "Paris"
            } else {
                "I do not know."
            };
            Ok(Transcript::of_text(answer))
        })
    }
}

fn atlas() -> Target {
    Target {
        name: "atlas".to_owned(),
        kind: "atlas".to_owned(),
        settings: Extra::new(),
        settings_digest: Digest::of_settings(&Extra::new()),
        judge_target: None,
        limits: Limits::API,
        provider: Arc::new(Atlas),
    }
}

/// Runs the cases of a file. Every answer and grade is written to a new folder in `results` as soon as it exists.
async fn evaluate(file: &Path, results: &Path) -> Result<(Summary, PathBuf), Box<dyn Error>> {
    let here = std::env::current_dir()?;
    let loaded = load_eval_cases(file, &LoadOptions::new(DEFINITIONS, &here))?;
    let builder = Builder::new(BuildContext::new(&here));
    let graders = move |_: &EvalFile, spec: &EvaluatorSpec| {
        let built = builder.build(spec);
        built.map_err(|error| EvaluatorError::new(error.source))
    };
    let now = jiff::Timestamp::now();
    let folder = RunFolder::create_at(results, now)?;
    let mut writer = folder.write(now)?;
    let journal = Journal::open(&mut writer, Secrets::default())?;
    let cases = CaseList::new(file, &here, loaded.cases);
    let spec = RunSpec::new(cases, atlas(), Arc::new(graders), journal);

    let fold = Arc::new(Mutex::new(SummaryFold::new()));
    let reporter = Arc::clone(&fold);
    let ended = agentv_runner::run(spec, StopHandle::default(), reporter).await;
    if let Some(error) = ended.error {
        return Err(error.into());
    }
    let summary = fold.lock().map_err(|error| error.to_string())?.finish(0);
    Ok((summary, folder.path().to_owned()))
}

#[expect(clippy::print_stdout, reason = "the result of the program")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(file), Some(results)) = (arguments.next(), arguments.next()) else {
        return Err("name an eval file and a folder for results".into());
    };
    let (summary, folder) = evaluate(&file, &results).await?;
    let statuses = &summary.statuses;
    println!("{} passed, {} failed", statuses.pass, statuses.fail);
    println!("results in {}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_answer_is_graded_and_recorded() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("capitals.yaml");
        std::fs::write(
            &file,
            "evalcases:\n\
             - {id: france, expected_outcome: Names Paris, input: The capital of France?, evaluators: [{contains: Paris}]}\n\
             - {id: italy, expected_outcome: Names Rome, input: The capital of Italy?, evaluators: [{contains: Rome}]}\n",
        )?;
        let (summary, run) = evaluate(&file, &folder.path().join("results")).await?;
        assert_eq!((summary.statuses.pass, summary.statuses.fail), (1, 1));
        let written = std::fs::read_to_string(run.join("results.jsonl"))?;
        assert_eq!(written.lines().count(), 2);
        Ok(())
    }
}
