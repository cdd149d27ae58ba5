//! Checklists written into an eval file, with every other byte as it was.

use std::collections::BTreeMap;
use std::ops::Range;

use agentv_syntax::{Draft, Node, NodeKind, Tree, json, yaml};
use serde_json::Value;
use thiserror::Error;

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

fn in_suite(source: &str, added: &BTreeMap<usize, Vec<String>>) -> Result<String, EditError> {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree).map_err(|_| EditError::Unreadable)?;
    let cases: Vec<Node<'_>> = tree
        .root()
        .get("evalcases")
        .into_iter()
        .flat_map(Node::items)
        .collect();
    let mut edited = source.to_owned();
    // From the end, so that earlier places stay right.
    for (index, items) in added.iter().rev() {
        let case = cases
            .get(*index)
            .filter(|case| case.kind() == NodeKind::Object);
        let insertion = case.and_then(|case| insertion(source, *case, items));
        let (place, text) = insertion.ok_or(EditError::NoPlace(index + 1))?;
        edited.insert_str(place, &text);
    }
    Ok(edited)
}

/// Returns the place of a checklist in a case, and its text.
fn insertion(source: &str, case: Node<'_>, items: &[String]) -> Option<(usize, String)> {
    let span: Range<usize> = case.span();
    if source[span.start..].starts_with('{') {
        let end = span.start + source[span.clone()].rfind('}')?;
        let before = source[..end].trim_end().len();
        let comma = if source[..before].ends_with(',') {
            ""
        } else {
            ","
        };
        return Some((
            before,
            format!("{comma} rubrics: {}", Value::from(items.to_vec())),
        ));
    }
    let line_of = |place: usize| source[..place].rfind('\n').map_or(0, |at| at + 1);
    let keys: Vec<(Node<'_>, Node<'_>)> = case.fields().collect();
    let first = keys.first()?.0.span().start;
    let indent = first - line_of(first);
    let list = Draft::Object(vec![(
        "rubrics".to_owned(),
        Draft::Array(
            items
                .iter()
                .map(|item| Draft::String(item.clone()))
                .collect(),
        ),
    )]);
    let text: String = list
        .to_yaml()
        .lines()
        .map(|line| format!("{}{line}\n", " ".repeat(indent)))
        .collect();
    // After a field on a line of its own, such as the expected outcome; else before a key that begins a line.
    let is_on_one_line = |value: &Node<'_>| {
        let written = &source[value.span()];
        value.kind() != NodeKind::Array
            && value.kind() != NodeKind::Object
            && !written.contains('\n')
            && !written.starts_with(['|', '>'])
    };
    let preferred = keys.iter().find(|(key, value)| {
        (key.is_text("expected_outcome") || key.is_text("outcome")) && is_on_one_line(value)
    });
    let after = preferred.or_else(|| keys.iter().find(|(_, value)| is_on_one_line(value)));
    if let Some((_, value)) = after {
        let end = value.span().end;
        return match source[end..].find('\n') {
            Some(at) => Some((end + at + 1, text)),
            None => Some((source.len(), format!("\n{text}"))),
        };
    }
    let (key, _) = keys.get(1)?;
    let start = line_of(key.span().start);
    let begins_line = source[start..key.span().start].trim().is_empty();
    begins_line.then_some((start, text))
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
        ] {
            let edited = edited(source, true).unwrap();
            assert!(edited.contains("rubrics"), "{edited}");
        }
        let lines = "{\"id\":\"a\", \"input\":\"}\" }\n\n{\"id\":\"b\"}\n";
        let expected = "{\"id\":\"a\", \"input\":\"}\", \"rubrics\": [\"Is kind\",\"Says: \\\"no\\\"\"]}\n\n{\"id\":\"b\"}\n";
        assert_eq!(edited(lines, false).unwrap(), expected);
    }
}
