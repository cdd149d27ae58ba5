//! Foreign text stays text, and a report stays short.

use agentv_core::ResultRecord;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::format::LONGEST;
use super::*;
use crate::samples::{errored, failed, graded, report_of};

fn written(records: &[ResultRecord]) -> String {
    report_of(&FORMAT, records)
}

/// Returns the visible text without code spans; fails if anything has an effect.
fn plain_text(markdown: &str) -> String {
    let mut text = String::new();
    for event in Parser::new_ext(markdown, Options::all()) {
        match event {
            Event::Text(part) => text.push_str(&part),
            Event::Html(html) => {
                let ours = ["<details>", "</details>", "<summary>", "</summary>"];
                let rest = ours
                    .iter()
                    .fold(html.to_string(), |rest, tag| rest.replace(tag, ""));
                assert!(!rest.contains(['<', '>']), "{html}");
            }
            Event::InlineHtml(html) => panic!("{html}"),
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Emphasis) => {
                panic!("{markdown}")
            }
            Event::Start(Tag::Strikethrough | Tag::CodeBlock(_) | Tag::FootnoteDefinition(_)) => {
                panic!("{markdown}")
            }
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {
                panic!("{markdown}")
            }
            _ => {}
        }
    }
    text
}

#[test]
fn a_bar_in_the_name_of_a_target_adds_no_cell() {
    let other = ResultRecord {
        target: "a|b\\|c`|".into(),
        ..graded("x", 1.0)
    };
    let text = written(&[graded("x", 1.0), other]);
    let mut codes = Vec::new();
    let mut cells = 0;
    for event in Parser::new_ext(&text, Options::all()) {
        match event {
            Event::Start(Tag::TableCell) => cells += 1,
            Event::Code(code) => codes.push(code.to_string()),
            _ => {}
        }
    }
    assert_eq!(cells, 4 * 8, "{text}");
    // The separator of backslash and bar is invisible.
    assert!(codes.contains(&"a|b\\\u{200b}|c`|".to_owned()), "{text}");
}

#[test]
fn twenty_of_each_kind_are_listed_and_the_others_counted() {
    let mut records: Vec<ResultRecord> = (0..57)
        .map(|index| {
            failed(
                &format!("case-{index}"),
                0.5 - f64::from(index) / 200.0,
                "no",
            )
        })
        .collect();
    records.push(graded("fine", 1.0));
    let text = written(&records);
    assert_eq!(
        text.lines().filter(|line| line.starts_with("- ")).count(),
        20
    );
    assert!(text.contains("57 trials failed"), "{text}");
    assert!(text.contains("\nand 37 more\n"), "{text}");
    // The worst first.
    assert!(text.contains("- `case-56`, score 0.220: `no`\n"), "{text}");
}

#[test]
fn the_longest_report_fits_a_comment() {
    let long = "日本語 `code` ".repeat(2_000);
    let records: Vec<ResultRecord> = (0..60)
        .map(|index| ResultRecord {
            target: format!("{index}{long}").into(),
            eval_file: format!("{index}{long}").into(),
            trial: 2,
            ..match index % 2 {
                0 => failed(&format!("{index}{long}"), 0.0, &long),
                _ => errored(&format!("{index}{long}"), &long),
            }
        })
        .collect();
    let text = written(&records);
    assert!(text.len() <= LONGEST, "{}", text.len());
    assert!(text.ends_with("</details>\n"));
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
    assert!(text.contains("more\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn nothing_that_others_wrote_takes_effect(
        id in "([`|\\\\<>\\[\\]()*_~#@$&;!:\\n -]|www\\.|https://x\\.y|<b>|\\PC){0,24}",
        miss in "([`|\\\\<>\\[\\]()*_~#@$&;!:\\n -]|@user|#123|</details>|\\PC){0,40}",
        target in "([`|\\\\<@#]|[a-z]|\\PC){0,12}",
    ) {
        let other = ResultRecord { target: target.as_str().into(), ..failed(&id, 0.2, &miss) };
        let text = written(&[graded("x", 1.0), other, errored(&id, &miss)]);
        let plain = plain_text(&text);
        prop_assert!(!plain.contains(['@', '#', '<', '`', '\\', '[']), "{}\n{}", plain, text);
    }
}
