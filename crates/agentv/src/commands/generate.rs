//! `agentv generate`: lets a target draft checklists or cases.

use std::io::Write;
use std::path::Path;

use agentv_project::{
    Author, GenerateError, Project, ProjectError, counted, draft_cases, draft_rubrics,
};
use agentv_report::replace_file;
use similar::TextDiff;

use crate::arguments::{
    AuthorArguments, GenerateAction, GenerateArguments, GenerateCasesArguments,
    GenerateRubricsArguments,
};
use crate::exit::{CommandError, Exit};
use crate::log;
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &GenerateArguments) -> Result<Exit, CommandError> {
    let ended = match &arguments.action {
        GenerateAction::Rubrics(arguments) => rubrics(arguments),
        GenerateAction::Cases(arguments) => cases(arguments),
    };
    match ended {
        Err(Failure::Draft(
            error @ (GenerateError::NoAnswer { .. } | GenerateError::Unusable { .. }),
        )) => {
            output::error(&error.to_string(), None);
            Ok(Exit::Errored)
        }
        Err(Failure::Draft(GenerateError::Project(error))) => Err(error.into()),
        Err(Failure::Draft(error)) => Err(ProjectError::from_error(error).into()),
        Err(Failure::Command(error)) => Err(error),
        Ok(()) => Ok(Exit::Success),
    }
}

/// The reason why nothing was generated.
enum Failure {
    Draft(GenerateError),
    Command(CommandError),
}

impl<E: Into<GenerateError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Draft(error.into())
    }
}

fn rubrics(arguments: &GenerateRubricsArguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.output {
        keep(path)?;
    }
    let project = Project::here();
    let author = author(&project, &arguments.author)?;
    let options = arguments.load.options(&project);
    let drafted = within(async {
        let drafted = draft_rubrics(&arguments.file, &options, &author).await;
        author.end().await;
        drafted
    })??;
    let said = format!(
        "{} got a checklist, {} already had one or has no expected outcome",
        counted(drafted.cases, "case"),
        counted(drafted.skipped, "case")
    );
    let path = match &arguments.output {
        Some(path) => Some(path),
        None => arguments.write.then_some(&arguments.file),
    };
    let Some(path) = path else {
        let name = arguments.file.display().to_string();
        let diff = TextDiff::from_lines(&drafted.before, &drafted.after);
        let diff = diff.unified_diff().header(&name, &name).to_string();
        print(&diff)?;
        output::note(&format!(
            "{said}; nothing was written: use `--write` or `--out`"
        ));
        return Ok(());
    };
    write(path, &drafted.after)?;
    output::note(&format!("{said}; wrote `{}`", path.display()));
    Ok(())
}

fn cases(arguments: &GenerateCasesArguments) -> Result<(), Failure> {
    let path = arguments.output.as_deref().filter(|_| !arguments.dry_run);
    if let Some(path) = path {
        keep(path)?;
    }
    let project = Project::here();
    let author = author(&project, &arguments.author)?;
    let drafted = within(async {
        let drafted = draft_cases(&arguments.from, arguments.count, &author).await;
        author.end().await;
        drafted
    })??;
    match path {
        None => print(&drafted.suite),
        Some(path) => {
            write(path, &drafted.suite)?;
            let cases = counted(drafted.cases, "case");
            output::note(&format!("wrote {cases} to `{}`", path.display()));
            Ok(())
        }
    }
}

fn author(project: &Project, arguments: &AuthorArguments) -> Result<Author, ProjectError> {
    let notices = &mut StderrNotices::new();
    let targets = arguments.targets.as_deref();
    let author = Author::new(project, arguments.target.as_deref(), targets, notices)?;
    log::hide(author.secrets());
    Ok(author)
}

fn within<T>(work: impl Future<Output = T>) -> Result<T, ProjectError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ProjectError::because(format!("no target can be called: {error}")))?;
    Ok(runtime.block_on(work))
}

/// Refuses to replace a file.
fn keep(path: &Path) -> Result<(), ProjectError> {
    if path.exists() {
        let message = format!("`{}` already exists", path.display());
        let hint = "choose another file with `--out`".to_owned();
        return Err(ProjectError::with_hint(message, Some(hint)));
    }
    Ok(())
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = output::stdout();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| Failure::Command(error.into()))
}

fn write(path: &Path, text: &str) -> Result<(), ProjectError> {
    let written = replace_file(path, &mut |out| out.write_all(text.as_bytes()));
    written.map_err(ProjectError::not_written)
}
