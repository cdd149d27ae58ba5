//! Tests of the reader of YAML.

use super::*;
use crate::tree::Tree;
use proptest::prelude::*;
use serde_json::{Value, json};

fn parsed(source: &str) -> Result<Value, InvalidYaml> {
    let mut tree = Tree::default();
    parse(source, &mut tree).map(|()| tree.root().to_value())
}

#[test]
fn words_that_older_yaml_reads_as_something_else_are_strings() {
    let source = "[yes, no, on, off, 012, 1_000, 2024-01-01, 12:30, 0x, .nan, '5', \"true\", !!str 7, 01.5, e5, ., 0b1]";
    let expected = json!([
        "yes",
        "no",
        "on",
        "off",
        "012",
        "1_000",
        "2024-01-01",
        "12:30",
        "0x",
        ".nan",
        "5",
        "true",
        "7",
        "01.5",
        "e5",
        ".",
        "0b1"
    ]);
    assert_eq!(parsed(source).unwrap(), expected);
}

#[test]
fn an_exclamation_mark_makes_text() {
    let source = "[! 12, ! true, ! a, !!str 12, !<tag:yaml.org,2002:str> 12, !own 12, !!int '12']";
    let expected = json!(["12", "true", "a", "12", "12", 12, 12]);
    assert_eq!(parsed(source).unwrap(), expected);
    assert_eq!(parsed("! 1: x").unwrap(), json!({"1": "x"}));
}

#[test]
fn text_that_yaml_has_a_number_for_is_marked() {
    let source = "a: [.inf, -.INF, .nan, 012.5, 00.5, 012e3, -01.0, 012]\nb: ['.inf', !!str .nan, -.nan, 1.5, 01.2.3, 08:30, 0e1, 0.5, inf, ! 012.5]\n.inf: 1\nc: *x\n";
    let source = source.replace("c: *x", "c: &x 01.5\nd: *x");
    let mut tree = Tree::default();
    parse(&source, &mut tree).unwrap();
    let texts = |node: crate::Node<'_>| -> Vec<String> {
        let texts = node.number_like_texts();
        texts.map(|node| node.text().into_owned()).collect()
    };
    let root = tree.root();
    let marked = [
        ".inf", "-.INF", ".nan", "012.5", "00.5", "012e3", "-01.0", "012",
    ];
    assert_eq!(texts(root.get("a").unwrap()), marked);
    assert_eq!(texts(root.get("b").unwrap()), [""; 0]);
    assert_eq!(texts(root.get("d").unwrap()), ["01.5"]);
    assert_eq!(texts(root).len(), marked.len() + 2);
}

#[test]
fn an_escaped_surrogate_pair_gets_its_spelling_in_yaml() {
    let invalid = parsed("a: \"é\"\nb: \"x \\ud83d\\ude00\"").unwrap_err();
    assert_eq!(invalid.offset, 14);
    assert_eq!(
        invalid.hint.as_deref(),
        Some("write `\\U0001F600`, or the character itself: 😀")
    );
    let invalid = parsed("b: \"\\ude00\"").unwrap_err();
    assert!(
        invalid.reason.contains("`\\ude00` is half of"),
        "{invalid:?}"
    );
    assert_eq!(parsed("b: \"\\U0001F600\"").unwrap(), json!({"b": "😀"}));
    let invalid = parsed("{\"a\": \"\\ud800\"}").unwrap_err();
    assert_eq!(invalid.offset, 7);
}

#[test]
fn numbers_booleans_and_nulls_are_those_of_the_core_schema() {
    let source = "[1, -2, +3, 0x1F, 0o17, 1.5, .5, 5., 1e3, -1.5E-2, True, FALSE, ~, null, ]";
    let expected = json!([
        1, -2, 3, 31, 15, 1.5, 0.5, 5.0, 1e3, -1.5e-2, true, false, null, null
    ]);
    assert_eq!(parsed(source).unwrap(), expected);
}

#[test]
fn merge_keys_inherit_and_own_keys_win() {
    let source = "base: &b {x: 1, y: 2}\nmore: &m {<<: *b, z: 3}\nown: {y: 9, <<: [*m, *b]}";
    assert_eq!(
        parsed(source).unwrap()["own"],
        json!({"y": 9, "z": 3, "x": 1})
    );
}

#[test]
fn positions_count_bytes_after_wide_characters() {
    let source = "é: 日本\nname: \"ü\"\n";
    let mut tree = Tree::default();
    parse(source, &mut tree).unwrap();
    let name = tree.root().get("name").unwrap();
    assert_eq!(&source[name.span()], "\"ü\"");
}

#[test]
fn a_billion_laughs_ends_in_words() {
    let mut source = String::from("a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
    for level in 1..12 {
        let items = vec![format!("*a{}", level - 1); 9].join(",");
        source.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    let invalid = parsed(&source).unwrap_err();
    assert!(invalid.reason.contains("too many values"), "{invalid:?}");
}

#[test]
fn what_cannot_be_read_says_why() {
    for (source, reason) in [
        (
            "a: &x [*x]",
            "this alias refers to a value that contains it",
        ),
        ("a: 1\n---\nb: 2", "a second YAML document"),
        ("? [a, b]\n: c", "a key must be plain text"),
        ("a: {<<: 5}", "`<<` takes a mapping"),
        (&"[".repeat(10_000), "nested deeper"),
        (&"- ".repeat(300), "nested deeper"),
    ] {
        let invalid = parsed(source).unwrap_err();
        assert!(invalid.reason.contains(reason), "{source:.20}: {invalid:?}");
    }
    assert_eq!(parsed("# nothing\n").unwrap(), Value::Null);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(source in "[\\[\\]{}\",:&*<\\-?!#|>' ab1\u{e9}\n]{0,60}") {
        let _ = parsed(&source);
    }
}
