//! `file_changes`: the target changed the files that it should, and no others.

use std::sync::Arc;

use agentv_core::{ChangeKind, Evaluation, Evaluator, EvaluatorError, FileChange, Score, Subject};
use agentv_syntax::shape::{COUNT, FILLED};
use agentv_syntax::{Code, Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};
use globset::{GlobBuilder, GlobMatcher};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;
use crate::words::{Findings, quoted};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "file_changes",
        aliases: &[],
        doc: "Scores the changes that the target made to the files of its workspace: the share of the requirements that are met. A pattern without `/` matches a name in any folder, and a pattern that matches a folder covers everything in it.",
        options: Record {
            name: "file_changes",
            fields: &[
                Field {
                    name: "expected",
                    shape: &EXPECTED,
                    doc: "The changes that must be there. Each counts as one requirement.",
                },
                Field {
                    name: "forbidden",
                    shape: &PATTERNS,
                    doc: "Globs of files that must not be changed. Each counts as one requirement.",
                },
                Field {
                    name: "max_files",
                    shape: &COUNT,
                    doc: "The maximum number of changed files.",
                },
                Field {
                    name: "max_lines",
                    shape: &COUNT,
                    doc: "The maximum number of added and removed lines together. Files that are not text have none.",
                },
            ],
            required: &[&["expected", "forbidden", "max_files", "max_lines"]],
            others: Others::Warn,
        },
        shorthand: None,
    },
    example: "\
- type: file_changes
  expected: [{path: 'src/**/*.js', kind: modified}, {path: CHANGELOG.md}]
  forbidden: [tests, '*.lock']
  max_files: 5
  max_lines: 80
",
    facts: Facts::CHECK,
    build,
};

static EXPECTED: Shape = Shape {
    expected: "an array of expected changes",
    forms: &[Form::List {
        items: &CHANGE,
        at_least: 1,
    }],
};

static CHANGE: Shape = Shape {
    expected: "an expected change (an object with `path`)",
    forms: &[Form::Record(&Record {
        name: "expected change",
        fields: &[
            Field {
                name: "path",
                shape: &PATTERN,
                doc: "A glob of the path in the workspace.",
            },
            Field {
                name: "kind",
                shape: &KIND_OF_CHANGE,
                doc: "The kind of change: `added`, `modified`, `deleted` or `renamed` (default: any). A renamed file also counts as deleted at its old path and as added at its new one.",
            },
        ],
        required: &[&["path"]],
        others: Others::Warn,
    })],
};

static KIND_OF_CHANGE: Shape = Shape {
    expected: "added, modified, deleted or renamed",
    forms: &[Form::Text(Text::OneOf(ChangeKind::NAMES))],
};

static PATTERNS: Shape = Shape {
    expected: "an array of globs",
    forms: &[Form::List {
        items: &PATTERN,
        at_least: 1,
    }],
};

static PATTERN: Shape = Shape {
    expected: "a glob",
    forms: &[Form::Checked {
        form: &FILLED.forms[0],
        check: |node: Node<'_>| {
            let problem = Pattern::parse(&node.text()).err()?;
            Some(Problem::error(
                Code::InvalidExpression,
                node.span(),
                format!("not a valid glob: {problem}"),
            ))
        },
    }],
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let pattern = |options: &Options<'_>, name: &str, text: &str| {
        Pattern::parse(text).map_err(|problem| options.invalid(name, problem))
    };
    let mut expected = Vec::new();
    for change in options.objects("expected")?.unwrap_or_default() {
        let kind = change.text("kind")?;
        let known = kind.map(ChangeKind::named);
        expected.push(Expected {
            pattern: pattern(&change, "path", change.required_text("path")?)?,
            kind: match known {
                None => None,
                Some(Some(kind)) => Some(kind),
                Some(None) => return Err(change.invalid("kind", KIND_OF_CHANGE.expected)),
            },
        });
    }
    let forbidden = options.texts("forbidden")?.unwrap_or_default();
    let forbidden = forbidden.into_iter();
    let forbidden = forbidden.map(|text| pattern(options, "forbidden", text));
    let changes = FileChanges {
        expected,
        forbidden: forbidden.collect::<Result<_, _>>()?,
        max_files: options.count("max_files")?,
        max_lines: options.count("max_lines")?,
    };
    if changes.requirements() == 0 {
        return Err(options.invalid("expected", "expected at least one requirement"));
    }
    Ok(evaluator(changes))
}

/// A glob of paths in a workspace.
#[derive(Debug)]
struct Pattern {
    written: String,
    matcher: GlobMatcher,
    /// True if it matches names in any folder.
    of_names: bool,
}

impl Pattern {
    fn parse(written: &str) -> Result<Pattern, globset::Error> {
        let plain = written.trim_start_matches("./").trim_start_matches('/');
        let plain = plain.trim_end_matches('/');
        let glob = GlobBuilder::new(plain).literal_separator(true).build()?;
        Ok(Pattern {
            written: written.to_owned(),
            matcher: glob.compile_matcher(),
            of_names: !written.trim_end_matches('/').contains('/'),
        })
    }

    /// Returns true if the pattern matches a path or a folder that it is in.
    fn matches(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(end, _)| end);
        ends.chain([path.len()]).any(|end| {
            let whole = &path[..end];
            let name = whole.rsplit('/').next().unwrap_or(whole);
            self.matcher.is_match(whole) || self.of_names && self.matcher.is_match(name)
        })
    }
}

/// A change that must be there.
#[derive(Debug)]
struct Expected {
    pattern: Pattern,
    kind: Option<ChangeKind>,
}

