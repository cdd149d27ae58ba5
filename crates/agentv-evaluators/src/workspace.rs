//! The workspace of a trial, as evaluators use it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use agentv_core::{FileChange, Subject, Transcript, WorkspaceFolders};
use agentv_process::anchored;
use thiserror::Error;

/// The most bytes of diffs that a judge is shown.
const SHOWN: usize = 60_000;

/// The workspace of a trial is gone.
#[derive(Debug, Error)]
#[error(
    "it needs the workspace of the trial, which no longer exists; run the case again (`agentv run` \
     with `--resume --retry-errors` repeats errored cases)"
)]
pub(crate) struct WorkspaceGone;

/// Returns the workspace of a trial; `None` if it never had one.
///
/// # Errors
/// Fails if it had one that is gone.
pub(crate) fn workspace_of<'s>(
    subject: &Subject<'s>,
) -> Result<Option<&'s WorkspaceFolders>, WorkspaceGone> {
    if subject.workspace_is_gone {
        Err(WorkspaceGone)
    } else {
        Ok(subject.workspace)
    }
}

/// Returns the words of a command that runs elsewhere, with absolute paths for those that name files in
/// `folder`.
pub(crate) fn all_anchored(words: &[OsString], folder: &Path) -> Vec<OsString> {
    let words = words.iter().enumerate();
    words
        .map(|(at, word)| anchored(word, at == 0, folder))
        .collect()
}

/// Returns the words of a shell line that needs no shell: no quotes, variables or operators.
pub(crate) fn plain_words(line: &str) -> Option<Vec<OsString>> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " ./_-+:@%,".contains(letter);
    let words = || line.split(' ').filter(|word| !word.is_empty());
    let starts_with_program =
        words().next().is_some_and(|word| word.contains('/')) || words().nth(1).is_some();
    (line.chars().all(is_plain) && starts_with_program)
        .then(|| words().map(|word| OsStr::new(word).to_owned()).collect())
}

/// Returns the changes of a workspace as a text for a judge, up to a limit; `None` without a workspace.
pub(crate) fn shown_changes(transcript: &Transcript) -> Option<String> {
    let changes = transcript.file_changes.as_deref()?;
    if changes.is_empty() {
        // A judge must know: an agent may claim work that it did not do.
        return Some("no file was changed".to_owned());
    }
    let headings: Vec<String> = changes.iter().map(heading).collect();
    // All files are named before their differences share what is left.
    let names: usize = headings
        .iter()
        .map(|heading| heading.len() + CUT.len())
        .sum();
    let rooms = shares(changes, SHOWN.saturating_sub(names));
    let mut text = String::new();
    let mut unnamed = transcript.file_changes_omitted;
    for ((change, heading), room) in changes.iter().zip(headings).zip(rooms) {
        if text.len() + heading.len() > SHOWN {
            unnamed += 1;
            continue;
        }
        let diff = change.diff.as_deref().unwrap_or_default();
        let shown = whole_lines(diff, room);
        text.push_str(&heading);
        text.push_str(shown);
        if change.diff_truncated || shown.len() < diff.len() {
            text.push_str(CUT);
        }
    }
    match unnamed {
        0 => {}
        1 => text.push_str("(1 more changed file is omitted)\n"),
        more => text.push_str(&format!("({more} more changed files are omitted)\n")),
    }
    Some(text)
}

/// Divides a number of bytes among the differences: none gets more than it needs, and short ones are whole
/// before long ones are.
fn shares(changes: &[FileChange], mut room: usize) -> Vec<usize> {
    let length = |change: &FileChange| change.diff.as_ref().map_or(0, String::len);
    let mut by_length: Vec<usize> = (0..changes.len()).collect();
    by_length.sort_by_key(|at| length(&changes[*at]));
    let mut shares = vec![0; changes.len()];
    for (done, at) in by_length.into_iter().enumerate() {
        let share = length(&changes[at]).min(room / (changes.len() - done));
        shares[at] = share;
        room -= share;
    }
    shares
}

/// The mark of a difference that is not whole.
const CUT: &str = "(the rest of the difference is omitted)\n";

/// Returns the first whole lines of a text, up to a number of bytes.
fn whole_lines(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.floor_char_boundary(most);
    let end = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    &text[..end]
}

fn heading(change: &FileChange) -> String {
    let kind = change.kind.as_str();
    let from = change.from.as_ref();
    let from = from.map(|from| format!("{from} -> ")).unwrap_or_default();
    let lines = match change.lines {
        Some(lines) => format!(" (+{} -{})", lines.added, lines.removed),
        None if change.digest.is_some() => " (not a text)".to_owned(),
        None => String::new(),
    };
    format!("{kind}: {from}{}{lines}\n", change.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_core::ChangeKind;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn only_lines_without_shell_syntax_are_words() {
        assert_eq!(
            plain_words("./judge.sh  --fast"),
            Some(words(&["./judge.sh", "--fast"]))
        );
        for line in [
            "a | b",
            "a $X",
            "a 'b c'",
            "a > b",
            "a; b",
            "cd x && y",
            "a *.py",
            "exit",
        ] {
            assert_eq!(plain_words(line), None, "{line}");
        }
    }

    #[test]
    fn a_judge_sees_diffs_up_to_a_limit_and_the_number_of_the_others() {
        let change = |path: &str, diff: String| FileChange {
            path: path.to_owned(),
            kind: ChangeKind::Modified,
            from: None,
            lines: None,
            diff: Some(diff),
            diff_truncated: false,
            digest: None,
        };
        let mut transcript = Transcript::default();
        assert_eq!(shown_changes(&transcript), None);
        transcript.file_changes = Some(Vec::new());
        let none = shown_changes(&transcript);
        assert_eq!(none.as_deref(), Some("no file was changed"));
        transcript.file_changes = Some(vec![
            change("a.txt", "+one\n".to_owned()),
            change("b.txt", "+\n".repeat(SHOWN)),
            change("c.txt", "+three\n".to_owned()),
        ]);
        transcript.file_changes_omitted = 3;
        let shown = shown_changes(&transcript).unwrap();
        assert!(shown.len() <= SHOWN + 100, "{}", shown.len());
        assert!(shown.starts_with("modified: a.txt\n+one\nmodified: b.txt\n+\n"));
        // A long difference hides neither its own file nor another one.
        let end = "+\n(the rest of the difference is omitted)\nmodified: c.txt\n+three\n\
                   (3 more changed files are omitted)\n";
        assert!(shown.ends_with(end), "{}", &shown[shown.len() - 300..]);
    }
}
