//! An eval file: opened, checked, streamed.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::PassThreshold;
use agentv_syntax::{
    Code, Diagnostic, NodeKind, Placed, Problem, Severity, check_keys, check_number_like,
};

use crate::case::{Context, Fields, read};
use crate::cases::Cases;
use crate::dependencies::Dependencies;
use crate::dialect::RunSettings;
use crate::format::{Document, EvalSource, FormatKind, Row, Scratch, WrittenRow};
use crate::ids::{Assigned, IdAssigner, IdIndex, RowId};
use crate::load::LoadError;
use crate::opening;
use crate::options::{LoadOptions, Rules};
use crate::project::Project;
use crate::reporter::Reporter;

/// An eval file whose header has been read.
///
/// Call [`Dataset::check`] first, which reads the whole file and reports everything that is wrong with
/// it, and then [`Dataset::cases`].
pub struct Dataset {
    pub(crate) source: Box<dyn EvalSource>,
    pub(crate) context: Context,
    /// Problems of the header, the sidecar and the project's settings.
    pub(crate) header_diagnostics: Vec<Diagnostic>,
    pub(crate) sidecar: Option<Document>,
    pub(crate) run_settings: RunSettings,
    pub(crate) suite_providers: Option<SuiteProviders>,
    /// The other files that cases come from.
    pub(crate) other_files: Vec<PathBuf>,
    pub(crate) is_translated: bool,
}

/// The targets that a suite of another dialect defines itself.
#[derive(Debug)]
pub struct SuiteProviders {
    /// The text of the suite.
    pub source: String,
    /// Each provider, an object with `name`, `id` and `config`, with its place in the text.
    pub list: Vec<Placed>,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// The number of cases that can be used.
    pub cases: u64,
    /// The number of cases that cannot, and are skipped.
    pub skipped: u64,
    /// Is true if a problem makes the whole file unusable.
    pub fatal: bool,
    /// The number of AgentMark rows among the cases.
    pub agentmark_rows: u64,
    ids: IdIndex,
    /// The indices of the rows whose dependencies cannot be honoured.
    undependable: HashSet<u64>,
}

impl Checked {
    /// Returns the ids of the cases.
    pub(crate) fn ids(&self) -> &IdIndex {
        &self.ids
    }

    /// Returns true if the dependencies of the row with this index can be honoured.
    pub(crate) fn is_dependable(&self, index: u64) -> bool {
        !self.undependable.contains(&index)
    }
}

