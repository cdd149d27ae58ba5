//! Quick fixes: the word that was meant, and today's spelling of an older one.

use std::collections::HashMap;
use std::ops::Range;

use agentv_dataset::{Diagnostic, read_source};
use agentv_syntax::{nearest, suggested_in};
use gen_lsp_types::{CodeAction, CodeActionKind, Range as LspRange, TextEdit, Uri, WorkspaceEdit};

use super::context::{Context, line_around};
use super::definition::file_named;
use super::spellings::newer_spelling;
use crate::address::uri_of;
use crate::published::{Published, for_editor, range_of_problem};

/// Returns the fixes of the problems in a range, and of older spellings at its beginning.
pub(crate) fn quick_fixes(
    context: &Context<'_>,
    published: &Published,
    range: LspRange,
) -> Vec<CodeAction> {
    let problems = published.of(&context.document.path);
    let touched = problems.iter().filter(|problem| {
        let place = range_of_problem(problem, context.text(), context.encoding);
        place.start <= range.end && range.start <= place.end
    });
    let fixes = touched.filter_map(|problem| {
        let edit = edit_of_other_file(problem, context)
            .or_else(|| edit_of(problem, context.text(), context))?;
        Some(action(context, edit, Some(problem)))
    });
    let spelling = newer_spelling(context, context.offset(range.start));
    let mut fixes: Vec<CodeAction> = fixes.collect();
    fixes.extend(spelling.map(|edit| action(context, edit, None)));
    fixes.dedup_by(|a, b| a.title == b.title && a.edit == b.edit);
    fixes
}

/// A change of a file.
pub(super) struct Edit {
    pub(super) title: String,
    pub(super) uri: Uri,
    pub(super) range: LspRange,
    pub(super) new_text: String,
}

fn action(context: &Context<'_>, edit: Edit, problem: Option<&Diagnostic>) -> CodeAction {
    let text_edit = TextEdit {
        range: edit.range,
        new_text: edit.new_text,
    };
    let changes = HashMap::from([(edit.uri, vec![text_edit])]);
    let fixed = problem.map(std::slice::from_ref);
    CodeAction {
        title: edit.title,
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: fixed
            .map(|problem| for_editor(problem, Some(context.text()), context.encoding)),
        is_preferred: Some(true),
        edit: Some(WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    }
}

/// Returns the change that a problem suggests: the word that was probably meant, in place of the one that is
/// most like it.
fn edit_of(problem: &Diagnostic, text: &str, context: &Context<'_>) -> Option<Edit> {
    let meant = suggestion(problem)?;
    let place = range_of_problem(problem, text, context.encoding);
    let start = context.encoding.offset(text, place.start);
    let end = context.encoding.offset(text, place.end).max(start);
    // The word may be in a later line of a text, or be the first key of an object that lacks another one.
    let value_end = || {
        let tree = context.outline(text, start);
        tree.spot(start).map(|spot| spot.span.end.max(end))
    };
    let line_end = line_around(text, start).end;
    let word = named_word(&text[start..end], problem)
        .or_else(|| wrong_word(&text[start..end], meant))
        .or_else(|| wrong_word(&text[start..value_end()?], meant))
        .or_else(|| wrong_word(&text[start..line_end], meant))?;
    Some(Edit {
        title: format!("Replace with `{meant}`"),
        uri: context.document.uri.clone(),
        range: context
            .encoding
            .range(text, &(start + word.start..start + word.end)),
        new_text: meant.to_owned(),
    })
}

fn suggestion(problem: &Diagnostic) -> Option<&str> {
    let hint = problem.problem.hint.as_deref();
    hint.and_then(suggested_in)
        .or_else(|| suggested_in(&problem.problem.message))
}

/// Returns the change of another file, such as the prompt of a judge, that a problem is about.
fn edit_of_other_file(problem: &Diagnostic, context: &Context<'_>) -> Option<Edit> {
    let meant = suggestion(problem)?;
    let (name, _) = problem
        .problem
        .message
        .strip_prefix('`')?
        .split_once("`: ")?;
    let path = file_named(context, name)?;
    let text = read_source(&path, &context.unsaved).ok()?;
    let word = wrong_word(&text, meant)?;
    Some(Edit {
        title: format!("Replace with `{meant}` in `{name}`"),
        uri: uri_of(&path),
        range: context.encoding.range(&text, &word),
        new_text: meant.to_owned(),
    })
}

/// Returns the whole text without its quotes, if it is the word that a problem names as unknown.
fn named_word(text: &str, problem: &Diagnostic) -> Option<Range<usize>> {
    let word = text.trim_matches(['"', '\'']);
    let is_named = problem
        .problem
        .message
        .contains(&format!("unknown field `{word}`"));
    let start = text.find(word)?;
    is_named.then_some(start..start + word.len())
}

/// Returns the part of a text that is most like `meant`, but not equal to it.
fn wrong_word(text: &str, meant: &str) -> Option<Range<usize>> {
    let trimmed = text.trim_matches(['"', '\'']);
    let whole = || {
        let start = text.find(trimmed).unwrap_or(0);
        start..start + trimmed.len()
    };
    if nearest(trimmed, [meant]).is_some() {
        return Some(whole());
    }
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.{}:$/".contains(letter);
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in text.char_indices() {
        match words.last_mut().filter(|word| word.end == at) {
            Some(word) if is_part(letter) => word.end = at + letter.len_utf8(),
            _ if is_part(letter) => words.push(at..at + letter.len_utf8()),
            _ => {}
        }
    }
    let trim = |word: Range<usize>| trimmed_to(text, word, meant);
    let candidates = words
        .into_iter()
        .map(trim)
        .filter(|word| text[word.clone()] != *meant);
    candidates
        .filter(|word| nearest(&text[word.clone()], [meant]).is_some())
        .min_by_key(|word| text[word.clone()].len().abs_diff(meant.len()))
}

/// Removes marks at the ends of a word that the meant word does not have.
fn trimmed_to(text: &str, word: Range<usize>, meant: &str) -> Range<usize> {
    let marks = ['{', '}', ':', '.', '$', '/'];
    let mut word = word;
    while text[word.clone()].starts_with(marks) && !meant.starts_with(marks) {
        word.start += 1;
    }
    while text[word.clone()].ends_with(marks) && !meant.ends_with(marks) {
        word.end -= 1;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_meant_replaces_only_the_wrong_one() {
        let fixed = |text: &str, meant: &str| {
            let word = wrong_word(text, meant)?;
            Some(format!(
                "{}{meant}{}",
                &text[..word.start],
                &text[word.end..]
            ))
        };
        assert_eq!(
            fixed("temprature", "temperature").as_deref(),
            Some("temperature")
        );
        assert_eq!(fixed("\"opanai\"", "openai").as_deref(), Some("\"openai\""));
        assert_eq!(
            fixed("run {PROMT} {OUTPUT_FILE}", "{PROMPT}").as_deref(),
            Some("run {PROMPT} {OUTPUT_FILE}")
        );
        assert_eq!(
            fixed("Hello {{ quesion }}!", "question").as_deref(),
            Some("Hello {{ question }}!")
        );
        assert_eq!(fixed("nothing like it", "temperature"), None);
    }
}
