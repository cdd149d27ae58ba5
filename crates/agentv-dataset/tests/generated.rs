//! Generated eval files: every field and spelling, with unicode, odd numbers and keys of one's own.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::project::REFERENCES;

/// Texts that some reader of YAML takes for something else.
const TROUBLESOME: &[&str] = &[
    "yes",
    "no",
    "012",
    "1e5",
    "~",
    "null",
    "- a",
    "a: b",
    "#c",
    "|",
    ">",
    "\u{85}",
    "\u{2028}",
    "\u{7f}",
    "\u{feff}",
    "a\r\nb",
    "a\rb",
    "\ta",
    " a\nb",
    "a\n\n",
    "a\n \nb",
    "a \nb\n",
    "<<",
    "%x",
    "'",
    "\"",
    "---",
    "...",
    "a\n---\nb",
    "\0",
    "{{ x }}",
    "&a",
    "*a",
    "!!str",
    "? a",
    "日本\n語",
    "😀",
    "é",
];

/// Any text, and often one that YAML might take for something else.
pub(crate) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        "\\PC{0,12}",
        "[ -~\n\t]{0,24}",
        select(TROUBLESOME).prop_map(str::to_owned),
    ]
    .boxed()
}

fn filled() -> BoxedStrategy<String> {
    text().prop_map(|text| format!("{text}.")).boxed()
}

/// Text that opens no template expression: a broken one would be refused.
fn filled_plain() -> BoxedStrategy<String> {
    let plain = |text: String| {
        if ["{{", "{%", "{#"].iter().any(|open| text.contains(open)) {
            text.replace('{', "(")
        } else {
            text
        }
    };
    filled().prop_map(plain).boxed()
}

/// Keys, at times longer than what YAML takes for a key on one line.
fn key() -> BoxedStrategy<String> {
    prop_oneof![
        20 => text(),
        20 => "[a-z_]{1,8}",
        1 => Just("long ".repeat(300) + "key"),
    ]
    .boxed()
}

/// Any JSON value.
pub(crate) fn value() -> BoxedStrategy<Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(&[0.0, -0.0, 1.0, 1e300, -1.5e-300][..]).prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            object(key(), inner),
        ]
    })
    .boxed()
}

