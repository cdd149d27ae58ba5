//! Prompts on disk, for users who want to see the input of a target.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_core::{Secrets, Trial};
use agentv_journal::create_private;
use serde_json::{Value, json};

use crate::schedule::lane::Lane;
use crate::trial::request::{prompt_of, request_of};

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
    let mut content = json!({
        "eval_id": trial.case.id,
        "target": target,
        "question": prompt.question,
        "guidelines": prompt.guidelines,
        "guideline_files": trial.case.guideline_files,
        "messages": prompt.messages,
    });
    match lane.and_then(|lane| lane.target.provider.request_body(&request)) {
        None => {}
        Some(Ok(body)) => {
            let json = serde_json::from_str(&body);
            content["request"] = json.unwrap_or(Value::String(body));
        }
        Some(Err(error)) => content["request_error"] = error.message.into(),
    }
    let path = folder.join(file_name(&trial.file.name, &trial.case.id, target));
    let mut json = format!("{content:#}\n").into_bytes();
    secrets.redact_json(&mut json);
    create_private(&path)?;
    fs::write(&path, json)?;
    Ok(path)
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
    let whole = blake3::hash(json!([eval_file, eval_id, target]).to_string().as_bytes());
    let readable = readable.trim_start_matches('.');
    format!("{readable}-{}.json", &whole.to_hex()[..8])
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
