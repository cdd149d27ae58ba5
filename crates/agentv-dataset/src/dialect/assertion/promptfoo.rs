//! The assertions of promptfoo, where they differ from those of AgentV.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::assertions::{Assertions, flag};
use super::select_best::select_best;
use super::table::{Entry, entries};
use super::{judge, text, trajectory};

entries! { ENTRIES;
    ["equals"] => "equals", rest: equals;
    ["contains"] => "contains", rest: plain;
    ["icontains"] => "contains", flags: ["ignore_case"], rest: plain;
    ["contains-any"] => "contains_any", rest: several;
    ["icontains-any"] => "contains_any", flags: ["ignore_case"], rest: several;
    ["contains-all"] => "contains_all", rest: several;
    ["icontains-all"] => "contains_all", flags: ["ignore_case"], rest: several;
    ["starts-with"] => "starts_with", rest: plain;
    ["regex"] => "regex", rest: text::regex;
    ["is-json"] => "is_json", rest: is_json;
    ["contains-json"] => "contains_json", rest: contains_json;
    ["latency"] => "latency";
    ["cost"] => "cost", options: {"threshold" => "budget"};
    ["levenshtein"] => "similarity", rest: levenshtein;
    ["rouge-n"] => "similarity", rest: |of, item, ours| similarity(of, item, ours, "rouge_1", "0.75");
    ["bleu"] => "similarity", rest: |of, item, ours| similarity(of, item, ours, "bleu", "0.5");
    ["word-count"] => "word_count", rest: text::word_count;
    ["javascript"] => "javascript", rest: |of, item, ours| code(of, item, ours, &[".js", ".cjs", ".mjs", ".ts"]);
    ["python"] => "python", rest: |of, item, ours| code(of, item, ours, &[".py"]);
    ["llm-rubric" "agent-rubric"] => "llm_judge", rest: rubric;
    ["model-graded-closedqa"] => "llm_judge", rest: |of, item, ours| asked(of, item, ours, "The answer meets this criterion: ");
    ["factuality" "model-graded-factuality"] => "llm_judge", rest: |of, item, ours| asked(of, item, ours, "The answer is factually consistent with this reference answer. More or less detail is fine; a contradiction is not: ");
    ["g-eval"] => "llm_judge", rest: g_eval;
    ["select-best"] => "select_best", rest: select_best;
    ["skill-used"] => "skill_used", options: {"value" => "skill"}, rest: trajectory::skill;
    ["trajectory:tool-used"] => "tool_trajectory", rest: trajectory::used;
    ["trajectory:tool-sequence"] => "tool_trajectory", rest: trajectory::sequence;
    ["trajectory:tool-args-match"] => "tool_trajectory", rest: trajectory::arguments;
    ["trajectory:step-count"] => "execution_metrics", rest: trajectory::steps;
    ["trajectory:goal-success"] => "llm_judge", rest: judge::goal;
    ["assert-set"] => "composite", rest: super::combined::assert_set;
}

/// The evaluators that decide themselves if they pass.
const DECIDES_ITSELF: [&str; 3] = ["javascript", "python", "composite"];

/// The score with which a judged answer passes if nothing else is written.
const PASSING: &str = "0.8";

/// The assertions that are not supported, and advice.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["max-score"],
        "compare the runs of the providers with `agentv compare`",
    ),
    (
        &[
            "similar",
            "answer-relevance",
            "classifier",
            "moderation",
            "guardrails",
            "pi",
        ],
        "use `llm-rubric`, or a script",
    ),
    (
        &[
            "context-recall",
            "context-relevance",
            "context-faithfulness",
            "conversation-relevance",
        ],
        "use `llm-rubric` with the context in its text",
    ),
    (&["gleu", "meteor"], "use `rouge-n` or `bleu`"),
    (&["human"], "label answers in `agentv view`"),
];

/// Returns the entry of a kind, by its name with hyphens.
pub(super) fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.theirs.contains(&name))
}

/// Returns all names.
pub(in super::super) fn names() -> impl Iterator<Item = &'static str> {
    ENTRIES
        .iter()
        .flat_map(|entry| entry.theirs.iter().copied())
}

