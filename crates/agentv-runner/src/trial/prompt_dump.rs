//! Prompts on disk, for users who want to see the input of a target.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_core::{Digest, Message, Secrets, Trial};
use agentv_journal::create_private;
use agentv_syntax::{Draft, Tree};
use serde::Serialize;

use crate::schedule::lane::Lane;
use crate::trial::request::{prompt_of, request_of};

/// The content of a file.
#[derive(Serialize)]
struct Dump<'a> {
    eval_id: &'a str,
    target: &'a str,
    question: &'a str,
    guidelines: &'a str,
    guideline_files: &'a [String],
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Draft>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_error: Option<String>,
}

/// Writes the prompt of a trial into `folder`, one file per case and target, without secrets and
/// readable by the user alone. The request is the body that the target of `lane` sends, if it sends one.
pub(crate) fn dump(
    folder: &Path,
    trial: &Trial,
    lane: Option<&Lane>,
    secrets: &Secrets,
) -> io::Result<PathBuf> {
    let request = request_of(trial, prompt_of(trial), Duration::MAX);
    let prompt = &request.prompt;
    let target = &*trial.target;
    let body = lane.and_then(|lane| lane.target.provider.request_body(&request));
    let (request, request_error) = match body {
        None => (None, None),
        Some(Ok(body)) => (Some(body_of(body)), None),
        Some(Err(error)) => (None, Some(error.message)),
    };
    let mut json = serde_json::to_vec_pretty(&Dump {
        eval_id: &trial.case.id,
        target,
        question: &prompt.question,
        guidelines: &prompt.guidelines,
        guideline_files: &trial.case.guideline_files,
        messages: &prompt.messages,
        request,
        request_error,
    })?;
    json.push(b'\n');
    let path = folder.join(file_name(&trial.file.name, &trial.case.id, target));
    secrets.redact_json(&mut json);
    create_private(&path)?;
    fs::write(&path, json)?;
    Ok(path)
}

/// Returns the body of a request as JSON, with its numbers as they are sent, or as text if it is not JSON.
fn body_of(body: String) -> Draft {
    let mut tree = Tree::default();
    match agentv_syntax::json::parse(&body, &mut tree) {
        Ok(()) => Draft::from(tree.root()),
        Err(_) => Draft::String(body),
    }
}

/// Returns a readable name that no other case, file or target has.
pub(crate) fn file_name(eval_file: &str, eval_id: &str, target: &str) -> String {
    let plain = |char: char| {
        if char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.') {
            char
        } else {
            '_'
        }
    };
    let readable: String = eval_id.chars().take(80).map(plain).collect();
    let whole = Digest::of_texts(&[eval_file, eval_id, target]).to_string();
    let readable = readable.trim_start_matches('.');
    format!("{readable}-{}.json", &whole[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder_and_differ_by_file_and_target() {
        let name = file_name("a.yaml", "../../etc/passwd", "echo");
        assert!(name.starts_with("_.._etc_passwd-"), "{name}");
        assert_ne!(
            file_name("a.yaml", "x", "echo"),
            file_name("b.yaml", "x", "echo")
        );
        assert_ne!(
            file_name("a.yaml", "x", "echo"),
            file_name("a.yaml", "x", "mock")
        );
    }
}
