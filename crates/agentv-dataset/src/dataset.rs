//! An eval file: opened, checked, streamed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::PassThreshold;
use agentv_syntax::{
    Code, Diagnostic, Node, Placed, Problem, Severity, check_keys, check_number_like,
};

use crate::case::{Context, Fields, read};
use crate::cases::Cases;
use crate::config;
use crate::defaults::{Defaults, Prompt};
use crate::dialect::{self, Dialect, Mixed, RunSettings, TranslatedSuite};
use crate::files::FileLibrary;
use crate::format::{
    Document, EvalSource, FormatKind, Row, Scratch, WrittenRow, open_regular, unreadable,
};
use crate::ids::{Assigned, IdAssigner, IdIndex, RowId};
use crate::load::LoadError;
use crate::mapping::{MappedSource, RowMap};
use crate::options::{LoadOptions, Rules};
use crate::project::{Project, folder_of};
use crate::reporter::Reporter;
use crate::results_file::{has_results, is_of_results, results_instead_of_cases};
use crate::shapes::SUITE_HEADER;
use crate::sidecar;

/// An eval file whose header has been read.
///
/// Call [`Dataset::check`] first, which reads the whole file and reports everything that is wrong with
/// it, and then [`Dataset::cases`].
pub struct Dataset {
    source: Box<dyn EvalSource>,
    context: Context,
    /// Problems of the header, the sidecar and the project's settings.
    header_diagnostics: Vec<Diagnostic>,
    sidecar: Option<Document>,
    run_settings: RunSettings,
    suite_providers: Option<SuiteProviders>,
    /// The other files that cases come from.
    other_files: Vec<PathBuf>,
    is_translated: bool,
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
}

