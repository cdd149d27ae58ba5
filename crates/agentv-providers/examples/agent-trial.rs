//! Runs an agent once in a folder of its own, and prints the transcript.
//!
//! `agent-trial TARGETS NAME FOLDER < PROMPT`: the workspace is `FOLDER/work`, `FOLDER/home` and
//! `FOLDER/tmp`, which stay. The script `record-agents` uses it.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Request, WorkspaceFolders};
use agentv_providers::{Environment, Surroundings, Targets};
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
        return exit;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [targets, name, folder] = arguments.as_slice() else {
        let _ = writeln!(
            io::stderr(),
            "usage: agent-trial TARGETS NAME FOLDER < PROMPT"
        );
        return ExitCode::from(2);
    };
    match run(Path::new(targets), name, Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(targets: &Path, name: &str, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut prompt = String::new();
    io::stdin().read_to_string(&mut prompt)?;
    let project: PathBuf = targets.parent().unwrap_or(Path::new(".")).canonicalize()?;
    let surroundings = Surroundings {
        folder: project.clone(),
        root: project.clone(),
        working_dir: project.clone(),
    };
    let targets = Targets::read(targets, &Arc::from("targets.yaml"), &surroundings)
        .map_err(|problems| format!("{problems:?}"))?;
    let target = targets.resolve(name, &Environment::of_process())?.target;
    let timeout = target.limits.timeout.min(Duration::from_secs(600));
    let request = Request {
        workspace: Some(Arc::new(workspace(folder)?)),
        ..Request::of_text(prompt, project.into(), timeout)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let cancel = CancellationToken::new();
    let answer = runtime.block_on(target.provider.answer(&request, &cancel));
    let (transcript, error) = match answer {
        Ok(transcript) => (Some(Box::new(transcript)), None),
        Err(error) => {
            let cause = format!("{:?}", error.cause);
            (
                error.partial,
                Some(json!({"cause": cause, "message": error.message})),
            )
        }
    };
    let outcome = json!({"transcript": transcript, "error": error});
    writeln!(io::stdout(), "{outcome}")?;
    Ok(())
}

fn workspace(folder: &Path) -> io::Result<WorkspaceFolders> {
    let make = |name: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(&path)?;
        path.canonicalize()
    };
    Ok(WorkspaceFolders {
        work: make("work")?,
        home: make("home")?,
        tmp: make("tmp")?,
    })
}