/// Returns what to write in place of an assertion that is not supported.
pub(super) fn advice(name: &str) -> String {
    let plain = name.strip_prefix("not-").unwrap_or(name);
    let refused = REFUSED.iter().find(|(names, _)| names.contains(&plain));
    match (refused, agentv_syntax::nearest(plain, names())) {
        (Some((_, instead)), _) => (*instead).to_owned(),
        (None, Some(nearest)) => format!("did you mean `{nearest}`?"),
        (None, None) => "write the check as a `javascript` or `python` assertion".to_owned(),
    }
}

/// Completes an evaluator: it must pass unless a threshold of the test decides, and names what is not used.
pub(super) fn complete(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
    is_required: bool,
) {
    for (name, reason) in [
        ("threshold", "the assertion passes or fails as a whole"),
        (
            "config",
            "only `javascript` and `python` assertions can read it",
        ),
        ("provider", "nothing is asked"),
        ("rubricPrompt", "nothing is asked"),
        ("value", "the assertion needs none"),
    ] {
        if let Some(field) = item.take(name) {
            of.notes.unused_because(&field, reason);
        }
    }
    for name in ["transform", "contextTransform"] {
        if let Some(field) = item.take(name) {
            let instead = "check the answer as it is, with a `javascript` assertion";
            of.notes.unsupported(name, field.span, instead);
        }
    }
    let kind = ours
        .given("type")
        .and_then(Placed::as_str)
        .unwrap_or_default();
    if ours.given("min_score").is_none() && !DECIDES_ITSELF.contains(&kind) {
        put_number(ours, "min_score", "1");
    }
    invert_least(ours, kind_is_graded(ours));
    let is_free = ours.given("weight").and_then(Placed::as_f64) == Some(0.0);
    if is_required && !is_free {
        let span = ours.span.clone();
        ours.put("required", span.clone(), flag(span, true));
    }
}

fn kind_is_graded(ours: &Placed) -> bool {
    let kind = ours
        .given("type")
        .and_then(Placed::as_str)
        .unwrap_or_default();
    !DECIDES_ITSELF.contains(&kind)
}

/// Inverts the lowest score of a negated evaluator, which gets the inverted score: one that does not reach
/// 0.75 scores more than 0.25.
fn invert_least(ours: &mut Placed, is_graded: bool) {
    if !is_graded || ours.given("negate").and_then(Placed::as_bool) != Some(true) {
        return;
    }
    let least = ours.given("min_score").and_then(Placed::as_f64);
    if let Some(least) = least.filter(|least| *least < 1.0)
        && let Some(mut field) = ours.take("min_score")
    {
        // At the threshold itself, the assertion would pass, so its inversion must not.
        let inverted = (1.0 - least + 1e-9).clamp(0.0, 1.0);
        field.value.value = PlacedValue::Number(inverted.to_string());
        ours.put_as("min_score", field);
    }
}

fn put_number(ours: &mut Placed, name: &str, number: &str) {
    let span = ours.span.clone();
    let value = PlacedValue::Number(number.to_owned());
    ours.put(name, span.clone(), Placed { span, value });
}

/// Makes a value that is a number or boolean a text.
fn as_text(field: &mut PlacedField) {
    let text = match &field.value.value {
        PlacedValue::Number(text) => text.clone(),
        PlacedValue::Bool(value) => value.to_string(),
        _ => return,
    };
    field.value = Placed::text(field.value.span.clone(), text);
}

/// Puts a text to look for.
fn plain(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    if let Some(mut field) = item.take("value") {
        as_text(&mut field);
        item.put_as("value", field);
    } else {
        of.notes.wrong_type(item, "an assertion with a `value`");
        return None;
    }
    text::plain(of, item, ours)
}

