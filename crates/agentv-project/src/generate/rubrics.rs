//! Checklists for cases, drafted from their expected outcomes.

use std::collections::BTreeMap;
use std::path::Path;

use agentv_core::EvalCase;
use agentv_dataset::{
    Diagnostic, LoadOptions, Severity, add_rubrics, load_eval_cases, read_source,
};

use super::author::{Author, GenerateError};
use super::items::texts_in;
use crate::error::ProjectError;

/// A file with checklists.
#[derive(Debug)]
pub struct DraftedRubrics {
    /// The text of the file before.
    pub before: String,
    /// The text with checklists.
    pub after: String,
    /// The number of cases that got one.
    pub cases: u64,
    /// The number of cases that have one already, or no expected outcome.
    pub skipped: u64,
}

/// Drafts a checklist for each case of a file that has an expected outcome and no checklist.
///
/// # Errors
/// If the file cannot be loaded as a whole or edited, or the target gives no usable answer.
pub async fn draft_rubrics(
    file: &Path,
    options: &LoadOptions,
    author: &Author,
) -> Result<DraftedRubrics, GenerateError> {
    let before = read_source(file, &options.unsaved)
        .map_err(|problem| ProjectError::Problems(vec![problem]))?;
    let extension = file.extension().and_then(|extension| extension.to_str());
    let is_yaml = matches!(extension, Some("yaml" | "yml"));
    if !is_yaml && extension != Some("jsonl") {
        let message = format!("`{}` cannot be edited", file.display());
        let hint = "name a suite (.yaml, .yml) or a .jsonl file".to_owned();
        return Err(ProjectError::with_hint(message, Some(hint)).into());
    }
    let loaded = load_eval_cases(file, options).map_err(ProjectError::from_error)?;
    let problems = loaded.diagnostics.into_iter();
    let problems: Vec<Diagnostic> = problems
        .filter(|it| it.severity() != Severity::Warning)
        .collect();
    if !problems.is_empty() {
        return Err(ProjectError::Problems(problems).into());
    }
    let mut added = BTreeMap::new();
    let mut skipped = 0;
    for (index, case) in loaded.cases.iter().enumerate() {
        match case
            .expected_outcome
            .as_deref()
            .filter(|_| case.rubrics.is_empty())
        {
            Some(outcome) => {
                let prompt = prompt(case, outcome);
                let items = author
                    .write(prompt, "a JSON array of texts", texts_in)
                    .await?;
                added.insert(index, items);
            }
            None => skipped += 1,
        }
    }
    Ok(DraftedRubrics {
        after: add_rubrics(&before, is_yaml, &added)?,
        before,
        cases: added.len() as u64,
        skipped,
    })
}

fn prompt(case: &EvalCase, outcome: &str) -> String {
    let asked = case
        .input_messages
        .iter()
        .filter_map(|message| message.content.as_ref());
    let asked: Vec<String> = asked.map(agentv_core::Content::text).collect();
    let expected = case
        .expected_messages
        .iter()
        .filter_map(|message| message.content.as_ref());
    let expected: Vec<String> = expected.map(agentv_core::Content::text).collect();
    let mut prompt = format!(
        "Write a checklist for grading answers to a question. Each item is one sentence about the answer \
         that a reader can check with yes or no, without knowing the other items. Cover everything that \
         the expected outcome says, and nothing else. Write two to six items.\n\n\
         Question:\n{}\n\nExpected outcome:\n{outcome}\n",
        asked.join("\n\n")
    );
    if !expected.is_empty() {
        prompt.push_str(&format!("\nReference answer:\n{}\n", expected.join("\n\n")));
    }
    prompt.push_str("\nReply with a JSON array of strings and nothing else.");
    prompt
}
