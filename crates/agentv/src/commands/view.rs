//! `agentv view`: shows runs on a page in the browser.

use std::io::{self, Read, Write};
use std::path::Path;

use agentv_journal::RunFolder;
use agentv_project::{Project, ProjectError, counted};
use agentv_view::{Binding, Runs};

use crate::arguments::ViewArguments;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::page_server::{self, PageServer, USUAL_PORT};
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &ViewArguments) -> Result<Exit, CommandError> {
    if let Some(folder) = &arguments.bundle {
        return bundle(arguments, folder);
    }
    let user = arguments
        .user
        .clone()
        .unwrap_or_else(page_server::user_name);
    let found = runs(arguments)?;
    let any_port = arguments.port.is_none();
    let again = || found.again().with_user(&user);
    let PageServer { runtime, server } = PageServer::listen(&again, binding(arguments)?, any_port)?;
    let address = server.address();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{address}")?;
    stdout.flush()?;
    drop(stdout);
    output::note("press Ctrl-C to stop");
    if arguments.open && !page_server::opens(&address) {
        output::warning("no browser could be started: open the address yourself");
    }
    let served = runtime.block_on(server.run());
    served.map_err(ProjectError::from_error)?;
    Ok(Exit::Success)
}

/// Writes the runs as a static site.
fn bundle(arguments: &ViewArguments, folder: &Path) -> Result<Exit, CommandError> {
    let runs = runs(arguments)?;
    let written = runs.bundle(folder).map_err(ProjectError::not_written)?;
    for (run, reason) in &written.problems {
        output::warning(&format!("run `{run}` has no page: {reason}"));
    }
    if written.large > 0 {
        let pages = counted(written.large as u64, "page");
        output::note(&format!(
            "{pages} of large runs need a web server; all others can be opened as files"
        ));
    }
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", folder.join("index.html").display())?;
    Ok(Exit::Success)
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
