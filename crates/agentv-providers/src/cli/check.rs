//! The checks of a target's commands in `targets.yaml`, besides those of its shape.

use std::borrow::Cow;
use std::ops::Range;

use agentv_syntax::{Code, Node, Problem, nearest};

use super::argv::{Argv, ArgvError};
use super::placeholder::{PLACEHOLDERS, unknown_placeholders};
use super::program_text::ProgramText;
use super::shell::ShellLine;
use crate::environment::{Piece, pieces};
use crate::targets_file::{WrittenTarget, check_spellings, field, inside};

/// Checks the commands of a target: its own and that of its healthcheck.
pub(crate) fn check(target: &WrittenTarget<'_>, problems: &mut Vec<Problem>) {
    let WrittenTarget { source, node, path } = *target;
    let mut check = CommandCheck { source, problems };
    check.command(node, path);
    if let (Some((_, words)), Some(format)) = (field(node, "command"), field(node, "files_format"))
    {
        check.files_format(words, format, path);
    }
    if let Some(healthcheck) = node.given("healthcheck") {
        check.healthcheck(healthcheck, &inside(path, "healthcheck"));
    }
}

/// A check of the commands of one target.
struct CommandCheck<'s, 'p> {
    source: &'s str,
    problems: &'p mut Vec<Problem>,
}

impl CommandCheck<'_, '_> {
    /// Checks the fields of a healthcheck, which depend on its type.
    fn healthcheck(&mut self, healthcheck: Node<'_>, path: &str) {
        check_spellings(healthcheck, path, self.problems);
        self.command(healthcheck, path);
        let Some(kind) = healthcheck.get("type") else {
            return;
        };
        let given = |name: &str| field(healthcheck, name).is_some();
        if kind.is_text("http") && !given("url") {
            self.problems.push(missing(healthcheck, "url").at(path));
        }
        if kind.is_text("command") && !given("command") && !given("command_template") {
            let problem = missing(healthcheck, "command").at(path);
            let hint = "write one of `command`, `command_template`";
            self.problems.push(problem.hint(hint));
        }
    }

    fn command(&mut self, object: Node<'_>, path: &str) {
        let words = field(object, "command");
        let line = field(object, "command_template");
        if let (Some((first, _)), Some((second, _))) = (words, line) {
            self.both(first, second, path);
        }
        if let Some((key, words)) = words {
            self.words(words, &inside(path, &key.text()));
        }
        if let Some((key, line)) = line {
            self.line(line, &inside(path, &key.text()));
        }
    }

    /// Reports `command` beside `command_template`, at the later one.
    fn both(&mut self, first: Node<'_>, second: Node<'_>, path: &str) {
        let later = if first.span().start > second.span().start {
            first
        } else {
            second
        };
        let problem = Problem::error(
            Code::ExclusiveFields,
            later.span(),
            "`command` and `command_template` cannot be combined",
        );
        let hint =
            "keep `command`, which runs without a shell, or `command_template`, which runs in one";
        self.problems.push(problem.at(path).hint(hint));
    }

    fn words(&mut self, words: Node<'_>, path: &str) {
        let texts: Option<Vec<Cow<'_, str>>> = words.items().map(|word| word.as_str()).collect();
        // A word that is not a text is reported already, and so is an empty list.
        let Some(texts) = texts.filter(|texts| !texts.is_empty()) else {
            return;
        };
        for (index, (word, text)) in words.items().zip(&texts).enumerate() {
            self.unknown(word, text, &format!("{path}[{index}]"));
        }
        let texts: Vec<&str> = texts.iter().map(Cow::as_ref).collect();
        match Argv::of(&texts, None) {
            Ok(argv) => self.program_texts(words, &argv.program_texts, path),
            Err(error) => {
                let code = match error {
                    ArgvError::NoProgram => Code::OutOfRange,
                    ArgvError::PlaceholderInProgram(_) => Code::MisplacedPlaceholder,
                };
                let span = words
                    .items()
                    .next()
                    .map_or(words.span(), |word| word.span());
                let problem = Problem::error(code, span, error.to_string());
                self.problems.push(problem.at(format!("{path}[0]")));
            }
        }
    }

