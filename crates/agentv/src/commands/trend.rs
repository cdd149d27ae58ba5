//! `agentv trend`: shows pass rate and mean score from run to run.

use std::io::{self, Write};
use std::path::Path;

use agentv_core::ResultRecord;
use agentv_project::{Project, ProjectError, counted};
use agentv_report::{PastRun, RunLine, Style, render_trend, replace_file, write_trend_page};
use agentv_syntax::nearest;
use globset::GlobMatcher;

use super::runs::{json_lines, no_run, no_tagged_run, opened, read};
use crate::arguments::{TrendArguments, TrendFormat};
use crate::exit::{CommandError, Exit};
use crate::output;

/// The style of a trend in a file.
const STYLE_OF_FILES: Style = Style {
    colour: false,
    width: 120,
    unicode: true,
};

pub(crate) fn run(arguments: &TrendArguments) -> Result<Exit, CommandError> {
    let lines = lines(arguments)?;
    let style = match arguments.output {
        Some(_) => STYLE_OF_FILES,
        None => output::style_of(&io::stdout()),
    };
    let text = match format_of(arguments) {
        TrendFormat::Text => render_trend(&lines, style),
        TrendFormat::Json => json_lines(&lines)?,
        TrendFormat::Html => {
            let mut page = Vec::new();
            write_trend_page(&lines, &mut page)?;
            String::from_utf8_lossy(&page).into_owned()
        }
    };
    let Some(path) = &arguments.output else {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        return Ok(Exit::Success);
    };
    let written = replace_file(path, &mut |out| out.write_all(text.as_bytes()));
    written.map_err(ProjectError::not_written)?;
    Ok(Exit::Success)
}

fn format_of(arguments: &TrendArguments) -> TrendFormat {
    let path = arguments.output.as_deref();
    let extension = path.and_then(Path::extension);
    let extension = extension.map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    arguments.format.unwrap_or(match extension.as_deref() {
        Some("html" | "htm") => TrendFormat::Html,
        Some("json" | "jsonl") => TrendFormat::Json,
        _ => TrendFormat::Text,
    })
}

/// The results that the trend includes.
struct Wanted<'a> {
    files: Vec<GlobMatcher>,
    targets: &'a [String],
}

impl Wanted<'_> {
    fn is_everything(&self) -> bool {
        self.files.is_empty() && self.targets.is_empty()
    }

    fn has_file(&self, path: &str) -> bool {
        self.files.is_empty() || self.files.iter().any(|glob| glob.is_match(path))
    }

    fn has_target(&self, name: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| target == name)
    }

    fn has_some_of(&self, run: &PastRun) -> bool {
        let record = run.record();
        record.files.iter().any(|file| self.has_file(&file.path))
            && (self.targets.is_empty()
                || record
                    .targets
                    .iter()
                    .any(|target| self.has_target(&target.name)))
    }

    fn lines(&self, run: &PastRun) -> Option<Vec<RunLine>> {
        let wanted = |record: &ResultRecord| {
            self.has_file(&record.eval_file) && self.has_target(&record.target)
        };
        read(
            run,
            if self.is_everything() {
                run.lines()
            } else {
                run.lines_of_some(&wanted)
            },
        )
    }
}

/// Returns the runs to show, oldest first.
fn lines(arguments: &TrendArguments) -> Result<Vec<RunLine>, ProjectError> {
    let project = Project::here();
    let folders = project.run_folders()?;
    let globs = arguments.eval_file.iter();
    let wanted = Wanted {
        files: globs.map(globset::Glob::compile_matcher).collect(),
        targets: &arguments.target,
    };
    let all = folders.all()?.into_iter();
    let runs = all.filter_map(|folder| opened(&project, folder));
    // A calibration has no results of targets.
    let runs: Vec<PastRun> = runs
        .filter(|run| run.record().calibrated_with.is_none())
        .collect();
    if runs.is_empty() {
        return Err(no_run(&folders));
    }
    let tags = &arguments.tags;
    let runs: Vec<PastRun> = runs.into_iter().filter(|run| run.has_tags(tags)).collect();
    if runs.is_empty() {
        return Err(no_tagged_run(&folders, tags));
    }
    let some: Vec<&PastRun> = runs.iter().filter(|run| wanted.has_some_of(run)).collect();
    let newest = *some
        .first()
        .ok_or_else(|| nothing_wanted(arguments, &runs))?;
    let is_shown =
        |run: &&&PastRun| arguments.all || run.is_like(newest, &|path| wanted.has_file(path));
    let like: Vec<&PastRun> = some.iter().filter(is_shown).copied().collect();
    note_omitted(some.len() - like.len());
    let shown: Vec<&PastRun> = like.into_iter().take(arguments.limit).collect();
    let shown = shown.into_iter().rev();
    Ok(shown
        .filter_map(|run| wanted.lines(run))
        .flatten()
        .collect())
}

fn note_omitted(others: usize) {
    if others > 0 {
        let others = counted(others as u64, "run");
        output::note(&format!(
            "omitted {others} with other eval files or cases: `--all` shows all runs"
        ));
    }
}

fn nothing_wanted(arguments: &TrendArguments, runs: &[PastRun]) -> ProjectError {
    let targets = || {
        let targets = runs.iter().flat_map(|run| &run.record().targets);
        targets.map(|target| target.name.as_str())
    };
    let unknown = arguments
        .target
        .iter()
        .find(|name| !targets().any(|known| known == *name));
    match unknown {
        Some(name) => ProjectError::with_hint(
            format!("no run has results for target `{name}`"),
            nearest(name, targets()).map(|near| format!("did you mean `{near}`?")),
        ),
        None => ProjectError::because("no run has results for these eval files and targets"),
    }
}
