//! A suite of another dialect, opened and translated.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::{Diagnostic, Node, NodeKind, Placed, PlacedField, Problem, Severity, Tree};

use super::kind::Dialect;
use super::notes::Notes;
use super::promptfoo::{self, Provider};
use super::run_settings::RunSettings;
use super::template::with_environment;
use super::texts::Texts;
use super::variables::Variables;
use crate::files::FileLibrary;
use crate::format::{Document, EvalSource, Origin, Row, Rows, WrittenRow};

/// A translation under way.
pub(crate) struct Translation<'a> {
    /// The files that make up the suite.
    pub(crate) texts: Texts,
    /// The files that it may refer to.
    pub(crate) files: &'a FileLibrary,
    /// The environment variables that it may use.
    pub(crate) variables: &'a Variables,
    /// The problems outside the cases.
    pub(crate) notes: Notes,
    /// The cases that were translated, in order.
    pub(crate) cases: Vec<TranslatedCase>,
    /// The settings of runs.
    pub(crate) run: RunSettings,
    /// The other files that were read.
    pub(crate) other_files: Vec<PathBuf>,
    /// The targets that the suite defines itself.
    pub(crate) definitions: Vec<Placed>,
    /// True if the suite is a configuration of promptfoo.
    pub(crate) is_of_promptfoo: bool,
}

/// The facts about a case that its translation does not hold.
pub(crate) struct TranslatedCase {
    /// The place of the case as written.
    pub(crate) own: Range<usize>,
    /// The problems that the translation found.
    pub(crate) problems: Vec<Problem>,
}

/// A suite of another dialect, in our words.
pub(crate) struct TranslatedSuite {
    file: Arc<str>,
    texts: Texts,
    tree: Tree,
    cases: Vec<TranslatedCase>,
    /// The problems outside the cases.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) run: RunSettings,
    /// The other files that the suite consists of.
    pub(crate) other_files: Vec<PathBuf>,
    /// The targets that the suite defines itself.
    pub(crate) definitions: Vec<Placed>,
}

impl TranslatedSuite {
    /// Reads and translates a file.
    pub(crate) fn open(
        path: &Path,
        file: &Arc<str>,
        dialect: &Dialect,
        files: &FileLibrary,
        variables: &Variables,
    ) -> Result<TranslatedSuite, Diagnostic> {
        let document = Document::open(path, file, files.unsaved())?;
        let mut problems = Vec::new();
        agentv_syntax::check_keys(document.root(), &mut problems);
        agentv_syntax::check_number_like(document.root(), &mut problems);
        let mut translation = Translation {
            texts: Texts::default(),
            files,
            variables,
            notes: Notes(problems),
            cases: Vec::new(),
            run: RunSettings::default(),
            other_files: Vec::new(),
            definitions: Vec::new(),
            is_of_promptfoo: std::ptr::eq(dialect, &promptfoo::DIALECT),
        };
        let suite = translation.texts.add(document);
        let suite = translation.with_environment(suite);
        let ours = (dialect.translate)(&mut translation, suite);
        let Translation {
            texts,
            notes,
            cases,
            run,
            other_files,
            definitions,
            ..
        } = translation;
        let problems = notes.0.into_iter();
        let diagnostics = problems.map(|problem| texts.place(problem, None, file));
        Ok(TranslatedSuite {
            file: Arc::clone(file),
            diagnostics: diagnostics.collect(),
            tree: ours.to_tree(texts.whole()),
            texts,
            cases,
            run,
            other_files,
            definitions,
        })
    }
}

impl TranslatedSuite {
    /// Returns the text of the suite itself, without its other files.
    pub(crate) fn text(&self) -> &str {
        self.texts.first()
    }
}

impl EvalSource for TranslatedSuite {
    fn header(&self) -> Option<Node<'_>> {
        Some(self.tree.root())
    }

    fn place(&self, problem: Problem) -> Diagnostic {
        self.texts.place(problem, None, &self.file)
    }

    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic> {
        let cases = self.tree.root().get("evalcases");
        let nodes = cases.into_iter().flat_map(Node::items);
        Ok(Box::new(TranslatedRows {
            suite: self,
            cases: Box::new(nodes.zip(&self.cases)),
        }))
    }
}

struct TranslatedRows<'s> {
    suite: &'s TranslatedSuite,
    cases: Box<dyn Iterator<Item = (Node<'s>, &'s TranslatedCase)> + Send + 's>,
}

impl Rows for TranslatedRows<'_> {
    fn next(&mut self) -> Option<Row<'_>> {
        let (node, case) = self.cases.next()?;
        let suite = self.suite;
        Some(Row::Case(WrittenRow {
            node,
            line: suite.texts.line(case.own.start),
            origin: Origin::Translated {
                file: &suite.file,
                texts: &suite.texts,
                own: &case.own,
                problems: &case.problems,
            },
        }))
    }
}