/// Puts texts to look for: a list, or a text with commas.
fn several(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    let Some(mut field) = item.take("value") else {
        of.notes.wrong_type(item, "an assertion with a `value`");
        return None;
    };
    let span = field.value.span.clone();
    field.value = match field.value.as_str() {
        Some(text) => {
            let parts = of_commas(text).into_iter();
            let parts: Vec<Placed> = parts.map(|part| Placed::text(span.clone(), part)).collect();
            Placed::list(span, parts)
        }
        None => {
            let items = field.value.items().iter().map(|item| {
                let mut item = PlacedField {
                    name: String::new(),
                    span: item.span.clone(),
                    value: item.clone(),
                };
                as_text(&mut item);
                item.value
            });
            Placed::list(span, items.collect())
        }
    };
    item.put_as("value", field);
    text::plain_list(of, item, ours)
}

/// Returns the parts of a text between commas. Quotes keep commas.
pub(super) fn of_commas(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut is_quoted = false;
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                part.push('"');
            }
            '"' if is_quoted || part.trim().is_empty() => is_quoted = !is_quoted,
            ',' if !is_quoted => parts.push(std::mem::take(&mut part)),
            letter => part.push(letter),
        }
    }
    parts.push(part);
    let trimmed = parts.iter().map(|part| part.trim().to_owned());
    trimmed.filter(|part| !part.is_empty()).collect()
}

/// Puts the text that the answer equals. An object is one that the JSON of the answer equals.
fn equals(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    let is_structure = |value: &Placed| matches!(value.kind(), NodeKind::Object | NodeKind::Array);
    if !item.given("value").is_some_and(is_structure) {
        return plain(of, item, ours);
    }
    let field = item.take("value")?;
    rename(ours, "json_schema");
    let mut schema = Placed::map(field.value.span.clone());
    schema.put("const", field.span.clone(), field.value);
    ours.put("schema", field.span, schema);
    Some(())
}

fn rename(ours: &mut Placed, kind: &str) {
    if let Some(tag) = ours.take("type") {
        let span = tag.value.span.clone();
        ours.put("type", tag.span, Placed::text(span, kind));
    }
}

/// Puts a schema: an object, a file, or a text that is one.
fn schema(of: &mut Assertions<'_, '_>, item: &mut Placed) -> Option<Option<PlacedField>> {
    let Some(mut field) = item.take("value") else {
        return Some(None);
    };
    let Some(written) = field.value.as_str().map(str::to_owned) else {
        return Some(Some(field));
    };
    let span = field.value.span.clone();
    if let Some(path) = written.strip_prefix("file://") {
        field.value = Placed::text(span, path);
        return Some(Some(field));
    }
    let mut tree = agentv_syntax::Tree::default();
    let parsed = agentv_syntax::yaml::parse(&written, &mut tree);
    if parsed.is_ok() && tree.root().kind() == NodeKind::Object {
        field.value = Placed::of_value(span, &tree.root().to_value());
        return Some(Some(field));
    }
    of.notes.wrong_type(
        &field.value,
        "a JSON schema (an object, or `file://` and a path)",
    );
    None
}

fn is_json(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    if let Some(schema) = schema(of, item)? {
        rename(ours, "json_schema");
        ours.put_as("schema", schema);
    }
    Some(())
}

fn contains_json(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    if let Some(schema) = schema(of, item)? {
        ours.put_as("schema", schema);
    }
    Some(())
}

fn put_metric(ours: &mut Placed, metric: &str) {
    let span = ours.span.clone();
    ours.put("metric", span.clone(), Placed::text(span, metric));
}

/// Puts the most letters that may differ.
fn levenshtein(_: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    put_metric(ours, "levenshtein");
    text::put_plain(item, ours, "value");
    match item.take("threshold") {
        Some(most) => ours.put_as("max_distance", most),
        None => put_number(ours, "max_distance", "5"),
    }
    Some(())
}

/// Puts a measure whose value is the score.
fn similarity(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
    metric: &str,
    usual: &str,
) -> Option<()> {
    put_metric(ours, metric);
    let mut value = item.take("value")?;
    if let [only] = value.value.items() {
        value.value = only.clone();
    }
    if value.value.kind() == NodeKind::Array {
        let instead = "write an assertion for each reference, in an `assert-set`";
        of.notes.unsupported("value", value.span, instead);
        return None;
    }
    item.put_as("value", value);
    text::put_plain(item, ours, "value");
    put_threshold(item, ours, usual);
    Some(())
}