impl Dataset {
    /// Opens an eval file: format by extension, sidecar, project settings, dataset-level fields.
    ///
    /// Problems of the header are not errors here: [`Dataset::check`] reports them with the rest.
    ///
    /// # Errors
    /// Fails if the extension is unknown, the file cannot be read, or it is not YAML.
    pub fn open(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Dataset, LoadError> {
        opening::open(path.as_ref(), options)
    }

    /// Sets the lowest score that passes, for all cases.
    pub fn set_pass_threshold(&mut self, threshold: PassThreshold) {
        self.context.given_threshold = Some(threshold);
    }

    /// Returns the file with the template that rows fill, if the dataset names one.
    pub fn prompt_file(&self) -> Option<&Path> {
        self.context.defaults.prompt_file.as_deref()
    }

    /// Returns the dataset's name.
    pub fn name(&self) -> &str {
        &self.context.defaults.dataset
    }

    /// Returns the dataset's description.
    pub fn description(&self) -> &str {
        &self.context.defaults.description
    }

    /// Returns the settings of runs that the file itself gives.
    pub fn run_settings(&self) -> &RunSettings {
        &self.run_settings
    }

    /// Returns the problems outside the cases.
    pub(crate) fn header_diagnostics(&self) -> &[Diagnostic] {
        &self.header_diagnostics
    }

    /// Returns the targets that the file defines itself, in the words of its dialect.
    pub fn suite_providers(&self) -> Option<&SuiteProviders> {
        self.suite_providers.as_ref()
    }

    /// Checks if the rows of the file are mapped to cases.
    pub(crate) fn is_mapped(&self) -> bool {
        self.context.derives_ids
    }

    /// Checks if the file is written in other words than ours.
    pub(crate) fn is_translated(&self) -> bool {
        self.is_translated
    }

    /// Returns the other files that the cases come from, if the eval file names any.
    pub fn other_files(&self) -> &[PathBuf] {
        &self.other_files
    }

    /// Returns the project root that paths in cases are relative to.
    pub fn root(&self) -> &Path {
        &self.project().root
    }

    /// Returns the project around the eval file.
    pub fn project(&self) -> &Project {
        self.context.files.project()
    }

    /// Reads the whole file and passes everything that is wrong with it to `report`, in file order, with
    /// repeated ids last. Uses all cores. Memory grows by 8 bytes per case.
    ///
    /// `report` can end the check early with [`ControlFlow::Break`].
    pub fn check(&self, report: &mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send)) -> Checked {
        let mut checked = Checked::default();
        let mut report = Reporter::new(report);
        for diagnostic in &self.header_diagnostics {
            report.send(diagnostic.clone());
        }
        let mut ids: Vec<u64> = Vec::new();
        let mut first_blank = None;
        let mut has_dependencies = false;
        if !report.stopped {
            let scanned = self.source.scan(
                &|scratch, row| self.inspect(scratch, row),
                &mut |mut findings| {
                    ids.extend(findings.id_digests(checked.cases + checked.skipped));
                    checked.cases += findings.cases;
                    checked.skipped += findings.skipped;
                    checked.agentmark_rows += findings.agentmark_rows;
                    has_dependencies |= findings.has_dependencies;
                    first_blank = first_blank.or(findings.blank_lines.first().copied());
                    for diagnostic in findings.diagnostics {
                        report.send(diagnostic);
                    }
                    report.flow()
                },
            );
            if let Err(diagnostic) = scanned {
                report.send(diagnostic);
            }
        }
        if !report.stopped {
            checked.ids = IdIndex::of(ids);
            self.check_ids(&mut checked, &mut report);
            if has_dependencies {
                self.check_dependencies(&mut checked, &mut report);
            }
            self.check_as_a_whole(&checked, first_blank, &mut report);
        }
        checked.fatal = report.fatal;
        checked
    }

    /// Checks one row of the first pass.
    fn inspect(&self, scratch: &mut Scratch, row: Row<'_>) {
        let findings = &mut scratch.findings;
        let row = match row {
            Row::Case(row) => row,
            Row::Broken(diagnostic) => {
                findings.skipped += u64::from(diagnostic.severity() == Severity::Error);
                return findings.diagnostics.push(diagnostic);
            }
            Row::Blank(line) if self.context.rules == Rules::AgentMark => {
                return findings
                    .diagnostics
                    .push(blank_line(&self.context.file, line));
            }
            Row::Blank(line) => {
                // One is enough for the warning.
                if findings.blank_lines.is_empty() {
                    findings.blank_lines.push(line);
                }
                return;
            }
        };
        let problems = &mut scratch.problems;
        let fields = Fields::of(row.node);
        let written = read(&fields, &self.context, &mut scratch.check_cache, problems);
        let written = written.filter(|_| !row.is_refused());
        problems.extend_from_slice(row.problems());
        let index = findings.cases + findings.skipped;
        match written {
            Some(_) => findings.cases += 1,
            None => findings.skipped += 1,
        }
        findings.agentmark_rows += u64::from(fields.is_row());
        findings.has_dependencies |= fields.depends_on.is_some();
        if let Some(id) = RowId::of(&fields, self.context.derives_ids) {
            findings.add_id(id, index);
        }
        if !problems.is_empty() {
            problems.sort_by_key(|problem| problem.span.start);
            summarise(problems);
            let shared = &mut scratch.shared;
            problems.retain(|problem| {
                !row.shares(problem) || shared.insert((problem.span.start, problem.message.clone()))
            });
            let placed = problems.drain(..).map(|problem| row.place(problem));
            findings.diagnostics.extend(placed);
        }
    }

