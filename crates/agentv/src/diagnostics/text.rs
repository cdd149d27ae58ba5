//! Diagnostics for people: a sentence, the line with a caret, and advice.

use agentv_core::is_obeyed;
use agentv_syntax::{Diagnostic, Excerpt};
use annotate_snippets::{AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};

use super::printer::Level;

/// The colours and the width of a terminal or a file.
pub(super) struct TextStyle {
    renderer: Renderer,
    width: usize,
}

impl TextStyle {
    pub(super) fn new(colour: bool, width: Option<usize>) -> TextStyle {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        // A file has no limit.
        let width = width.unwrap_or(usize::MAX);
        TextStyle { renderer, width }
    }

    pub(super) fn render(&self, diagnostic: &Diagnostic, level: Level) -> String {
        let (title, suffix) = match level {
            Level::Error => (Title::ERROR, ""),
            Level::Warning => (Title::WARNING, ""),
            Level::Skipped => (Title::WARNING, "; the case is skipped"),
            Level::SkippedByError => (Title::ERROR, "; the case is skipped"),
        };
        let sentence = printable(&format!("{diagnostic}{suffix}"));
        let place = place(diagnostic);
        let mut group = title
            .primary_title(sentence)
            .id(diagnostic.code().as_str())
            .element(place);
        if let Some((excerpt, line)) = diagnostic.excerpt.as_ref().zip(diagnostic.line) {
            // The number of the line and a bar are in front of it.
            let room = self
                .width
                .saturating_sub(8 + line.to_string().len())
                .max(20);
            let excerpt = shown(&excerpt.narrowed(room));
            group = group.element(
                Snippet::source(excerpt.text)
                    .line_start(line as usize)
                    .annotation(AnnotationKind::Primary.span(excerpt.span)),
            );
        }
        let mut report: Vec<Group<'_>> = vec![group];
        if let Some(hint) = &diagnostic.problem.hint {
            report.push(Group::with_title(
                Title::HELP.secondary_title(printable(hint)),
            ));
        }
        let rendered = self.renderer.render(&report);
        // The place is above the line already, so the renderer's mark for "and here" is removed.
        let lines = rendered.lines().filter(|line| !is_and_here(line));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }
}

fn is_and_here(line: &str) -> bool {
    let mut escaped = false;
    let visible = line.chars().filter(|letter| {
        let in_code = escaped || *letter == '\x1b';
        escaped = in_code && *letter != 'm';
        !in_code && *letter != ' '
    });
    visible.collect::<String>() == ":::"
}

fn place(diagnostic: &Diagnostic) -> Origin<'_> {
    let mut origin = Origin::path(printable(&diagnostic.file));
    if let Some(line) = diagnostic.line {
        origin = origin.line(line as usize);
    }
    if let Some(column) = diagnostic.column {
        origin = origin.char_column(column as usize);
    }
    origin
}

/// Replaces letters that a terminal would obey: text of a file may hold anything.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if is_obeyed(letter) { ' ' } else { letter })
        .collect()
}

/// Replaces letters of an excerpt that a terminal would obey, and moves the underlined part with the text.
fn shown(excerpt: &Excerpt) -> Excerpt {
    let before = printable(&excerpt.text[..excerpt.span.start]);
    let within = printable(&excerpt.text[excerpt.span.clone()]);
    let after = printable(&excerpt.text[excerpt.span.end..]);
    Excerpt {
        span: before.len()..before.len() + within.len(),
        text: format!("{before}{within}{after}"),
    }
}