fn put_threshold(item: &mut Placed, ours: &mut Placed, usual: &str) {
    match item.take("threshold") {
        Some(threshold) => ours.put_as("min_score", threshold),
        None => put_number(ours, "min_score", usual),
    }
}

/// Puts the code of a check, or the file and the function that hold it.
fn code(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
    ends: &[&str],
) -> Option<()> {
    let Some(value) = item.take("value") else {
        of.notes
            .wrong_type(item, "an assertion with the code as `value`");
        return None;
    };
    let span = value.value.span.clone();
    let written = value.value.as_str().unwrap_or_default();
    let path = written.strip_prefix("file://").map(str::to_owned);
    match path {
        Some(path) => {
            let has_function =
                |(file, _): &(&str, &str)| ends.iter().any(|end| file.ends_with(end));
            let (file, function) = match path.rsplit_once(':').filter(has_function) {
                Some((file, function)) => (file, Some(function)),
                None => (path.as_str(), None),
            };
            ours.put("file", value.span.clone(), Placed::text(span.clone(), file));
            if let Some(function) = function {
                ours.put("function", value.span.clone(), Placed::text(span, function));
            }
        }
        None => ours.put_as("code", value),
    }
    for name in ["threshold", "config"] {
        if let Some(field) = item.take(name) {
            ours.put_as(name, field);
        }
    }
    Some(())
}

/// Puts a rubric for a judge.
fn rubric(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    asked(of, item, ours, "")
}

/// Puts a question for a judge: a sentence before the value.
fn asked(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
    before: &str,
) -> Option<()> {
    put_judge(of, item, ours);
    put_threshold(item, ours, PASSING);
    if let Some(mut value) = item.take("value") {
        let text = match &value.value.value {
            PlacedValue::Text(text) => text.clone(),
            _ => value.value.to_value().to_string(),
        };
        value.value = Placed::text(value.value.span.clone(), format!("{before}{text}"));
        ours.put_as("expected_outcome", value);
    }
    Some(())
}

/// Puts the target that judges, and its prompt.
fn put_judge(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) {
    let own = item.take("provider").map(|mut judge| {
        judge.value = of.translation.judge(&judge.value, of.notes);
        judge
    });
    if let Some(judge) = own.or_else(|| of.judge.clone()) {
        ours.put_as("target", judge);
    }
    let prompt = item
        .take("rubricPrompt")
        .or_else(|| of.rubric_prompt.clone());
    let Some(mut prompt) = prompt else { return };
    match prompt.value.as_str() {
        Some(text) => {
            let text = text.strip_prefix("file://").unwrap_or(text).to_owned();
            prompt.value = Placed::text(prompt.value.span.clone(), text);
            ours.put_as("prompt", prompt);
        }
        None => {
            let instead = "write the prompt as one text";
            of.notes.unsupported("rubricPrompt", prompt.span, instead);
        }
    }
}

/// Puts the criteria of a judge: one judge for each.
fn g_eval(of: &mut Assertions<'_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    const USUAL: &str = "0.7";
    let Some(list) = item.take("value") else {
        of.notes.wrong_type(item, "an assertion with a `value`");
        return None;
    };
    if list.value.kind() != NodeKind::Array {
        put_threshold(item, ours, USUAL);
        item.put_as("value", list);
        return asked(of, item, ours, "");
    }
    rename(ours, "composite");
    put_threshold(item, ours, USUAL);
    let mut members = Vec::new();
    for criterion in list.value.items() {
        let mut member = Placed::map(criterion.span.clone());
        let span = criterion.span.clone();
        member.put(
            "type",
            span.clone(),
            Placed::text(span.clone(), "llm_judge"),
        );
        member.put("expected_outcome", span, criterion.clone());
        put_judge(of, &mut item.clone(), &mut member);
        members.push(member);
    }
    item.take("provider");
    item.take("rubricPrompt");
    ours.put(
        "evaluators",
        list.span,
        Placed::list(list.value.span, members),
    );
    Some(())
}

