//! Checklists written into an eval file, with every other byte as it was.

use std::collections::BTreeMap;
use std::str::FromStr;

use agentv_syntax::{Node, Tree, json, yaml};
use serde_json::Value;
use thiserror::Error;
use yaml_edit::{YamlFile, YamlValue};

/// A file that cannot be edited.
#[derive(Debug, Error, PartialEq)]
pub enum EditError {
    /// The file cannot be parsed.
    #[error("the file cannot be parsed; `agentv validate` says why")]
    Unreadable,
    /// A case is written in a way that has no place for another field.
    #[error(
        "no field can be added to case {0} as it is written; convert the file with `agentv convert` first"
    )]
    NoPlace(usize),
    /// The file would have changed elsewhere.
    #[error(
        "the edit would change more than the checklists; convert the file with `agentv convert` first"
    )]
    ChangesMore,
}

/// Returns the text of a suite (`is_yaml`) or of a JSONL file with `rubrics` added to cases, by their index from 0.
/// Everything else stays as it is, which is checked.
///
/// # Errors
/// If a case has no place for them.
pub fn add_rubrics(
    source: &str,
    is_yaml: bool,
    added: &BTreeMap<usize, Vec<String>>,
) -> Result<String, EditError> {
    let edited = if is_yaml {
        in_suite(source, added)?
    } else {
        in_lines(source, added)?
    };
    let expected = with_rubrics(cases(source, is_yaml)?, added);
    if cases(&edited, is_yaml)? == expected {
        Ok(edited)
    } else {
        Err(EditError::ChangesMore)
    }
}

/// Returns the cases of a file.
fn cases(source: &str, is_yaml: bool) -> Result<Vec<Value>, EditError> {
    let mut tree = Tree::default();
    if is_yaml {
        yaml::parse(source, &mut tree).map_err(|_| EditError::Unreadable)?;
        return Ok(tree
            .root()
            .get("evalcases")
            .into_iter()
            .flat_map(Node::items)
            .map(Node::to_value)
            .collect());
    }
    let lines = source.lines().filter(|line| !line.trim().is_empty());
    let cases = lines.map(|line| serde_json::from_str(line).map_err(|_| EditError::Unreadable));
    cases.collect()
}

fn with_rubrics(mut cases: Vec<Value>, added: &BTreeMap<usize, Vec<String>>) -> Vec<Value> {
    for (index, items) in added {
        if let Some(Value::Object(case)) = cases.get_mut(*index) {
            case.insert("rubrics".to_owned(), items.iter().cloned().collect());
        }
    }
    cases
}

fn in_lines(source: &str, added: &BTreeMap<usize, Vec<String>>) -> Result<String, EditError> {
    let mut edited = String::with_capacity(source.len());
    let mut index = 0;
    for line in source.split_inclusive('\n') {
        if line.trim().is_empty() {
            edited.push_str(line);
            continue;
        }
        match added.get(&index) {
            Some(items) => {
                let end = line.rfind('}').ok_or(EditError::NoPlace(index + 1))?;
                let mut tree = Tree::default();
                json::parse(line.trim_end(), &mut tree).map_err(|_| EditError::Unreadable)?;
                edited.push_str(line[..end].trim_end());
                edited.push_str(&format!(", \"rubrics\": {}", Value::from(items.clone())));
                edited.push_str(&line[end..]);
            }
            None => edited.push_str(line),
        }
        index += 1;
    }
    Ok(edited)
}

/// Adds the checklists to a suite. What is added ends its lines as the rest does.
fn in_suite(source: &str, added: &BTreeMap<usize, Vec<String>>) -> Result<String, EditError> {
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let file = YamlFile::from_str(text).map_err(|_| EditError::Unreadable)?;
    let document = file.document().ok_or(EditError::Unreadable)?;
    let cases = document.get_sequence("evalcases");
    for (index, items) in added {
        let case = cases.as_ref().and_then(|cases| cases.get(*index));
        let case = case.as_ref().and_then(|case| case.as_mapping());
        let case = case.ok_or(EditError::NoPlace(index + 1))?;
        let items: Vec<YamlValue> = items.iter().map(|item| item.as_str().into()).collect();
        let outcomes = ["expected_outcome", "outcome"];
        match outcomes.into_iter().find(|name| case.contains_key(*name)) {
            Some(outcome) => drop(case.insert_after(outcome, "rubrics", items)),
            None => case.set("rubrics", items),
        }
    }
    let edited = file.to_string();
    let mark = &source[..source.len() - text.len()];
    let is_crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
    Ok(if is_crlf {
        let lines = edited.replace("\r\n", "\n").replace('\n', "\r\n");
        format!("{mark}{lines}")
    } else {
        format!("{mark}{edited}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(source: &str, is_yaml: bool) -> Result<String, EditError> {
        let items = vec!["Is kind".to_owned(), "Says: \"no\"".to_owned()];
        add_rubrics(source, is_yaml, &BTreeMap::from([(0, items)]))
    }

    #[test]
    fn comments_and_layout_stay() {
        let source = "\
# suite
evalcases:
  - id: a   # first
    # why
    expected_outcome: Answers kindly # short
    input: |
      Hi

  - {id: b, expected_outcome: x, input: y}
";
        let expected = "\
# suite
evalcases:
  - id: a   # first
    # why
    expected_outcome: Answers kindly # short
    rubrics:
      - Is kind
      - 'Says: \"no\"'
    input: |
      Hi

  - {id: b, expected_outcome: x, input: y}
";
        let edited = edited(source, true).unwrap();
        let plain = |text: &str| text.replace(['\'', '"', '\\'], "");
        assert_eq!(plain(&edited), plain(expected));
    }

    #[test]
    fn flow_style_multi_line_texts_and_lines_have_a_place() {
        for source in [
            "evalcases: [{id: a, expected_outcome: x, input: y}, {id: b, input: z}]\n",
            "evalcases:\n- expected_outcome: >-\n    long\n    text\n  id: a\n  input: y",
            "evalcases:\n  - expected_outcome: |\n      long\n    input:\n      - {role: user, content: hi}\n",
            "evalcases:\n  - {\n      id: a, # first\n      expected_outcome: x,\n    }\n",
            "evalcases:\n  - &one\n    id: a\n    input: y\n    outcome: x\n  # about b\n  - {id: b, input: z}\n",
            "\u{feff}evalcases:\r\n  - id: a\r\n    expected_outcome: x\r\n    input: y\r\n",
        ] {
            let edited = edited(source, true).unwrap();
            assert!(edited.contains("rubrics"), "{edited}");
            // Every line that was there is still there, in the same order, up to the place in a line.
            let mut rest = edited.as_str();
            for word in source.split_whitespace() {
                let at = rest
                    .find(word)
                    .unwrap_or_else(|| panic!("{word}: {edited}"));
                rest = &rest[at + word.len()..];
            }
            let has_mixed_ends =
                edited.contains("\r\n") && edited.replace("\r\n", "").contains('\n');
            assert!(!has_mixed_ends, "{edited:?}");
        }
        let lines = "{\"id\":\"a\", \"input\":\"}\" }\n\n{\"id\":\"b\"}\n";
        let expected = "{\"id\":\"a\", \"input\":\"}\", \"rubrics\": [\"Is kind\",\"Says: \\\"no\\\"\"]}\n\n{\"id\":\"b\"}\n";
        assert_eq!(edited(lines, false).unwrap(), expected);
    }
}