fn object(
    key: impl Strategy<Value = String>,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Value> {
    vec((key, value), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

type Fields = BoxedStrategy<Vec<(String, Value)>>;

fn always(name: &'static str, value: impl Strategy<Value = Value> + 'static) -> Fields {
    value
        .prop_map(move |value| vec![(name.to_owned(), value)])
        .boxed()
}

/// The field in three of ten objects.
fn at_times(name: &'static str, value: impl Strategy<Value = Value> + 'static) -> Fields {
    prop_oneof![7 => Just(Vec::new()), 3 => always(name, value)].boxed()
}

/// An unknown field, with any value.
fn unknown() -> Fields {
    let field = (key(), value()).prop_map(|(key, value)| vec![(format!("x-{key}"), value)]);
    prop_oneof![8 => Just(Vec::new()), 2 => field].boxed()
}

fn record(fields: Vec<Fields>) -> BoxedStrategy<Value> {
    fields
        .prop_map(|fields| Value::Object(fields.into_iter().flatten().collect::<Map<_, _>>()))
        .boxed()
}

fn string(text: impl Strategy<Value = String>) -> impl Strategy<Value = Value> {
    text.prop_map(Value::from)
}

fn one_of(values: Vec<Value>) -> impl Strategy<Value = Value> {
    select(values)
}

fn block() -> BoxedStrategy<Value> {
    prop_oneof![
        record(vec![
            always("type", Just(json!("text"))),
            always("value", string(text())),
            unknown()
        ]),
        record(vec![
            always("type", Just(json!("file"))),
            always("value", string(select(REFERENCES).prop_map(str::to_owned))),
            unknown(),
        ]),
        record(vec![
            always("type", Just(json!("image"))),
            always("url", value()),
            unknown()
        ]),
    ]
    .boxed()
}

fn tool_call() -> BoxedStrategy<Value> {
    record(vec![
        always("tool", string(filled())),
        at_times("input", value()),
        at_times("output", value()),
        at_times("id", string(text())),
        at_times("timestamp", string(text())),
        at_times(
            "duration_ms",
            one_of(vec![json!(0), json!(12.5), json!(1e300)]),
        ),
        unknown(),
    ])
}

fn message() -> BoxedStrategy<Value> {
    let role = || {
        one_of(vec![
            "system".into(),
            "user".into(),
            "assistant".into(),
            "tool".into(),
        ])
    };
    let content = || {
        prop_oneof![
            string(text()),
            object(key(), value()),
            vec(block(), 0..3).prop_map(Value::from),
        ]
    };
    prop_oneof![
        4 => record(vec![
            always("role", role()),
            always("content", content()),
            at_times("name", string(text())),
            at_times("tool_calls", vec(tool_call(), 0..3).prop_map(Value::from)),
            unknown(),
        ]),
        1 => record(vec![
            always("role", role()),
            always("tool_calls", vec(tool_call(), 0..3).prop_map(Value::from)),
            unknown(),
        ]),
    ]
    .boxed()
}

fn messages(at_least: usize) -> BoxedStrategy<Value> {
    vec(message(), at_least..4).prop_map(Value::from).boxed()
}

fn evaluator() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        one_of(vec![
            json!({"contains": "Paris"}),
            json!({"llm_judge": "judge.md"}),
            json!({"code_judge": ["python", "judge.py"]}),
            json!({"type": "is_json"}),
            json!({"type": "llm_judge", "prompt": "judge.md", "judges": 3, "aggregate": "mean"}),
            json!({"type": "llm_judge", "prompt": {"script": ["bun", "x.ts"], "config": {"a": [1]}}}),
            json!({"type": "code_judge", "script": ["python", "judge.py"], "threshold": 0.5}),
            json!({"type": "code_judge", "script": "./judge", "cwd": "scripts", "target": {"max_calls": 2}}),
            json!({"type": "tool_trajectory", "mode": "any_order", "minimums": {"semanticSearch": 2}}),
            json!({"type": "tool_trajectory", "mode": "exact",
                   "expected": [{"tool": "a", "args": {"k": [1.0]}, "max_duration_ms": 5}]}),
            json!({"type": "field_accuracy", "fields": [
                {"path": "a.b[0]", "match": "numeric_tolerance", "tolerance": 0.1, "relative": true}]}),
            json!({"type": "similarity", "metric": "bleu", "threshold": 0.25}),
        ]),
        record(vec![
            always(
                "type",
                one_of(vec![
                    "contains".into(),
                    "equals".into(),
                    "starts_with".into()
                ])
            ),
            always("value", string(filled_plain())),
            at_times("ignore_case", any::<bool>().prop_map(Value::from)),
            at_times(
                "weight",
                one_of(vec![json!(0), json!(2), json!(0.125), Value::Null])
            ),
            at_times("required", any::<bool>().prop_map(Value::from)),
        ]),
        record(vec![
            always("type", Just(json!("rubric"))),
            always("rubrics", vec(rubric(), 1..3).prop_map(Value::from)),
        ]),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        record(vec![
            always("type", Just(json!("composite"))),
            always("evaluators", vec(inner, 1..3).prop_map(Value::from)),
            at_times(
                "aggregator",
                one_of(vec![
                    json!({"type": "weighted_average", "weights": {"contains": 2}}),
                    json!({"type": "code_judge", "path": "scripts/judge.py", "cwd": "scripts"}),
                    json!({"type": "llm_judge", "prompt": "judge.md"}),
                ]),
            ),
        ])
    })
    .boxed()
}

fn evaluators() -> BoxedStrategy<Value> {
    vec(evaluator(), 0..4).prop_map(Value::from).boxed()
}

fn rubric() -> BoxedStrategy<Value> {
    prop_oneof![
        string(filled()),
        record(vec![
            always("expected_outcome", string(filled())),
            at_times("weight", one_of(vec![json!(1), json!(0.3)])),
            at_times("required", any::<bool>().prop_map(Value::from)),
            at_times("required_min_score", (0_u8..=10).prop_map(Value::from)),
        ]),
        Just(json!({"score_ranges": [
            {"score_range": [4, 10], "expected_outcome": "good"},
            {"score_range": [0, 3], "expected_outcome": "bad"},
        ]})),
    ]
    .boxed()
}

fn execution() -> BoxedStrategy<Value> {
    record(vec![
        at_times("target", string(filled())),
        at_times("evaluators", evaluators()),
        at_times("retries", value()),
        unknown(),
    ])
}

