//! The opening of an eval file: its format, dialect, header, sidecar and project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Node, Problem, Severity};

use crate::case::Context;
use crate::config;
use crate::dataset::{Dataset, SuiteProviders, sidecar_path};
use crate::defaults::{Defaults, Prompt};
use crate::dialect::{self, Dialect, Mixed, RunSettings, TranslatedSuite};
use crate::files::FileLibrary;
use crate::format::{Document, EvalSource, FormatKind, open_regular, unreadable};
use crate::load::LoadError;
use crate::mapping::{MappedSource, RowMap};
use crate::options::{LoadOptions, Rules};
use crate::project::{Project, folder_of};
use crate::results_file::{Found, found_in, has_results, has_sidecar};
use crate::shapes::SUITE_HEADER;
use crate::sidecar;
use crate::unsaved::UnsavedTexts;

/// Opens an eval file and reads everything but its cases.
pub(crate) fn open(path: &Path, options: &LoadOptions) -> Result<Dataset, LoadError> {
    let mut opening = Opening::new(path, options)?;
    opening.translate()?;
    let (defaults, sidecar) = opening.defaults();
    if let Some(document) = &sidecar {
        opening = opening.map_rows(document, &defaults);
    }
    Ok(opening.finish(defaults, sidecar))
}

/// An eval file that is being opened.
struct Opening<'o> {
    path: &'o Path,
    options: &'o LoadOptions,
    file: Arc<str>,
    format: &'static FormatKind,
    base_name: String,
    source: Box<dyn EvalSource>,
    files: FileLibrary,
    dialect: Option<&'static Dialect>,
    diagnostics: Vec<Diagnostic>,
    run_settings: RunSettings,
    suite_providers: Option<SuiteProviders>,
    other_files: Vec<PathBuf>,
    is_mapped: bool,
}

impl<'o> Opening<'o> {
    /// Opens the file itself by the format that its name gives.
    fn new(path: &'o Path, options: &'o LoadOptions) -> Result<Opening<'o>, LoadError> {
        let file: Arc<str> = path.to_string_lossy().into();
        let (format, base_name) = format_of(path, &file, options)?;
        let source = open_source(path, &file, format, &options.unsaved)?;
        let folder =
            std::fs::canonicalize(folder_of(path)).map_err(|error| unreadable(&file, &error))?;
        let files = FileLibrary::new(
            Project::around(&folder),
            options.working_dir.clone(),
            options.allow_outside_root,
        )
        .with_unsaved(&options.unsaved);
        Ok(Opening {
            path,
            options,
            file,
            format,
            base_name,
            source,
            files,
            dialect: None,
            diagnostics: Vec::new(),
            run_settings: RunSettings::default(),
            suite_providers: None,
            other_files: Vec::new(),
            is_mapped: format.needs_sidecar,
        })
    }

    /// Replaces the source by its translation, if the header is in the words of another tool.
    fn translate(&mut self) -> Result<(), LoadError> {
        let Some(header) = self.source.header() else {
            return Ok(());
        };
        let detected = dialect::detect(header, Some(self.path));
        let mixed = |mixed: Mixed| mixed.place(|problem| self.source.place(problem));
        let Some(dialect) = detected.map_err(mixed)? else {
            return Ok(());
        };
        let variables = &self.options.variables;
        let mut suite =
            TranslatedSuite::open(self.path, &self.file, dialect, &self.files, variables)?;
        self.diagnostics.append(&mut suite.diagnostics);
        self.run_settings = std::mem::take(&mut suite.run);
        self.other_files = std::mem::take(&mut suite.other_files);
        let list = std::mem::take(&mut suite.definitions);
        self.suite_providers = (!list.is_empty()).then(|| SuiteProviders {
            source: suite.text().to_owned(),
            list,
        });
        self.source = Box::new(suite);
        self.dialect = Some(dialect);
        Ok(())
    }

    /// Reads the dataset-level fields: from the header of the file, or from its sidecar.
    fn defaults(&mut self) -> (Defaults, Option<Document>) {
        let Some(header) = self.source.header() else {
            if !self.format.has_sidecar {
                return (Defaults::named(&self.base_name), None);
            }
            return sidecar::read(
                self.path,
                &self.base_name,
                self.options,
                &self.files,
                &mut self.diagnostics,
            );
        };
        let mut problems = Vec::new();
        let defaults = Defaults::read(
            header,
            &SUITE_HEADER,
            &self.base_name,
            self.options.definitions,
            &self.files,
            &mut problems,
        );
        hint_at_dialect(header, &mut problems);
        problems.extend(sidecar::double_role(
            self.path,
            header,
            &self.options.unsaved,
        ));
        let place = |problem| self.source.place(problem);
        self.diagnostics.extend(problems.into_iter().map(place));
        (defaults, None)
    }

    /// Makes cases of rows with other columns, if the sidecar says what they are.
    fn map_rows(mut self, sidecar: &Document, defaults: &Defaults) -> Opening<'o> {
        if self.options.rules != Rules::Agentv {
            return self;
        }
        let prompt = match &defaults.prompt {
            Prompt::Template(prompt) => Some(Arc::clone(prompt)),
            Prompt::Absent | Prompt::Unusable => None,
        };
        let mut problems = Vec::new();
        let map = RowMap::read(sidecar.root(), prompt, &mut problems);
        // Without `fields`, the rows of a JSONL file are cases or AgentMark rows, which fill a prompt with the
        // keys of their input.
        let has_map = self.format.needs_sidecar || sidecar.root().given("fields").is_some();
        if let Some(map) = map.filter(|_| has_map) {
            self.is_mapped = true;
            let inner = self.source;
            self.source = Box::new(MappedSource { inner, map });
        }
        let place = |problem| sidecar.place_problem(problem);
        self.diagnostics.extend(problems.into_iter().map(place));
        self
    }

    /// Adds the settings of the project.
    fn finish(mut self, defaults: Defaults, sidecar: Option<Document>) -> Dataset {
        let project = self.files.project();
        let settings = config::settings(project, self.options, &mut self.diagnostics);
        // Whatever is wrong here is wrong for every case.
        for diagnostic in &mut self.diagnostics {
            if diagnostic.problem.severity == Severity::Error {
                diagnostic.problem.severity = Severity::Fatal;
            }
        }
        Dataset {
            source: self.source,
            context: Context {
                file: self.file,
                definitions: self.options.definitions,
                files: self.files,
                defaults,
                guidelines: settings.guidelines,
                given_threshold: self.options.pass_threshold,
                project_threshold: settings.pass_threshold,
                rules: self.options.rules,
                derives_ids: self.is_mapped,
                may_be_ungraded: self.dialect.is_some_and(Dialect::may_be_ungraded),
            },
            header_diagnostics: self.diagnostics,
            sidecar,
            run_settings: self.run_settings,
            suite_providers: self.suite_providers,
            other_files: self.other_files,
            is_translated: self.dialect.is_some() || self.is_mapped,
        }
    }
}

