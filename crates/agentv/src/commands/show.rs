//! `agentv show`: prints resolved cases, or the results of a run.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::ControlFlow;

use agentv_core::{ResultRecord, TranscriptRecord};
use agentv_dataset::{Checked, Dataset, LoadError};
use agentv_journal::{Key, KeyFields, RecordFile, RunFolder};
use agentv_project::{Project, ProjectError, each_result};
use agentv_report::render_trial;
use agentv_syntax::{Draft, Severity, nearest};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{CaseFormat, ShowArguments};
use crate::diagnostics::DiagnosticPrinter;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &ShowArguments) -> Result<Exit, CommandError> {
    match run_of(arguments)? {
        Some(folder) => show_results(arguments, &folder),
        None => show_cases(arguments),
    }
}

/// Returns the run that the argument names, or `None` if it is an eval file.
fn run_of(arguments: &ShowArguments) -> Result<Option<RunFolder>, ProjectError> {
    let path = &arguments.file;
    if path.join("run.json").is_file() {
        return RunFolder::open(path)
            .map(Some)
            .map_err(ProjectError::from_error);
    }
    let Some(name) = path.to_str().filter(|_| !path.exists()) else {
        return Ok(None);
    };
    // An eval file has an extension.
    let is_run = name == "latest" || name.starts_with("latest~") || path.extension().is_none();
    let found = Project::here().run_folders();
    let found = found.and_then(|folders| folders.find(name, &mut StderrNotices::new()));
    match found {
        Ok(run) => Ok(Some(run.folder)),
        Err(error) if is_run => Err(error),
        // The name of an eval file that does not exist.
        Err(_) => Ok(None),
    }
}

