//! Labels by keyboard, in one tab and in two.

use std::path::PathBuf;

use agentv_testkit::browser::{Browser, BrowserTest, Page};
use agentv_testkit::runs::{ten, write_run};
use agentv_view::{Binding, Runs};
use serde_json::{Value, json};

use crate::client::Running;
use crate::{ID, address, fits};

pub(crate) const TESTS: &[BrowserTest] = &[
    (
        "answers_are_labelled_by_keyboard_and_agreement_grows",
        by_keyboard,
    ),
    (
        "a_blind_label_page_shows_no_verdict_until_it_is_asked_for",
        blind,
    ),
    ("labels_of_two_tabs_at_once_are_kept", two_tabs),
    (
        "the_label_page_fits_small_and_large_windows_in_both_themes",
        sizes,
    ),
];

fn project() -> (tempfile::TempDir, Running) {
    let root = tempfile::tempdir().unwrap();
    let results = root.path().join(".agentv/results");
    write_run(&results, ID, &json!({}), ten());
    let runs = Runs::of_folder(&results).with_user("Ada");
    (root, Running::with(runs, Binding::loopback(0)))
}

fn label_address(server: &Running, hash: &str) -> String {
    address(server, &format!("/label/{ID}{hash}"))
}

fn lines(root: &tempfile::TempDir) -> Vec<Value> {
    let path: PathBuf = root.path().join(".agentv/labels.jsonl");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Waits until the answer of a case is shown.
fn wait_for(page: &Page<'_>, id: &str) {
    page.wait(&format!(
        "document.getElementById('label')?.dataset.ready === '{id}'"
    ));
}

fn by_keyboard(browser: &Browser) {
    let (root, server) = project();
    let page = browser.visit(&label_address(&server, ""));
    wait_for(&page, "case-1");
    assert!(page.text("#label").contains("Where is order case-1?"));
    assert!(page.text("#agreement").contains("Label graded answers"));
    page.press("f");
    wait_for(&page, "case-2");
    page.press("p");
    wait_for(&page, "case-3");
    // A score and a note.
    page.press("s");
    page.type_text("0.25");
    page.press("Escape");
    page.press("n");
    page.type_text("polite, <b>but</b> late");
    page.press("Enter");
    wait_for(&page, "case-4");
    page.press("7");
    wait_for(&page, "case-5");
    let labels = lines(&root);
    let of = |at: usize, field: &str| labels[at][field].clone();
    assert_eq!(
        [of(0, "human_verdict"), of(1, "human_verdict")],
        [json!("fail"), json!("pass")]
    );
    assert_eq!(
        [of(2, "human_score"), of(2, "human_note")],
        [json!(0.25), json!("polite, <b>but</b> late")]
    );
    assert_eq!(of(3, "human_score"), json!(0.7));
    assert_eq!(labels[0]["labelled"]["by"], "Ada");
    assert!(
        page.text("#agreement").contains("all evaluators"),
        "{}",
        page.text("#agreement")
    );
    // Scores 0.1 to 0.4 fail; the person says fail, pass, fail, borderline.
    assert!(
        page.text("#agreement tbody tr").contains("0.500"),
        "{}",
        page.text("#agreement")
    );
    page.press("k");
    wait_for(&page, "case-4");
    page.press("k");
    wait_for(&page, "case-3");
    assert!(page.text("#who").starts_with("Labelled by Ada"));
    assert_eq!(
        page.value("document.getElementById('note').value"),
        "polite, <b>but</b> late"
    );
    page.press("x");
    page.wait("document.getElementById('who').textContent === 'No label yet'");
    assert_eq!(lines(&root).len(), 3);
    page.press("u");
    wait_for(&page, "case-5");
    page.press("?");
    assert!(page.text("#keys").contains("next answer without a label"));
    page.press("Escape");
    let link = page.value("location.href");
    let again = browser.visit(link.as_str().unwrap());
    wait_for(&again, "case-5");
    page.assert_calm();
    again.assert_calm();
}

fn blind(browser: &Browser) {
    let (root, server) = project();
    let page = browser.visit(&label_address(&server, "#blind=1&status=pass"));
    wait_for(&page, "case-8");
    let text = page.text("#label");
    assert!(
        !text.contains("Friendly enough.") && text.contains("target hidden"),
        "{text}"
    );
    page.press("v");
    page.wait("document.getElementById('label').textContent.includes('Friendly enough.')");
    page.press("v");
    page.wait("!document.getElementById('label').textContent.includes('Friendly enough.')");
    page.press("p");
    wait_for(&page, "case-9");
    page.press("p");
    page.wait("document.getElementById('told').textContent.startsWith('All of these answers')");
    assert!(
        lines(&root)
            .iter()
            .all(|line| line["labelled"]["blind"] == true)
    );
    // An errored trial has no answer.
    let page = browser.visit(&label_address(&server, "#status=error"));
    wait_for(&page, "case-10");
    assert!(page.text("#label").contains("cannot be labelled"));
    assert_eq!(
        page.value("document.querySelector('[data-verdict=pass]').disabled"),
        true
    );
    page.press("p");
    page.assert_calm();
}

fn two_tabs(browser: &Browser) {
    let (root, server) = project();
    let first = browser.visit(&label_address(&server, ""));
    let second = browser.visit(&label_address(&server, ""));
    wait_for(&first, "case-1");
    wait_for(&second, "case-1");
    first.press("p");
    wait_for(&first, "case-2");
    // The second tab may know it by now or not: it never overwrites it unseen.
    second.wait("document.getElementById('who').textContent.startsWith('Labelled by Ada')");
    assert_eq!(
        second.value("document.querySelector('[data-verdict=pass]').getAttribute('aria-pressed')"),
        "true"
    );
    second.press("f");
    wait_for(&second, "case-2");
    first.press("p");
    wait_for(&first, "case-3");
    second.press("j");
    wait_for(&second, "case-3");
    second.press("f");
    wait_for(&second, "case-4");
    let labels = lines(&root);
    let found: Vec<(&str, &str)> = labels
        .iter()
        .map(|line| {
            (
                line["labelled"]["eval_id"].as_str().unwrap(),
                line["human_verdict"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [("case-1", "fail"), ("case-2", "pass"), ("case-3", "fail")]
    );
    first.assert_calm();
}

fn sizes(browser: &Browser) {
    let (_root, server) = project();
    for (width, height) in [(380, 1400), (2560, 1300)] {
        for theme in ["light", "dark"] {
            let page = browser.visit(&label_address(&server, ""));
            page.size(width, height);
            page.prefer(theme);
            page.press("p");
            page.wait("document.getElementById('agreement').textContent.includes('all evaluators') && document.getElementById('label').dataset.ready > ''");
            fits(&page);
            page.shot(&format!("view-label-{width}-{theme}"));
            page.assert_calm();
        }
    }
}