impl Checked {
    /// Returns the ids of the cases.
    pub(crate) fn ids(&self) -> &IdIndex {
        &self.ids
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
        let path = path.as_ref();
        let file: Arc<str> = path.to_string_lossy().into();
        let Some((format, base_name)) = FormatKind::of(path) else {
            // For a folder or a pipe, the missing extension is not the problem.
            if path.exists() && !path.is_file() {
                open_regular(path, &file)?;
            }
            return Err(unsupported(path, &file).into());
        };
        if options.rules == Rules::AgentMark && !format.has_sidecar {
            let message = "AgentMark datasets are JSON Lines, one object per line";
            let problem = Problem::fatal(Code::AgentMarkRule, 0..0, message);
            return Err(Diagnostic::of_file(&file, problem).into());
        }
        if format.needs_sidecar && !sidecar::serves(path) {
            return Err(no_sidecar(path, &file).into());
        }
        // A file of results need not be readable as a suite.
        if !format.has_sidecar && has_results(path) {
            return Err(results_instead_of_cases(&file).into());
        }
        let mut source = (format.open)(path, &file)?;
        if format.has_sidecar && is_of_results(source.as_ref()) {
            return Err(results_instead_of_cases(&file).into());
        }
        let folder =
            std::fs::canonicalize(folder_of(path)).map_err(|error| unreadable(&file, &error))?;
        let project = Project::around(&folder);
        let files = FileLibrary::new(
            project.clone(),
            options.working_dir.clone(),
            options.allow_outside_root,
        );
        let mut header_diagnostics = Vec::new();
        let mut run_settings = RunSettings::default();
        let mut other_files = Vec::new();
        let mut suite_providers = None;
        let detected = |header| dialect::detect(header, Some(path));
        let dialect = source.header().map(detected).transpose();
        let mixed = |mixed: Mixed| mixed.place(|problem| source.place(problem));
        let dialect = dialect.map_err(mixed)?.flatten();
        if let Some(dialect) = dialect {
            let mut suite =
                TranslatedSuite::open(path, &file, dialect, &files, &options.variables)?;
            header_diagnostics.append(&mut suite.diagnostics);
            run_settings = std::mem::take(&mut suite.run);
            other_files = std::mem::take(&mut suite.other_files);
            let list = std::mem::take(&mut suite.definitions);
            suite_providers = (!list.is_empty()).then(|| SuiteProviders {
                source: suite.text().to_owned(),
                list,
            });
            source = Box::new(suite);
        }
        let (defaults, sidecar) = match source.header() {
            Some(header) => {
                let mut problems = Vec::new();
                let defaults = Defaults::read(
                    header,
                    &SUITE_HEADER,
                    &base_name,
                    options.definitions,
                    &files,
                    &mut problems,
                );
                hint_at_dialect(header, &mut problems);
                problems.extend(sidecar::double_role(path, header));
                header_diagnostics.extend(problems.into_iter().map(|p| source.place(p)));
                (defaults, None)
            }
            None if format.has_sidecar => {
                sidecar::read(path, &base_name, options, &files, &mut header_diagnostics)
            }
            None => (Defaults::named(&base_name), None),
        };
        let mut is_mapped = format.needs_sidecar;
        if let Some(document) = sidecar.as_ref().filter(|_| options.rules == Rules::Agentv) {
            let mut problems = Vec::new();
            let prompt = match &defaults.prompt {
                Prompt::Template(prompt) => Some(Arc::clone(prompt)),
                Prompt::Absent | Prompt::Unusable => None,
            };
            let map = RowMap::read(document.root(), prompt, &mut problems);
            // Without `fields`, the rows of a JSONL file are cases or AgentMark rows, which fill a prompt with the
            // keys of their input.
            let has_map = format.needs_sidecar || document.root().given("fields").is_some();
            if let Some(map) = map.filter(|_| has_map) {
                is_mapped = true;
                source = Box::new(MappedSource { inner: source, map });
            }
            let place = |problem| document.place_problem(problem);
            header_diagnostics.extend(problems.into_iter().map(place));
        }
        let settings = config::settings(&project, options, &mut header_diagnostics);
        // Whatever is wrong here is wrong for every case.
        for diagnostic in &mut header_diagnostics {
            if diagnostic.problem.severity == Severity::Error {
                diagnostic.problem.severity = Severity::Fatal;
            }
        }
        Ok(Dataset {
            source,
            context: Context {
                file,
                definitions: options.definitions,
                files,
                defaults,
                guidelines: settings.guidelines,
                given_threshold: options.pass_threshold,
                project_threshold: settings.pass_threshold,
                rules: options.rules,
                derives_ids: is_mapped,
                may_be_ungraded: dialect.is_some_and(Dialect::may_be_ungraded),
            },
            header_diagnostics,
            sidecar,
            run_settings,
            suite_providers,
            other_files,
            is_translated: dialect.is_some() || is_mapped,
        })
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
        if !report.stopped {
            let scanned = self.source.scan(
                &|scratch, row| self.inspect(scratch, row),
                &mut |mut findings| {
                    ids.extend(findings.id_digests(checked.cases + checked.skipped));
                    checked.cases += findings.cases;
                    checked.skipped += findings.skipped;
                    checked.agentmark_rows += findings.agentmark_rows;
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

    fn check_as_a_whole(
        &self,
        checked: &Checked,
        first_blank: Option<u64>,
        report: &mut Reporter<'_>,
    ) {
        let file = &self.context.file;
        if checked.cases + checked.skipped == 0 && !report.fatal {
            let problem = Problem::fatal(Code::NoCases, 0..0, "has no cases");
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
        Cases::new(self, &checked.ids)
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

/// Names the dialect that a suite without cases is closest to, and what it lacks.
fn hint_at_dialect(header: Node<'_>, problems: &mut [Problem]) {
    let is_missing =
        |problem: &&mut Problem| problem.code == Code::MissingField && problem.path == "evalcases";
    if let Some(problem) = problems.iter_mut().find(is_missing)
        && let Some((dialect, lacks)) = dialect::closest(header)
    {
        let name = dialect.name;
        let hint = format!("this looks like a suite of {name}, which has its cases in `{lacks}`");
        problem.hint = Some(hint);
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

fn unsupported(path: &Path, file: &Arc<str>) -> Diagnostic {
    let shown = match path.extension() {
        Some(extension) => format!("unsupported extension `.{}`", extension.to_string_lossy()),
        None => "the file name has no extension".to_owned(),
    };
    let problem = Problem::fatal(
        Code::UnsupportedExtension,
        0..0,
        format!("{shown}, expected one of .yaml, .yml, .jsonl (also .jsonl.gz, .jsonl.zst)"),
    );
    let lower = path.to_string_lossy().to_lowercase();
    let is_upper = FormatKind::of(Path::new(&lower)).is_some();
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    Diagnostic::of_file(
        file,
        if is_upper {
            problem.hint("write the extension in lower case")
        } else if is_json {
            problem.hint(
                "if the file has one JSON object per line, name it .jsonl; `agentv convert FILE --to jsonl` turns an array into lines",
            )
        } else {
            problem
        },
    )
}

/// Returns the error that nothing says what the columns of a file are.
fn no_sidecar(path: &Path, file: &Arc<str>) -> Diagnostic {
    let sidecar = sidecar_path(path).unwrap_or_default();
    let message = "a CSV file is an eval file only with a sidecar that says what its columns are";
    let hint = format!(
        "write `{}` with `fields`, such as `fields: {{input: question, expected_output: answer}}`",
        sidecar.display()
    );
    let problem = Problem::fatal(Code::UnsupportedExtension, 0..0, message);
    Diagnostic::of_file(file, problem.hint(hint))
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