impl Expected {
    fn is_met_by(&self, change: &FileChange) -> bool {
        let here = || self.pattern.matches(&change.path);
        let from = || {
            change
                .from
                .as_deref()
                .is_some_and(|from| self.pattern.matches(from))
        };
        let is_renamed = change.kind == ChangeKind::Renamed;
        match self.kind {
            None => here() || from(),
            Some(ChangeKind::Added) if is_renamed => here(),
            Some(ChangeKind::Deleted) if is_renamed => from(),
            Some(kind) => kind == change.kind && here(),
        }
    }

    fn shown(&self) -> String {
        let path = quoted(&self.pattern.written);
        match self.kind {
            Some(kind) => format!("{path} {}", kind.as_str()),
            None => format!("{path} changed"),
        }
    }
}

struct FileChanges {
    expected: Vec<Expected>,
    forbidden: Vec<Pattern>,
    max_files: Option<u64>,
    max_lines: Option<u64>,
}

impl FileChanges {
    fn requirements(&self) -> usize {
        let limits = [self.max_files, self.max_lines];
        self.expected.len() + self.forbidden.len() + limits.iter().flatten().count()
    }
}

impl Check for FileChanges {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let Some(changes) = &subject.transcript.file_changes else {
            let message = "the changes of files are unknown: the trial had no workspace";
            return Err(EvaluatorError::new(message));
        };
        let further = subject.further_changes;
        let omitted = subject.transcript.file_changes_omitted;
        let changes = Changes {
            files: changes,
            further,
            omitted: omitted.saturating_sub(further.len() as u64),
        };
        let mut findings = Findings::default();
        let mut met = 0;
        let mut add = |is_met: bool, words: String| {
            met += u32::from(is_met);
            findings.add(is_met, || words);
        };
        for expected in &self.expected {
            let found = changes.find(|change| expected.is_met_by(change))?;
            let shown = expected.shown();
            match found {
                Some(change) => add(true, format!("{shown}: {}", quoted(&change.path))),
                None => add(false, format!("not {shown}")),
            }
        }
        for forbidden in &self.forbidden {
            let found = changes.find(|change| {
                let from = change.from.as_deref();
                forbidden.matches(&change.path) || from.is_some_and(|from| forbidden.matches(from))
            })?;
            let pattern = quoted(&forbidden.written);
            match found {
                Some(change) => {
                    let (path, kind) = (quoted(&change.path), change.kind.as_str());
                    add(
                        false,
                        format!("{path} {kind}, although {pattern} is forbidden"),
                    );
                }
                None => add(true, format!("{pattern} unchanged")),
            }
        }
        if let Some(most) = self.max_files {
            let count = changes.count();
            add(
                count <= most,
                format!("changed files: {count}, at most {most} allowed"),
            );
        }
        if let Some(most) = self.max_lines {
            let count = changes.lines()?;
            add(
                count <= most,
                format!("changed lines: {count}, at most {most} allowed"),
            );
        }
        let score = Score::ratio(f64::from(met), self.requirements() as f64);
        Ok(findings.evaluation(score))
    }
}

/// The changes. If the workspace is gone, only those that were recorded are known.
struct Changes<'a> {
    files: &'a [FileChange],
    further: &'a [FileChange],
    /// The number of changes that are not known.
    omitted: u64,
}

impl<'a> Changes<'a> {
    fn known(&self) -> impl Iterator<Item = &'a FileChange> + use<'a> {
        self.files.iter().chain(self.further)
    }

    /// Finds a change.
    ///
    /// # Errors
    /// Fails if it might be one that was not recorded.
    fn find(
        &self,
        is_it: impl Fn(&FileChange) -> bool,
    ) -> Result<Option<&'a FileChange>, EvaluatorError> {
        let found = self.known().find(|change| is_it(change));
        if found.is_none() && self.omitted > 0 {
            return Err(self.incomplete());
        }
        Ok(found)
    }

    fn count(&self) -> u64 {
        self.known().count() as u64 + self.omitted
    }

    /// Counts the changed lines of texts.
    ///
    /// # Errors
    /// Fails if those of a file are unknown.
    fn lines(&self) -> Result<u64, EvaluatorError> {
        if self.omitted > 0 {
            return Err(self.incomplete());
        }
        let mut lines = 0;
        for change in self.known() {
            match change.lines {
                Some(count) => lines += count.added + count.removed,
                None if change.diff_truncated => {
                    let path = quoted(&change.path);
                    let message = format!("{path} is too large to count its changed lines");
                    return Err(EvaluatorError::new(message));
                }
                None => {}
            }
        }
        Ok(lines)
    }

    fn incomplete(&self) -> EvaluatorError {
        let (listed, omitted) = (self.files.len(), self.omitted);
        EvaluatorError::new(format!(
            "{omitted} changed files were not recorded, besides the {listed} that were"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths_names_and_everything_in_a_folder() {
        for (pattern, path, expected) in [
            ("a.txt", "a.txt", true),
            ("a.txt", "src/a.txt", true),
            ("/a.txt", "src/a.txt", false),
            ("./a.txt", "a.txt", true),
            ("*.js", "src/deep/a.js", true),
            ("src/*.js", "src/a.js", true),
            ("src/*.js", "src/deep/a.js", false),
            ("src/**/*.js", "src/a.js", true),
            ("src/**/*.js", "src/deep/a.js", true),
            ("src", "src/deep/a.js", true),
            ("src/", "src/deep/a.js", true),
            ("tests", "src/tests/a.js", true),
            ("/tests", "src/tests/a.js", false),
            ("test", "tests/a.js", false),
        ] {
            let matches = Pattern::parse(pattern).unwrap().matches(path);
            assert_eq!(matches, expected, "{pattern} {path}");
        }
        assert!(Pattern::parse("[").is_err());
    }
}
