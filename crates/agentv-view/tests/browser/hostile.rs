//! Hostile texts in every field: nothing of them is executed.

use agentv_testkit::browser::{Browser, BrowserTest};
use agentv_testkit::runs::{Trial, trial, write_run};
use serde_json::{Value, json};

use crate::client::Running;
use crate::{ID, address, run_address};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("hostile_texts_in_every_field_execute_nothing", texts),
    ("a_hostile_address_executes_nothing", addresses),
];

const HOSTILE: &[&str] = &[
    "<script>window.__xss = 1</script>",
    "</script><script>window.__xss = 1</script>",
    "<img src=x onerror=\"window.__xss = 1\">",
    "\"><svg onload=window.__xss=1>",
    "javascript:window.__xss=1",
    "'-(window.__xss=1)-'",
    "${window.__xss = 1}",
    "<iframe srcdoc=\"<script>parent.__xss = 1</script>\"></iframe>",
    "<style>*{display:none}</style>\u{202e}\u{2028}\u{feff}",
];

/// Replaces every text of a record, except those that have only a few allowed values.
fn poisoned(value: &Value, text: &str) -> Value {
    match value {
        Value::String(_) => json!(text),
        Value::Array(items) => items.iter().map(|item| poisoned(item, text)).collect(),
        Value::Object(fields) => {
            let kept = [
                "status",
                "verdict",
                "role",
                "stage",
                "timestamp",
                "answer_key",
                "eval_id",
            ];
            let fields = fields.iter().map(|(name, value)| {
                if kept.contains(&name.as_str()) {
                    (name.clone(), value.clone())
                } else {
                    (name.clone(), poisoned(value, text))
                }
            });
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

fn hostile(at: usize, text: &str) -> Trial {
    let plain = trial(&format!("{text} {at}"), 0.5, text);
    Trial {
        result: poisoned(&plain.result, text),
        transcript: plain
            .transcript
            .map(|transcript| poisoned(&transcript, text)),
    }
}

fn texts(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let trials = || {
        let texts = HOSTILE.iter().enumerate();
        texts.map(|(at, text)| hostile(at, text))
    };
    let text = HOSTILE.concat();
    let run = json!({
        "files": [{"path": text, "digest": "d", "cases": 10}], "targets": [{"name": text, "provider": text}],
        "rerun_of": text, "graded_from": text, "shard": text, "eval_ids": [text], "version": text,
    });
    write_run(root.path(), ID, &run, trials());
    write_run(root.path(), "other", &run, trials());
    let server = Running::of(root.path());
    let page = browser.visit(&address(&server, "/"));
    page.wait("document.querySelectorAll('tr.run').length > 0");
    page.assert_calm();
    let page = browser.visit(&run_address(&server, ""));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 9");
    for at in 0..HOSTILE.len() {
        page.value(&format!("document.querySelector('#row-{at}').click()"));
        page.wait("document.getElementById('case').dataset.ready > ''");
        page.value(
            "document.querySelectorAll('#case details').forEach((part) => { part.open = true; })",
        );
        page.press("Escape");
        page.wait("!document.getElementById('case').open");
    }
    page.search("<script>");
    page.assert_calm();
    compared(browser, &server);
    labelled(browser, &server);
}

/// Visits each answer of the run on the label page.
fn labelled(browser: &Browser, server: &Running) {
    let page = browser.visit(&address(server, &format!("/label/{ID}")));
    for _ in HOSTILE {
        page.wait("document.getElementById('label').dataset.ready > ''");
        page.value(
            "document.querySelectorAll('#label details').forEach((part) => { part.open = true; })",
        );
        page.press("j");
    }
    page.assert_calm();
}

/// Visits the comparison of the run with itself under another id.
fn compared(browser: &Browser, server: &Running) {
    let columns = format!("[[%22{ID}%22],[%22other%22]]");
    let page = browser.visit(&address(server, &format!("/compare#columns={columns}")));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 9");
    for at in 0..HOSTILE.len() {
        page.value(&format!("document.querySelector('#row-{at}').click()"));
        page.wait("document.getElementById('case').dataset.ready > ''");
        page.value(
            "document.querySelectorAll('#case details').forEach((part) => { part.open = true; })",
        );
        page.press("Escape");
        page.wait("!document.getElementById('case').open");
    }
    page.assert_calm();
}

fn addresses(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), ID, &json!({}), [trial("a", 1.0, "b")]);
    let server = Running::of(root.path());
    for text in HOSTILE {
        let hash: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let page = browser.visit(&address(
            &server,
            &format!("/#q={hash}&file={hash}&since={hash}"),
        ));
        page.assert_calm();
        let filter =
            format!("#q={hash}&target={hash}&tool={hash}&case=[%22{hash}%22,%22a%22,%22b%22,1]");
        let page = browser.visit(&run_address(&server, &filter));
        page.assert_calm();
        let compared =
            format!("/compare#columns=[[%22{hash}%22],[%22{ID}%22]]&q={hash}&case=[%22{hash}%22]");
        let page = browser.visit(&address(&server, &compared));
        assert_eq!(page.value("window.__xss === undefined"), true);
    }
}
