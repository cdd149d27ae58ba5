//! Cases drafted from documents.

use std::path::PathBuf;

use agentv_dataset::{UnsavedTexts, read_source};
use agentv_syntax::Draft;
use serde_json::Value;

use super::author::{Author, GenerateError};
use super::items::array_in;
use crate::error::ProjectError;

/// The most characters of all documents that are sent.
const LONGEST: usize = 200_000;

/// A suite of drafted cases.
#[derive(Debug)]
pub struct DraftedCases {
    /// The suite, as YAML.
    pub suite: String,
    /// The number of its cases.
    pub cases: u64,
}

/// Drafts cases from documents.
///
/// # Errors
/// If a document cannot be read, all of them are too long, or the target gives no usable answer.
pub async fn draft_cases(
    documents: &[PathBuf],
    count: u32,
    author: &Author,
) -> Result<DraftedCases, GenerateError> {
    let mut text = String::new();
    for path in documents {
        let read = read_source(path, &UnsavedTexts::default())
            .map_err(|problem| ProjectError::Problems(vec![problem]))?;
        text.push_str(&format!(
            "<document name=\"{}\">\n{read}\n</document>\n\n",
            path.display()
        ));
    }
    if text.chars().count() > LONGEST {
        let message = format!("the documents have more than {LONGEST} characters");
        let hint = "name fewer documents".to_owned();
        return Err(ProjectError::with_hint(message, Some(hint)).into());
    }
    let expected = "a JSON array of objects with `id`, `input` and `expected_outcome`";
    let cases = author
        .write(prompt(&text, count), expected, |answer| {
            cases_in(answer, count)
        })
        .await?;
    let number = cases.len() as u64;
    let suite = Draft::Object(vec![("evalcases".to_owned(), Draft::Array(cases))]);
    Ok(DraftedCases {
        suite: suite.to_yaml(),
        cases: number,
    })
}

fn prompt(documents: &str, count: u32) -> String {
    format!(
        "Write {count} cases for evaluating an assistant that answers questions about these documents. Each \
         case asks something that the documents decide. The questions differ in topic and difficulty.\n\n\
         {documents}\
         Reply with a JSON array of {count} objects and nothing else. Each object has `id` (a few words in \
         lower case with hyphens, each only once), `input` (the question, as a user would write it) and \
         `expected_outcome` (one or two sentences on what a right answer says)."
    )
}

/// Returns the cases of an answer; `None` if one lacks a field or there is none.
fn cases_in(answer: &str, count: u32) -> Option<Vec<Draft>> {
    let mut ids: Vec<String> = Vec::new();
    let items = array_in(answer)?.into_iter().take(count as usize);
    let cases = items.map(|item| {
        let text = |name: &str| {
            item.get(name)
                .and_then(Value::as_str)
                .filter(|it| !it.trim().is_empty())
        };
        let written = text("id")?.to_owned();
        let numbered = (2..).map(|number| format!("{written}-{number}"));
        let id = std::iter::once(written.clone())
            .chain(numbered)
            .find(|id| !ids.contains(id))?;
        ids.push(id.clone());
        Some(Draft::Object(vec![
            ("id".to_owned(), Draft::String(id)),
            (
                "expected_outcome".to_owned(),
                Draft::String(text("expected_outcome")?.to_owned()),
            ),
            ("input".to_owned(), Draft::String(text("input")?.to_owned())),
        ]))
    });
    cases.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_have_all_fields_and_ids_of_their_own() {
        let one = r#"{"id": "a", "input": "Q?", "expected_outcome": "Says so"}"#;
        let cases = cases_in(&format!("[{one}, {one}, {one}]"), 2).unwrap();
        let suite = Draft::Array(cases).to_yaml();
        assert!(
            suite.contains("id: a\n") && suite.contains("id: a-2\n"),
            "{suite}"
        );
        assert!(!suite.contains("a-3"));
        assert!(cases_in(r#"[{"id": "a", "input": ""}]"#, 5).is_none());
    }
}
