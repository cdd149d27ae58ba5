//! Diagnostics for people: the sentence, the line with a caret, the advice.

use agentv_syntax::{Diagnostic, Excerpt};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};

use super::Level;

/// How a terminal, or a file, wants its text.
pub(super) struct TextStyle {
    renderer: Renderer,
}

impl TextStyle {
    pub(super) fn new(colour: bool, terminal: bool) -> TextStyle {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let decor = if terminal && speaks_unicode() {
            DecorStyle::Unicode
        } else {
            DecorStyle::Ascii
        };
        TextStyle {
            renderer: renderer.decor_style(decor),
        }
    }

    pub(super) fn render(&self, diagnostic: &Diagnostic, level: Level) -> String {
        let (title, suffix) = match level {
            Level::Error => (Title::ERROR, ""),
            Level::Warning => (Title::WARNING, ""),
            Level::Skipped => (Title::WARNING, ", the case is skipped"),
        };
        let sentence = printable(&format!("{diagnostic}{suffix}"));
        let place = place(diagnostic);
        let mut group = title
            .primary_title(sentence)
            .id(diagnostic.code().as_str())
            .element(place);
        if let Some((excerpt, line)) = diagnostic.excerpt.as_ref().zip(diagnostic.line) {
            let excerpt = shown(excerpt);
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
        self.renderer.render(&report)
    }
}

fn place(diagnostic: &Diagnostic) -> Origin<'_> {
    let mut origin = Origin::path(diagnostic.file.as_ref());
    if let Some(line) = diagnostic.line {
        origin = origin.line(line as usize);
    }
    if let Some(column) = diagnostic.column {
        origin = origin.char_column(column as usize);
    }
    origin
}

fn speaks_unicode() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"))
}

/// Text of a file may hold anything; a terminal must not act on it.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// The excerpt with control characters blanked, the underlined part in place.
fn shown(excerpt: &Excerpt) -> Excerpt {
    let before = printable(&excerpt.text[..excerpt.span.start]);
    let within = printable(&excerpt.text[excerpt.span.clone()]);
    let after = printable(&excerpt.text[excerpt.span.end..]);
    Excerpt {
        span: before.len()..before.len() + within.len(),
        text: format!("{before}{within}{after}"),
    }
}