/// Returns the assertion that a text in a cell is: `contains: Paris`, or the text that the answer equals.
pub(in super::super) fn of_cell(cell: &Placed) -> Placed {
    let text = cell.as_str().unwrap_or_default().trim();
    let (kind, value, threshold) = parts_of_cell(text);
    let span = cell.span.clone();
    let mut assertion = Placed::map(span.clone());
    assertion.put("type", span.clone(), Placed::text(span.clone(), kind));
    if let Some(value) = value {
        assertion.put("value", span.clone(), Placed::text(span.clone(), value));
    }
    if let Some(threshold) = threshold {
        put_number(&mut assertion, "threshold", &threshold);
    }
    assertion
}

/// The assertions that have a threshold of 0.75 in a cell unless it names another.
const WITH_THRESHOLD: [&str; 4] = ["cost", "latency", "levenshtein", "rouge-n"];

fn parts_of_cell(text: &str) -> (String, Option<String>, Option<String>) {
    let of = |kind: &str, value: &str| (kind.to_owned(), Some(value.trim().to_owned()), None);
    for (start, kind) in [
        ("javascript:", "javascript"),
        ("fn:", "javascript"),
        ("eval:", "javascript"),
        ("python:", "python"),
        ("grade:", "llm-rubric"),
        ("llm-rubric:", "llm-rubric"),
    ] {
        if let Some(value) = text.strip_prefix(start) {
            return of(kind, value);
        }
    }
    let is_file = |ends: &[&str]| {
        let path = text.strip_prefix("file://");
        path.is_some_and(|path| ends.iter().any(|end| path.contains(end)))
    };
    if is_file(&[".js", ".cjs", ".mjs", ".ts"]) {
        return of("javascript", text);
    }
    if is_file(&[".py"]) {
        return of("python", text);
    }
    let (head, value) = match text.split_once(':') {
        Some((head, value)) => (head.trim(), Some(value.trim().to_owned())),
        None => (text, None),
    };
    let (kind, threshold) = match head.strip_suffix(')').and_then(|head| head.split_once('(')) {
        Some((kind, number)) if number.trim().parse::<f64>().is_ok() => {
            (kind, Some(number.trim().to_owned()))
        }
        _ => (head, None),
    };
    let plain = kind.strip_prefix("not-").unwrap_or(kind);
    let is_refused = REFUSED.iter().any(|(names, _)| names.contains(&plain));
    if entry(plain).is_none() && !is_refused || plain == "assert-set" {
        return ("equals".to_owned(), Some(text.to_owned()), None);
    }
    let usual = WITH_THRESHOLD.contains(&plain).then(|| "0.75".to_owned());
    (
        kind.to_owned(),
        value.filter(|value| !value.is_empty()),
        threshold.or(usual),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_assertions() {
        let some = |text: &str| Some(text.to_owned());
        for (cell, expected) in [
            ("Paris", ("equals", some("Paris"), None)),
            ("contains: Paris", ("contains", some("Paris"), None)),
            ("not-icontains:x: y", ("not-icontains", some("x: y"), None)),
            (
                "levenshtein(3): abc",
                ("levenshtein", some("abc"), some("3")),
            ),
            (
                "levenshtein: abc",
                ("levenshtein", some("abc"), some("0.75")),
            ),
            ("is-json", ("is-json", None, None)),
            (
                "fn: output.length < 5",
                ("javascript", some("output.length < 5"), None),
            ),
            ("grade: is kind", ("llm-rubric", some("is kind"), None)),
            ("file://check.py", ("python", some("file://check.py"), None)),
            ("Note: no kind", ("equals", some("Note: no kind"), None)),
        ] {
            let (kind, value, threshold) = parts_of_cell(cell);
            assert_eq!((kind.as_str(), value, threshold), expected, "{cell}");
        }
    }

    #[test]
    fn quotes_keep_commas() {
        assert_eq!(of_commas(r#"a, "b, c" , d"#), ["a", "b, c", "d"]);
        assert_eq!(of_commas("a,,b"), ["a", "b"]);
    }
}