/// Returns the format of a file and its name without the extension.
fn format_of(
    path: &Path,
    file: &Arc<str>,
    options: &LoadOptions,
) -> Result<(&'static FormatKind, String), LoadError> {
    let Some((format, base_name)) = FormatKind::of(path) else {
        // For a folder or a pipe, the missing extension is not the problem.
        if path.exists() && !path.is_file() {
            open_regular(path, file)?;
        }
        return Err(unsupported(path, file).into());
    };
    if options.rules == Rules::AgentMark && !format.has_sidecar {
        let message = "AgentMark datasets are JSON Lines, one object per line";
        let problem = Problem::fatal(Code::AgentMarkRule, 0..0, message);
        return Err(Diagnostic::of_file(file, problem).into());
    }
    if format.needs_sidecar && !sidecar::serves(path, &options.unsaved) {
        return Err(no_sidecar(path, file).into());
    }
    Ok((format, base_name))
}

/// Opens the file, and refuses a file of results.
fn open_source(
    path: &Path,
    file: &Arc<str>,
    format: &FormatKind,
    unsaved: &UnsavedTexts,
) -> Result<Box<dyn EvalSource>, LoadError> {
    // A file of results need not be readable as a suite.
    if !format.has_sidecar && has_results(path, unsaved) {
        return Err(Found::Results.instead_of_cases(file).into());
    }
    let source = (format.open)(path, file, unsaved)?;
    let found = format.has_sidecar.then(|| found_in(source.as_ref()));
    let is_other = |found: &Found| *found == Found::Results || !has_sidecar(path, unsaved);
    if let Some(found) = found.flatten().filter(is_other) {
        return Err(found.instead_of_cases(file).into());
    }
    Ok(source)
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

fn unsupported(path: &Path, file: &Arc<str>) -> Diagnostic {
    let shown = match path.extension() {
        Some(extension) => format!("unsupported extension `.{}`", extension.to_string_lossy()),
        None => "the file name has no extension".to_owned(),
    };
    let problem = Problem::fatal(
        Code::UnsupportedExtension,
        0..0,
        format!("{shown}, expected one of .yaml, .yml, .jsonl, .csv (also .jsonl.gz, .jsonl.zst)"),
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
