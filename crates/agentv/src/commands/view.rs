//! `agentv view`: shows runs on a page in the browser.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use agentv_journal::RunFolder;
use agentv_project::{Project, ProjectError};
use agentv_view::{Binding, Runs, Server, ViewError};

use crate::arguments::ViewArguments;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::stderr_notices::StderrNotices;

/// The port that is tried first, so that the address of the page is usually the same.
const USUAL_PORT: u16 = 7333;

pub(crate) fn run(arguments: &ViewArguments) -> Result<Exit, CommandError> {
    let binding = binding(arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ProjectError::because(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let server = listening(arguments, binding).await?;
        let address = server.address();
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{address}")?;
        stdout.flush()?;
        drop(stdout);
        output::note("press Ctrl-C to stop");
        if arguments.open && !opens(&address) {
            output::warning("no browser could be started: open the address yourself");
        }
        server.run().await.map_err(ProjectError::from_error)?;
        Ok(Exit::Success)
    })
}

/// Listens on the requested port, or on a free one if the usual port is in use.
async fn listening(arguments: &ViewArguments, binding: Binding) -> Result<Server, ProjectError> {
    let free = Binding {
        port: 0,
        ..binding.clone()
    };
    match Server::bind(runs(arguments)?, binding).await {
        Err(ViewError::Listen { .. }) if arguments.port.is_none() => {
            let server = Server::bind(runs(arguments)?, free).await;
            server.map_err(ProjectError::from_error)
        }
        server => server.map_err(|error| {
            let hint = Some("choose another port with `--port`, or `--port 0` for any".to_owned());
            ProjectError::with_hint(error.to_string(), hint)
        }),
    }
}

fn binding(arguments: &ViewArguments) -> Result<Binding, ProjectError> {
    let binding = Binding::loopback(arguments.port.unwrap_or(USUAL_PORT));
    let host = arguments.host.unwrap_or(binding.host);
    let token = if host.is_loopback() {
        None
    } else {
        Some(random_token()?)
    };
    Ok(Binding {
        host,
        token,
        ..binding
    })
}

/// Returns 128 random bits of the system.
fn random_token() -> Result<String, ProjectError> {
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| ProjectError::because(format!("no random token can be made: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the runs that the user names.
fn runs(arguments: &ViewArguments) -> Result<Runs, ProjectError> {
    let project = Project::here();
    let Some(name) = &arguments.path else {
        return Ok(Runs::of_folder(project.run_folders()?.path()));
    };
    let path = Path::new(name);
    let is_run = |path: &Path| {
        ["run.json", "results.jsonl"]
            .iter()
            .any(|file| path.join(file).is_file())
    };
    if is_run(path) {
        let folder = RunFolder::open(path).map_err(ProjectError::from_error)?;
        return Ok(Runs::only(&folder));
    }
    let results = path.join(".agentv").join("results");
    if results.is_dir() {
        return Ok(Runs::of_folder(&results));
    }
    if path.is_dir() {
        return Ok(Runs::of_folder(path));
    }
    let found = project
        .run_folders()?
        .find(name, &mut StderrNotices::new())?;
    Ok(Runs::only(&found.folder))
}

/// Starts the browser of the system.
fn opens(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok()
}