    /// Reads the file again if some digest repeats, and refuses every case whose id is taken.
    fn check_ids(&self, checked: &mut Checked, report: &mut Reporter<'_>) {
        if !checked.ids.has_repeated() {
            return;
        }
        let mut assigner = IdAssigner::new(&checked.ids);
        let Ok(mut rows) = self.source.rows() else {
            return;
        };
        let mut check_cache = agentv_syntax::CheckCache::default();
        let mut index = 0;
        while let Some(row) = rows.next() {
            let is_counted = row.is_counted();
            let Row::Case(row) = row else {
                index += u64::from(is_counted);
                continue;
            };
            let fields = Fields::of(row.node);
            let id = RowId::of(&fields, self.context.derives_ids).map(|id| id.at(index));
            index += 1;
            let Some(id) = id else { continue };
            if let Assigned::Taken { first_line } = assigner.assign(&id, row.line) {
                let mut problems = Vec::new();
                // A case that is skipped anyway must not be counted twice.
                let is_read =
                    read(&fields, &self.context, &mut check_cache, &mut problems).is_some();
                if is_read && !row.is_refused() {
                    checked.cases -= 1;
                    checked.skipped += 1;
                }
                report.send(taken_id(&row, id.text(), first_line));
                if report.stopped {
                    return;
                }
            }
        }
    }

    /// Reads the file again if some case depends on others, and refuses those whose dependencies cannot be
    /// honoured.
    fn check_dependencies(&self, checked: &mut Checked, report: &mut Reporter<'_>) {
        let mut dependencies = Dependencies::default();
        let visited = self.each_id(checked, &mut |_, id, row| {
            let fields = Fields::of(row.node);
            let on = fields.depends_on().map(|other| other.text().into_owned());
            dependencies.add(id.to_owned(), on.collect());
        });
        if visited.is_err() {
            return;
        }
        dependencies.finish();
        let mut refused = HashSet::new();
        let mut check_cache = agentv_syntax::CheckCache::default();
        let mut problems = Vec::new();
        let _ = self.each_id(checked, &mut |index, id, row| {
            let fields = Fields::of(row.node);
            let Some(written) = fields.depends_on else {
                return;
            };
            problems.clear();
            let read = read(&fields, &self.context, &mut check_cache, &mut problems);
            if report.stopped || written.kind() != NodeKind::Array {
                return;
            }
            let found = dependencies.problems(id, written);
            // A case that is skipped anyway must not be counted twice.
            if !found.is_empty() && read.is_some() && !row.is_refused() {
                refused.insert(index);
            }
            for problem in found {
                report.send(row.place(problem));
            }
        });
        let count = refused.len() as u64;
        checked.cases -= count;
        checked.skipped += count;
        checked.undependable = refused;
    }

    /// Visits the rows whose id is free, with their index.
    fn each_id(
        &self,
        checked: &Checked,
        visit: &mut dyn FnMut(u64, &str, &WrittenRow<'_>),
    ) -> Result<(), Diagnostic> {
        let mut assigner = IdAssigner::new(&checked.ids);
        let mut rows = self.source.rows()?;
        let mut index = 0;
        while let Some(row) = rows.next() {
            let own = index;
            index += u64::from(row.is_counted());
            let Row::Case(row) = row else { continue };
            let id = RowId::of(&Fields::of(row.node), self.context.derives_ids);
            let assigned = id.map(|id| assigner.assign(&id.at(own), row.line));
            if let Some(Assigned::Id(id)) = assigned {
                visit(own, &id, &row);
            }
        }
        Ok(())
    }

    fn check_as_a_whole(
        &self,
        checked: &Checked,
        first_blank: Option<u64>,
        report: &mut Reporter<'_>,
    ) {
        let file = &self.context.file;
        if checked.cases + checked.skipped == 0 && !report.fatal {
            let problem = Problem::fatal(Code::NoCases, 0..0, "the file has no cases");
            report.send(Diagnostic::of_file(file, problem));
        }
        if let Some(line) = first_blank.filter(|_| checked.agentmark_rows > 0) {
            let message = "AgentMark's own rules do not allow blank lines; they are skipped";
            let problem = Problem::warning(Code::AgentMarkAdvice, 0..0, message);
            report.send(Diagnostic {
                line: Some(line),
                ..Diagnostic::of_file(file, problem)
            });
        }
    }

    /// Returns the cases, in file order, with bounded memory. Cases that the check refused are skipped.
    ///
    /// # Errors
    /// Fails if the file cannot be opened again, or the check found that nothing of it can be used.
    pub fn cases<'d>(&'d self, checked: &'d Checked) -> Result<Cases<'d>, LoadError> {
        if checked.fatal {
            let problem = Problem::fatal(Code::Unreadable, 0..0, "has problems and cannot be used");
            return Err(Diagnostic::of_file(&self.context.file, problem).into());
        }
        Cases::new(self, checked)
    }

    /// Returns the dataset-level fields, from the file itself or its sidecar.
    pub(crate) fn header(&self) -> Option<agentv_syntax::Node<'_>> {
        let sidecar = self.sidecar.as_ref().map(Document::root);
        self.source.header().or(sidecar)
    }