/// The fields that cases of both kinds may have.
fn optional_fields() -> Vec<Fields> {
    let expected = prop_oneof![
        string(text()),
        object(key(), value()),
        message(),
        messages(0),
        vec(
            prop_oneof![any::<i32>().prop_map(Value::from), block()],
            0..3
        )
        .prop_map(Value::from),
        Just(Value::Null),
    ];
    vec![
        at_times("conversation_id", string(text())),
        at_times("expected_output", expected),
        at_times("expected_messages", messages(0)),
        at_times("execution", execution()),
        at_times(
            "evaluator",
            one_of(vec!["is_json".into(), "llm_judge".into()]),
        ),
        at_times("evaluators", evaluators()),
        at_times("rubrics", vec(rubric(), 0..3).prop_map(Value::from)),
        unknown(),
    ]
}

/// A case that breaks no rule, except that other cases may have its id as well.
pub(crate) fn case() -> BoxedStrategy<Value> {
    let outcome = prop_oneof![
        3 => always("expected_outcome", string(text())),
        1 => always("outcome", string(text())),
    ];
    let input = prop_oneof![
        3 => always("input", prop_oneof![string(text()), messages(1)]),
        1 => always("input_messages", messages(1)),
    ];
    let mut fields = vec![
        always("id", string(filled())),
        outcome.boxed(),
        input.boxed(),
        at_times("outcome", string(text())),
    ];
    fields.extend(optional_fields());
    prop_oneof![4 => record(fields), 1 => row()].boxed()
}

/// An AgentMark row.
fn row() -> BoxedStrategy<Value> {
    let input = record(vec![
        always("userMessage", string(text())),
        always("animal", string(text())),
        at_times("role", Just(json!("user"))),
        at_times("content", vec(block(), 0..3).prop_map(Value::from)),
        unknown(),
    ]);
    let mut fields = vec![always("input", input)];
    fields.extend(optional_fields());
    record(fields)
}

/// Cases with ids that do not repeat.
pub(crate) fn cases() -> BoxedStrategy<Vec<Value>> {
    vec(case(), 1..5)
        .prop_map(|mut cases| {
            for (index, case) in cases.iter_mut().enumerate() {
                let id = case.get("id").and_then(Value::as_str);
                if let Some(id) = id.map(|id| format!("{index} {id}")) {
                    case["id"] = id.into();
                }
            }
            cases
        })
        .boxed()
}

/// Cases, some of which break a rule: a field is missing, or holds any value at all.
pub(crate) fn careless_cases() -> BoxedStrategy<Vec<Value>> {
    let careless = (case(), any::<prop::sample::Index>(), value(), 0..8).prop_map(
        |(mut case, index, value, mistake)| {
            let Some(fields) = case.as_object_mut() else {
                return case;
            };
            let name = fields.keys().nth(index.index(fields.len())).cloned();
            let name = name.unwrap_or_default();
            match mistake {
                0 => drop(fields.shift_remove(&name)),
                1 => drop(fields.insert(name, value)),
                2 => drop(fields.insert("id".to_owned(), "twice".into())),
                3 => drop(fields.insert("expected_output".to_owned(), missing_file())),
                _ => {}
            }
            case
        },
    );
    vec(careless, 0..6).boxed()
}

fn missing_file() -> Value {
    json!([{"type": "file", "value": "missing.md"}])
}

/// Dataset-level fields that break no rule.
pub(crate) fn header() -> BoxedStrategy<Value> {
    record(vec![
        at_times("$schema", Just(json!("agentv-eval-v2"))),
        at_times("description", string(text())),
        at_times("dataset", string(filled())),
        at_times("execution", execution()),
        at_times("target", string(filled())),
        at_times(
            "evaluator",
            one_of(vec!["is_json".into(), "llm_judge".into()]),
        ),
        at_times("evaluators", evaluators()),
        at_times("prompt", Just(json!("A story about {{ animal }}"))),
        unknown(),
    ])
}

/// Dataset-level fields, one of which may hold any value at all.
pub(crate) fn careless_header() -> BoxedStrategy<Value> {
    let name = select(
        &[
            "dataset",
            "execution",
            "evaluators",
            "prompt",
            "description",
        ][..],
    );
    (header(), name, value(), 0..5)
        .prop_map(|(mut header, name, value, mistake)| {
            if mistake == 0 {
                header[name] = value;
            }
            header
        })
        .boxed()
}