impl Translation<'_> {
    /// Returns what all tests of a suite share: as written, or from the file that is named instead.
    pub(crate) fn default_test(&mut self, field: Option<PlacedField>, suite: &Placed) -> Placed {
        let found = match field {
            Some(field) if field.value.kind() == NodeKind::String => {
                let path = field.value.as_str().unwrap_or_default();
                let path = path.strip_prefix("file://").unwrap_or(path);
                let path = self.files.project().folder.join(path);
                self.read(&path, &field.value)
            }
            field => field.map(|field| field.value),
        };
        found.unwrap_or_else(|| Placed::map(suite.span.clone()))
    }

    /// Adds the facts about the next case.
    pub(crate) fn add_case(&mut self, own: Range<usize>, notes: Notes) {
        self.cases.push(TranslatedCase {
            own,
            problems: notes.0,
        });
    }

    /// Adds a target that the suite defines, and returns its name. One that is defined already keeps its name;
    /// another of the same name gets a number.
    pub(super) fn define(&mut self, provider: Provider) -> String {
        let Provider {
            name,
            mut definition,
        } = provider;
        if definition.span.end > self.texts.first().len() {
            // The places must be in the suite itself.
            definition = Placed::of_value(0..0, &definition.to_value());
        }
        let value = definition.to_value();
        let is_same = |known: &&Placed| known.to_value() == value;
        if self.definitions.iter().any(|known| is_same(&known)) {
            return name;
        }
        let is_taken = |name: &str| {
            let mut known = self.definitions.iter();
            known.any(|known| known.given("name").and_then(Placed::as_str) == Some(name))
        };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| !is_taken(name)).unwrap_or(name);
        if let Some(mut field) = definition.take("name") {
            field.value = Placed::text(field.value.span.clone(), free.clone());
            definition.put_as("name", field);
        }
        self.definitions.push(definition);
        free
    }

    /// Returns the name of the target that judges.
    pub(crate) fn judge(&mut self, written: &Placed, notes: &mut Notes) -> Placed {
        let written = written.given("text").unwrap_or(written);
        match promptfoo::provider(written) {
            Some(provider) => {
                let name = self.define(provider);
                Placed::text(written.span.clone(), name)
            }
            None => {
                notes.wrong_type(written, "a provider (a text, or an object with `id`)");
                written.clone()
            }
        }
    }

    /// Returns the text of a file of the project. Problems with it are reported at `reference`.
    pub(crate) fn text_of(
        &mut self,
        path: &Path,
        reference: &Placed,
        notes: &mut Notes,
    ) -> Option<Arc<str>> {
        let shown = self.files.project().display(path);
        let found = self.files.find(&format!("/{shown}"));
        match found.and_then(|located| Ok((self.files.text(&located)?, located))) {
            Ok((text, located)) => {
                self.other_files.push(located.absolute.clone());
                Some(text)
            }
            Err(problem) => {
                let span = reference.span.clone();
                notes
                    .0
                    .push(Problem::error(problem.code, span, problem.message));
                None
            }
        }
    }

    /// Fills in environment variables.
    fn with_environment(&mut self, content: Placed) -> Placed {
        let folder = &self.files.project().folder;
        let variable = |name: &str| self.variables.get(folder, name);
        with_environment(content, &variable, &mut self.notes)
    }

    /// Reads another file of the suite. Problems with it are reported at `reference`.
    pub(crate) fn read(&mut self, path: &Path, reference: &Placed) -> Option<Placed> {
        let shown = self.files.project().display(path);
        let file: Arc<str> = shown.into();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let opened = match extension {
            Some("jsonl") => Document::open_lines(path, &file, self.files.unsaved()),
            Some("csv") => Document::open_csv(path, &file, self.files.unsaved()),
            _ => Document::open(path, &file, self.files.unsaved()),
        };
        match opened {
            Ok(document) => {
                self.other_files.push(path.to_owned());
                let mut problems = Vec::new();
                agentv_syntax::check_keys(document.root(), &mut problems);
                let start = self.texts.whole().len();
                for problem in &mut problems {
                    problem.span = problem.span.start + start..problem.span.end + start;
                }
                self.notes.0.append(&mut problems);
                let content = self.texts.add(document);
                Some(self.with_environment(content))
            }
            Err(diagnostic) => {
                let line = diagnostic.line.map(|line| format!(" (line {line})"));
                let message = format!(
                    "`{file}`{}: {}",
                    line.unwrap_or_default(),
                    diagnostic.problem.message
                );
                self.notes.0.push(Problem {
                    severity: Severity::Fatal,
                    span: reference.span.clone(),
                    message,
                    path: String::new(),
                    ..diagnostic.problem
                });
                None
            }
        }
    }
}