    pub(crate) fn source(&self) -> &dyn EvalSource {
        self.source.as_ref()
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}

/// Keeps the first problems of one case, and adds the number of the others.
fn summarise(problems: &mut Vec<Problem>) {
    const MOST_REPORTED: usize = 100;
    let Some(next) = problems.get(MOST_REPORTED) else {
        return;
    };
    let (code, span) = (next.code, next.span.clone());
    let severity = problems[MOST_REPORTED..]
        .iter()
        .map(|problem| problem.severity)
        .max();
    let message = format!(
        "and {} more problems in this case",
        problems.len() - MOST_REPORTED
    );
    problems.truncate(MOST_REPORTED);
    problems.push(Problem {
        severity: severity.unwrap_or(Severity::Error),
        ..Problem::error(code, span, message)
    });
}

fn blank_line(file: &Arc<str>, line: u64) -> Diagnostic {
    let problem = Problem::error(Code::AgentMarkRule, 0..0, "blank lines are not allowed");
    Diagnostic {
        line: Some(line),
        ..Diagnostic::of_file(file, problem)
    }
}

fn taken_id(row: &WrittenRow<'_>, id: &str, first_line: u64) -> Diagnostic {
    let span = row.node.get("id").map_or(0..0, |id| id.span());
    let message = format!("duplicate id `{id}`, first used on line {first_line}");
    let problem = Problem {
        expected: Some("an id that no other case in the file has".to_owned()),
        found: Some(format!("`{id}`")),
        ..Problem::error(Code::DuplicateId, span, message)
    };
    row.place(
        problem
            .at("id")
            .hint("give every case in a file its own id"),
    )
}

/// Returns the path of the sidecar of a JSONL file: the same name with `.yaml`.
pub fn sidecar_path(path: &Path) -> Option<PathBuf> {
    let (format, base_name) = FormatKind::of(path)?;
    format
        .has_sidecar
        .then(|| path.with_file_name(format!("{base_name}.yaml")))
}

/// Checks if a file of this name is an eval file only with a sidecar.
pub(crate) fn needs_sidecar(path: &Path) -> bool {
    FormatKind::of(path).is_some_and(|(format, _)| format.needs_sidecar)
}

/// Checks if cases can be read from a file of this name.
pub fn is_eval_file_name(path: &Path) -> bool {
    FormatKind::of(path).is_some()
}

/// Checks the keys of a whole document, for files that are not datasets.
pub(crate) fn check_document(
    document: &Document,
    shape: &agentv_syntax::Shape,
    options: &LoadOptions,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let root = document.root();
    check_keys(root, &mut problems);
    if !root.is_null() {
        agentv_syntax::check(root, shape, options.definitions, &mut problems);
    }
    check_number_like(root, &mut problems);
    problems.sort_by_key(|problem| problem.span.start);
    let place = |problem| document.place_problem(problem);
    problems.into_iter().map(place).collect()
}
