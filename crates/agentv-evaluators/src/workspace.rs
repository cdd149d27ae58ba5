//! The workspace of a trial, as evaluators use it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use agentv_core::{FileChange, Subject, Transcript, WorkspaceFolders};
use agentv_process::{CommandSpec, anchored};
use agentv_workspace::environment;
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
    match subject.workspace_is_gone {
        true => Err(WorkspaceGone),
        false => Ok(subject.workspace),
    }
}

/// Makes a command run in a workspace, with its home folder and its temporary folder.
pub(crate) fn in_workspace(
    spec: CommandSpec,
    workspace: &WorkspaceFolders,
    eval_folder: &Path,
) -> CommandSpec {
    let variables = environment(workspace, Some(eval_folder), |name| std::env::var_os(name));
    spec.current_dir(&workspace.work).envs(variables)
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

/// Returns the changes of a workspace as a text for a judge, up to a limit; `None` if there are none.
pub(crate) fn shown_changes(transcript: &Transcript) -> Option<String> {
    let changes = transcript.file_changes.as_deref()?;
    if changes.is_empty() {
        return None;
    }
    let mut text = String::new();
    let mut without_diff = 0;
    for change in changes {
        let diff = change.diff.as_deref().unwrap_or_default();
        let heading = heading(change);
        if text.len() + heading.len() + diff.len() > SHOWN {
            without_diff += 1;
            continue;
        }
        text.push_str(&heading);
        text.push_str(diff);
        if change.diff_truncated {
            text.push_str("(the rest of the difference is omitted)\n");
        }
    }
    let more = without_diff + transcript.file_changes_omitted;
    if more > 0 {
        text.push_str(&format!("({more} more changed files are omitted)\n"));
    }
    Some(text)
}

fn heading(change: &FileChange) -> String {
    let kind = change.kind.as_str();
    match &change.from {
        Some(from) => format!("{kind}: {from} -> {}\n", change.path),
        None => format!("{kind}: {}\n", change.path),
    }
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
        assert_eq!(shown_changes(&transcript), None);
        transcript.file_changes = Some(vec![
            change("a.txt", "+one\n".to_owned()),
            change("b.txt", "+\n".repeat(SHOWN)),
        ]);
        transcript.file_changes_omitted = 3;
        let shown = shown_changes(&transcript).unwrap();
        assert_eq!(
            shown,
            "modified: a.txt\n+one\n(4 more changed files are omitted)\n"
        );
    }
}