fn show_cases(arguments: &ShowArguments) -> Result<Exit, CommandError> {
    let (dataset, checked) = open(arguments)?;
    let format = arguments.format.unwrap_or(CaseFormat::Json);
    if arguments.trial.is_some() || arguments.target.is_some() {
        let message = "`--trial` and `--target` choose results of a run, and this is an eval file";
        return Err(ProjectError::because(message).into());
    }
    if format == CaseFormat::Text {
        let message = "`--format text` is for the trials of a run; use `json` or `yaml`";
        return Err(ProjectError::because(message).into());
    }
    let mut printer = Printer::new(output::stdout(), format);
    let mut near: Option<String> = None;
    for case in dataset.cases(&checked).map_err(unusable)? {
        let case = match case {
            Ok(case) => case,
            Err(error) => {
                printer.out.flush()?;
                return Err(unusable(error).into());
            }
        };
        match &arguments.id {
            None => printer.print(&case)?,
            Some(id) if *id == case.id => {
                printer.print(&case)?;
                break;
            }
            Some(id) => {
                if near.is_none() && nearest(id, [case.id.as_str()]).is_some() {
                    near = Some(case.id);
                }
            }
        }
    }
    printer.out.flush()?;
    match &arguments.id {
        Some(id) if printer.printed == 0 => {
            let skipped = (checked.skipped > 0)
                .then(|| "the skipped cases reported above are not shown".to_owned());
            let near = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{}` has no case `{id}`", arguments.file.display());
            Err(ProjectError::with_hint(message, near.or(skipped)).into())
        }
        _ => Ok(Exit::Success),
    }
}

/// Opens and checks the eval file. Prints its problems.
fn open(arguments: &ShowArguments) -> Result<(Dataset, Checked), ProjectError> {
    let options = arguments.load.options(&Project::here());
    let printer = DiagnosticPrinter::for_loading();
    let dataset = Dataset::open(&arguments.file, &options).map_err(unusable)?;
    let mut fatal = None;
    let checked = dataset.check(&mut |diagnostic| {
        if diagnostic.severity() == Severity::Fatal {
            fatal = Some(diagnostic);
            return ControlFlow::Break(());
        }
        printer.print_error(&diagnostic);
        ControlFlow::Continue(())
    });
    match fatal {
        Some(diagnostic) => Err(ProjectError::Problems(vec![diagnostic])),
        None => Ok((dataset, checked)),
    }
}

fn unusable(error: LoadError) -> ProjectError {
    ProjectError::Problems(vec![*error.diagnostic])
}

/// Prints the results of a run, or those of one case: the last of each trial.
fn show_results(arguments: &ShowArguments, folder: &RunFolder) -> Result<Exit, CommandError> {
    let usual = match &arguments.id {
        Some(_) => CaseFormat::Text,
        None => CaseFormat::Json,
    };
    let format = arguments.format.unwrap_or(usual);
    if format == CaseFormat::Text {
        return show_trials(arguments, folder);
    }
    let mut printer = Printer::new(output::stdout(), format);
    let mut printed: io::Result<()> = Ok(());
    let mut known = KnownIds::default();
    let read = each_result(folder, &mut |record| {
        known.note(arguments, &record);
        if wants(arguments, &record) && printed.is_ok() {
            printed = printer.print(&record);
        }
    });
    printed?;
    printer.out.flush()?;
    read?;
    if printer.printed == 0 && is_narrowed(arguments) {
        return Err(no_result(folder, arguments, known));
    }
    Ok(Exit::Success)
}

/// Returns true if a result is one that the arguments ask for.
fn wants(arguments: &ShowArguments, record: &ResultRecord) -> bool {
    arguments.id.as_ref().is_none_or(|id| *id == record.eval_id)
        && arguments.trial.is_none_or(|trial| trial == record.trial)
        && arguments
            .target
            .as_ref()
            .is_none_or(|target| **target == *record.target)
}

/// Returns true if the arguments ask for some of the results.
fn is_narrowed(arguments: &ShowArguments) -> bool {
    arguments.id.is_some() || arguments.trial.is_some() || arguments.target.is_some()
}

/// Prints the trials of a run, or those of one case, for people.
fn show_trials(arguments: &ShowArguments, folder: &RunFolder) -> Result<Exit, CommandError> {
    let style = output::style_of(&io::stdout());
    let fields = KeyFields::new(["answer_key"]);
    let transcripts = folder.latest(RecordFile::Transcripts, &fields);
    let mut transcripts = transcripts.map_err(ProjectError::from_error)?;
    // Text of others is escaped when it is rendered, and colours are ours.
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut printed: io::Result<u64> = Ok(0);
    let mut unread = None;
    let mut known = KnownIds::default();
    let read = each_result(folder, &mut |record| {
        known.note(arguments, &record);
        let wanted = wants(arguments, &record);
        let Some(count) = printed.as_ref().ok().copied().filter(|_| wanted) else {
            return;
        };
        let key = Key::from(record.answer_key.as_str());
        let transcript = transcripts
            .get::<TranscriptRecord>(&key)
            .unwrap_or_else(|error| {
                unread = Some(error);
                None
            });
        let transcript = transcript.map(|found| found.value);
        let text = render_trial(&record, transcript.as_ref(), style);
        let gap: &[u8] = if count > 0 { b"\n" } else { b"" };
        let written = out
            .write_all(gap)
            .and_then(|()| out.write_all(text.as_bytes()));
        printed = written.map(|()| count + 1);
    });
    let printed = printed?;
    out.flush()?;
    read?;
    if let Some(error) = unread {
        return Err(ProjectError::from_error(error).into());
    }
    if printed == 0 && is_narrowed(arguments) {
        return Err(no_result(folder, arguments, known));
    }
    Ok(Exit::Success)
}

/// The ids of a run's results, for an error.
#[derive(Default)]
struct KnownIds {
    /// One that the user may have meant.
    near: Option<String>,
    /// The first few.
    first: BTreeSet<String>,
    has_more: bool,
    /// True if the case that the user named has results.
    has_case: bool,
}

impl KnownIds {
    /// The most ids that an error lists.
    const MOST: usize = 8;

    fn note(&mut self, arguments: &ShowArguments, record: &ResultRecord) {
        let id = &record.eval_id;
        let Some(written) = &arguments.id else { return };
        self.has_case |= written == id;
        if self.near.is_none() && nearest(written, [id.as_str()]).is_some() {
            self.near = Some(id.clone());
        }
        if self.first.len() < Self::MOST {
            self.first.insert(id.clone());
        } else {
            self.has_more |= !self.first.contains(id);
        }
    }

    fn hint(self) -> Option<String> {
        if self.has_case {
            return None;
        }
        if let Some(near) = self.near {
            return Some(format!("did you mean `{near}`?"));
        }
        let ids: Vec<String> = self.first.iter().map(|id| format!("`{id}`")).collect();
        let more = if self.has_more { ", …" } else { "" };
        (!ids.is_empty()).then(|| format!("its cases are {}{more}", ids.join(", ")))
    }
}

fn no_result(folder: &RunFolder, arguments: &ShowArguments, known: KnownIds) -> CommandError {
    let case = arguments.id.iter().map(|id| format!("case `{id}`"));
    let trial = arguments.trial.iter().map(|trial| format!("trial {trial}"));
    let target = arguments.target.iter();
    let target = target.map(|target| format!("target `{target}`"));
    let what: Vec<String> = case.chain(trial).chain(target).collect();
    let message = format!(
        "run `{}` has no result for {}",
        folder.id(),
        what.join(", ")
    );
    ProjectError::with_hint(message, known.hint()).into()
}

/// A printer of values as JSON lines or YAML documents.
struct Printer<W: Write> {
    out: W,
    format: CaseFormat,
    printed: u64,
}

impl<W: Write> Printer<W> {
    fn new(out: W, format: CaseFormat) -> Printer<W> {
        Printer {
            out,
            format,
            printed: 0,
        }
    }

    fn print<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        match self.format {
            CaseFormat::Json | CaseFormat::Text => {
                serde_json::to_writer(&mut self.out, value)?;
                self.out.write_all(b"\n")?;
            }
            CaseFormat::Yaml => {
                if self.printed > 0 {
                    self.out.write_all(b"---\n")?;
                }
                let value: Value = serde_json::to_value(value)?;
                self.out
                    .write_all(Draft::from(&value).to_yaml().as_bytes())?;
            }
        }
        self.printed += 1;
        Ok(())
    }
}
