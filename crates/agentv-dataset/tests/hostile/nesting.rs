//! Values that are deep, or that unfold to more than was written.

use agentv_syntax::Code;

use super::{MEBIBYTE, codes_of, codes_with_sidecar, line, suite};
use crate::alone::{alone, soon};
use crate::project::{TestProject, codes};

#[test]
fn ten_thousand_levels_of_nesting_are_too_deep() {
    let arrays = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    for levels in [200, 10_000] {
        for deep in [arrays(levels), objects(levels)] {
            let text = line("a", &format!(", \"x\": {deep}"));
            assert_eq!(codes_of("a.jsonl", text), [Code::InvalidJson]);
            let text = suite(&format!("    x: {deep}\n"));
            assert_eq!(codes_of("a.yaml", text), [Code::InvalidYaml]);
            assert_eq!(
                codes_with_sidecar(format!("x: {deep}\n")),
                [Code::InvalidYaml]
            );
        }
        assert_eq!(
            codes_of("a.jsonl", "[".repeat(levels)),
            [Code::UnfinishedJson]
        );
        let dashes = "- ".repeat(levels);
        assert_eq!(
            codes_of("a.yaml", suite(&format!("    x:\n      {dashes}a\n"))),
            [Code::InvalidYaml]
        );
        let keys = "? ".repeat(levels);
        assert_eq!(
            codes_of("a.yaml", format!("{keys}a\n")),
            [Code::InvalidYaml]
        );
    }
    let mut block = suite("    x:\n");
    for level in 0..2_000 {
        block.push_str(&format!("{}a:\n", " ".repeat(level + 6)));
    }
    assert_eq!(codes_of("a.yaml", block), [Code::InvalidYaml]);
}

#[test]
fn what_is_as_deep_as_a_line_may_be_is_as_deep_as_a_suite_may_be() {
    let project = TestProject::new();
    for levels in [90, 98, 99] {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        project.write("deep.jsonl", line("a", &format!(", \"x\": {deep}")));
        project.write("deep.yml", suite(&format!("    x: {deep}\n")));
        let from_line = project.load("deep.jsonl").unwrap().cases;
        assert_eq!(from_line.len(), 1);
        assert_eq!(
            project.load("deep.yml").unwrap().cases,
            from_line,
            "{levels}"
        );
    }
    for (levels, from_line, from_suite) in [
        (100, Code::TooDeep, Code::TooDeep),
        (126, Code::TooDeep, Code::TooDeep),
        (127, Code::InvalidJson, Code::InvalidYaml),
    ] {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let text = line("a", &format!(", \"x\": {deep}"));
        assert_eq!(codes_of("deep.jsonl", text), [from_line]);
        let text = suite(&format!("    x: {deep}\n"));
        assert_eq!(codes_of("deep.yml", text), [from_suite]);
    }
}

/// Lists of aliases of lists of aliases.
fn laughs(levels: usize) -> String {
    let mut text = String::from("a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
    for level in 1..levels {
        let items = vec![format!("*a{}", level - 1); 9].join(",");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    text
}

#[test]
fn a_billion_laughs_end_in_an_error() {
    alone(
        "hostile::nesting::a_billion_laughs_end_in_an_error",
        400 * MEBIBYTE,
        || {
            assert_eq!(
                codes_of("a.yaml", laughs(12) + &suite("")),
                [Code::InvalidYaml]
            );
            assert_eq!(codes_with_sidecar(laughs(12)), [Code::InvalidYaml]);
        },
    );
}

#[test]
fn a_long_text_with_many_aliases_ends_in_an_error() {
    alone(
        "hostile::nesting::a_long_text_with_many_aliases_ends_in_an_error",
        400 * MEBIBYTE,
        || {
            let long = "x".repeat(1 << 20);
            let aliases = "*a,".repeat(100_000);
            let text = format!("a: &a {long}\nb: [{aliases}1]\n");
            assert_eq!(
                codes_of("a.yaml", text.clone() + &suite("")),
                [Code::InvalidYaml]
            );
            assert_eq!(codes_with_sidecar(text), [Code::InvalidYaml]);
            // The keys that a merge brings are texts, too.
            let text = format!(
                "a: &a {{? {long}\n  : 1}}\nb: [{}1]\n",
                "{<<: *a},".repeat(20_000)
            );
            assert_eq!(codes_with_sidecar(text), [Code::InvalidYaml]);
        },
    );
}

#[test]
fn merge_keys_that_bring_nothing_end_in_an_error_or_soon() {
    alone(
        "hostile::nesting::merge_keys_that_bring_nothing_end_in_an_error_or_soon",
        800 * MEBIBYTE,
        || {
            let many = |name: &str| vec![format!("*{name}"); 3_000].join(",");
            let text = format!(
                "a: &a {{}}\nb: &b {{<<: [{}]}}\nc: &c {{<<: [{}]}}\nd: {{<<: [{}]}}\n",
                many("a"),
                many("b"),
                many("c")
            );
            assert_eq!(codes_with_sidecar(text), [Code::InvalidYaml]);
            let own: String = (0..50_000).map(|index| format!("k{index}: 1, ")).collect();
            let text = format!(
                "a: &a {{z: 1}}\nb: {{{own}<<: [{}]}}\n",
                vec!["*a"; 50_000].join(",")
            );
            assert_eq!(codes_with_sidecar(text), []);
        },
    );
}

#[test]
fn a_template_that_loops_for_ever_ends_in_an_error() {
    alone(
        "hostile::nesting::a_template_that_loops_for_ever_ends_in_an_error",
        400 * MEBIBYTE,
        || {
            let project = TestProject::new();
            project.write("loop.jsonl", "{\"input\": {\"animal\": \"cat\"}}\n");
            for template in [
                "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% for a in 'x' * 999999999999 %}{% endfor %}",
                "{{ range(999999999) | list }}",
                "{{ animal * 9999999999 }}",
                "{{ animal|indent(4000000000) }}",
                "{{ '%9999999999d'|format(1) }}",
                &format!("{{{{ animal{} }}}}", "|upper".repeat(60_000)),
                &format!("{{{{ animal{} }}}}", ".a".repeat(60_000)),
                &format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(60_000)),
            ] {
                let sidecar = serde_json::json!({"prompt": template}).to_string();
                project.write("loop.yaml", sidecar);
                let codes = soon(|| codes(&project.load("loop.jsonl")));
                assert_eq!(codes, [Code::InvalidTemplate], "{template}");
            }
            for broken in [
                "{{ animal",
                "{% if %}",
                "{{ animal | nonsense }}",
                "{{ missing }}",
            ] {
                project.write(
                    "loop.yaml",
                    serde_json::json!({"prompt": broken}).to_string(),
                );
                assert_eq!(
                    codes(&project.load("loop.jsonl")),
                    [Code::InvalidTemplate],
                    "{broken}"
                );
            }
        },
    );
}