    fn line(&mut self, line: Node<'_>, path: &str) {
        let Some(text) = line.as_str() else {
            return;
        };
        self.unknown(line, &text, path);
        match ShellLine::of(&without_references(&text), PLACEHOLDERS) {
            Ok(shell) => self.program_texts(line, &shell.program_texts, path),
            Err(error) => {
                let span = self.within(line, error.placeholder);
                let problem = Problem::error(Code::MisplacedPlaceholder, span, error.to_string());
                let hint = "`command: [..]` runs without a shell and does not have this \
                            restriction";
                self.problems.push(problem.at(path).hint(hint));
            }
        }
    }

    fn unknown(&mut self, node: Node<'_>, text: &str, path: &str) {
        for word in unknown_placeholders(text) {
            let hint = match nearest(word, PLACEHOLDERS.iter().copied()) {
                Some(guess) => format!("did you mean `{{{guess}}}`?"),
                None => format!("known: {{{}}}", PLACEHOLDERS.join("}, {")),
            };
            let problem = Problem {
                expected: Some("a known placeholder".to_owned()),
                found: Some(format!("`{{{word}}}`")),
                ..Problem::error(
                    Code::UnknownPlaceholder,
                    self.within(node, word),
                    format!("unknown placeholder `{{{word}}}`"),
                )
            };
            self.problems.push(problem.at(path).hint(hint));
        }
    }

    /// Warns about text of cases that becomes part of another program.
    fn program_texts(&mut self, node: Node<'_>, found: &[ProgramText], path: &str) {
        for ProgramText { placeholder, after } in found {
            let message =
                format!("`{{{placeholder}}}` becomes part of the program after `{after}`");
            let span = self.within(node, placeholder);
            let problem = Problem::warning(Code::InterpretedText, span, message);
            self.problems.push(problem.at(path).hint(
                "a case can run commands this way: pass the text as an argument, as in \
                 `command: [bash, -c, 'my-agent \"$1\"', bash, \"{PROMPT}\"]`, or let the program \
                 read `{PROMPT_FILE}`",
            ));
        }
    }

    /// Reports quotes in the format of files that become words without a shell.
    fn files_format(&mut self, words: Node<'_>, format: (Node<'_>, Node<'_>), path: &str) {
        let (key, format) = format;
        let quoted = format
            .as_str()
            .is_some_and(|text| text.contains(['\'', '"']));
        if quoted && words.items().next().is_some() {
            let problem = Problem::error(
                Code::UnknownValue,
                format.span(),
                "quotes have no meaning with `command`, which runs without a shell",
            );
            let hint = "remove the quotes: each path stays one word";
            self.problems
                .push(problem.at(inside(path, &key.text())).hint(hint));
        }
    }

    /// Returns the place of a placeholder in the source of `node`, or all of the node if escapes hide
    /// the placeholder.
    fn within(&self, node: Node<'_>, placeholder: &str) -> Range<usize> {
        let part = format!("{{{placeholder}}}");
        let span = node.span();
        let written = self.source.get(span.clone()).unwrap_or_default();
        match written.find(&part) {
            Some(at) => span.start + at..span.start + at + part.len(),
            None => span,
        }
    }
}

fn missing(object: Node<'_>, name: &str) -> Problem {
    let start = object.span().start;
    Problem {
        expected: Some(format!("a field `{name}`")),
        ..Problem::error(
            Code::MissingField,
            start..start + 1,
            format!("missing {name}"),
        )
    }
}

/// Returns a shell line with a word in place of each `${{ NAME }}`.
fn without_references(line: &str) -> String {
    let pieces = pieces(line).into_iter().map(|piece| match piece {
        Piece::Text(text) => text,
        Piece::Variable(_) => "x",
    });
    pieces.collect()
}
