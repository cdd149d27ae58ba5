//! Texts that try to be more than text.

use serde_json::json;

use crate::runs::{Runs, Trial, errored, trial};
use agentv_testkit::browser::{Browser, BrowserTest};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("whatever_is_written_where_it_is_shown_as_text", everywhere),
    ("a_link_with_a_script_in_it_runs_nothing", links),
    (
        "the_page_forbids_scripts_styles_and_requests_that_are_not_its_own",
        policy,
    ),
];

/// Texts that set `window.__xss` or open a dialog if a page does not treat them as text.
const TEXTS: &[&str] = &[
    "<script>window.__xss=1</script>",
    "</script><script>window.__xss=1</script>",
    "</script ><script>window.__xss=1</script >",
    "</SCRIPT\n><script>window.__xss=1</script>",
    "<!--<script>window.__xss=1</script>-->",
    "<!--</script><script>window.__xss=1",
    "--><script>window.__xss=1</script><!--",
    "<![CDATA[<script>window.__xss=1</script>]]>",
    "<img src=x onerror=window.__xss=1>",
    "<img src='x' onerror='alert(1)'>",
    "<IMG \"\"\"><SCRIPT>window.__xss=1</SCRIPT>\">",
    "<svg onload=window.__xss=1>",
    "<svg/onload=window.__xss=1>",
    "<svg><script>window.__xss=1</script></svg>",
    "<svg><animate onbegin=window.__xss=1 attributeName=x dur=1s>",
    "<svg><a xlink:href=\"javascript:window.__xss=1\"><text>x</text></a></svg>",
    "<math><mtext></style><img src=x onerror=window.__xss=1></math>",
    "<body onload=window.__xss=1>",
    "<iframe src=\"javascript:parent.__xss=1\"></iframe>",
    "<iframe srcdoc=\"<script>parent.__xss=1</script>\"></iframe>",
    "<object data=\"javascript:window.__xss=1\">",
    "<embed src=\"data:text/html,<script>parent.__xss=1</script>\">",
    "<a href=\"javascript:window.__xss=1\">click</a>",
    "<a href=\"&#106;avascript:window.__xss=1\">click</a>",
    "javascript:window.__xss=1",
    "java\nscript:window.__xss=1",
    "data:text/html,<script>window.__xss=1</script>",
    "<form action=javascript:window.__xss=1><input type=submit autofocus>",
    "<input autofocus onfocus=window.__xss=1>",
    "<details open ontoggle=window.__xss=1>",
    "<video><source onerror=window.__xss=1></video>",
    "<audio src=x onerror=window.__xss=1>",
    "<marquee onstart=window.__xss=1>",
    "<style>*{display:none}@import 'http://evil.invalid/x.css'</style>",
    "</style><script>window.__xss=1</script>",
    "</title><script>window.__xss=1</script>",
    "</textarea></noscript></template><script>window.__xss=1</script>",
    "<meta http-equiv=refresh content=\"0;url=javascript:window.__xss=1\">",
    "<base href=\"http://evil.invalid/\">",
    "<link rel=stylesheet href=\"http://evil.invalid/x.css\">",
    "\" onmouseover=\"window.__xss=1\" x=\"",
    "' autofocus onfocus='window.__xss=1' x='",
    "${window.__xss=1}",
    "{{constructor.constructor('window.__xss=1')()}}",
    "&lt;script&gt;window.__xss=1&lt;/script&gt;",
    "&#60;script&#62;window.__xss=1&#60;/script&#62;",
    "\\u003cscript\\u003ewindow.__xss=1\\u003c/script\\u003e",
    "\\\"};window.__xss=1;//",
    "\u{2028}window.__xss=1\u{2029}",
    "nul\0<script>window.__xss=1</script>",
    "\u{202e}<script>window.__xss=1</script>\u{202c}",
    "\u{feff}\u{200b}<script>window.__xss=1</script>",
    "<scr\0ipt>window.__xss=1</scr\0ipt>",
    "<%00script>window.__xss=1</script>",
    "]]><script>window.__xss=1</script>",
    "__proto__",
    "constructor",
];

/// A trial with the same text everywhere.
fn hostile(text: &str) -> Trial {
    let mut one = trial(text, 0.5, text);
    let result = &mut one.result;
    result["eval_file"] = json!(text);
    result["target"] = json!(text);
    result["dataset"] = json!(text);
    result["hits"] = json!([text]);
    result["misses"] = json!([text]);
    result["reasoning"] = json!(text);
    result["trace_summary"]["tool_names"] = json!([text]);
    result["trace_summary"]["tool_calls_by_name"] = json!({text: 1});
    result["evaluator_results"] = json!([{
        "name": text, "type": text, "score": 0.5, "weight": 1.0, "verdict": "fail", "hits": [text], "misses": [text],
        "reasoning": text, "details": {text: [text]},
        "evaluator_results": [{"name": text, "type": text, "weight": 1.0, "error": text}, {"name": text, "type": text, "weight": 1.0, "skipped": text}],
        "judge_calls": [{"target": text, "attempts": 1, "error": text, "answer": text, "request": [{"role": "user", "content": text}]}],
    }]);
    let transcript = one.transcript.as_mut().unwrap();
    transcript["case"] = json!({
        "id": text, "dataset": text, "expected_outcome": text, "guideline_files": [text], "variables": {text: text},
        "input_messages": [
            {"role": "system", "content": text, "name": text},
            {"role": "user", "name": text, "content": [{"type": "text", "value": text}, {"type": "file", "value": text, "path": text, "text": text}, {"type": text, text: text}]}],
        "expected_messages": [{"role": "assistant", "content": format!("{text} expected")}],
        "source": {"file": text, "line": 1},
    });
    transcript["transcript"] = json!({
        "model": text, "finish_reason": text, "trace": {text: text},
        "output_messages": [
            {"role": "assistant", "tool_calls": [{"tool": text, "input": {text: text}, "output": text, "note": text}]},
            {"role": "assistant", "content": text}],
    });
    one
}

/// A run whose names are all hostile too.
fn hostile_run() -> Runs {
    let trials = TEXTS.iter().map(|text| hostile(text));
    let errors = TEXTS
        .iter()
        .map(|text| errored(&format!("{text} errored"), text));
    let long = "unbroken".repeat(20_000);
    let fields = json!({
        "version": TEXTS[0], "started_at": TEXTS[1], "graded_from": TEXTS[2], "calibrated_with": TEXTS[2], "shard": TEXTS[3], "rerun_of": TEXTS[4],
        "merged_from": TEXTS, "eval_ids": TEXTS,
        "files": TEXTS.iter().map(|text| json!({"path": text, "digest": text, "cases": 1})).collect::<Vec<_>>(),
        "targets": TEXTS.iter().map(|text| json!({"name": text, "provider": text})).collect::<Vec<_>>(),
    });
    Runs::new().with_run(trials.chain(errors).chain([hostile(&long)]), &fields)
}

fn everywhere(browser: &Browser) {
    assert!(TEXTS.len() >= 40);
    let runs = hostile_run();
    let page = browser.open(&runs.report(), "");
    assert_eq!(page.told(), format!("{} trials", 2 * TEXTS.len() + 1));
    // Every trial, in the list and open, with everything unfolded.
    for (at, text) in TEXTS.iter().enumerate() {
        page.value(&format!("document.getElementById('list').focus(), scrollTo(0, document.getElementById('list').offsetTop + {at} * 60)"));
        page.wait(&format!("document.getElementById('row-{at}')"));
        assert_eq!(page.text(&format!("#row-{at} b")), *text);
        page.click(&format!("#row-{at}"));
        page.wait(&format!(
            "document.getElementById('case').dataset.ready === '{at}'"
        ));
        page.value(
            "document.querySelectorAll('#case details').forEach((one) => { one.open = true; })",
        );
        assert_eq!(page.text("#case-title"), *text);
        assert_eq!(page.text("#case .message.assistant .call .name"), *text);
        assert_eq!(
            page.text("#case .findings .miss"),
            format!("missed: {text}")
        );
        page.press("Escape");
        page.wait("!document.getElementById('case').open");
    }
    let foreign = "script:not([data-block]):not(:last-of-type), iframe, object, embed, img, video, audio, link, base, form, main style, main a";
    assert_eq!(page.count(foreign), 0);
    let on = "[...document.querySelectorAll('*')].some((one) => [...one.attributes].some((attribute) => attribute.name.startsWith('on') || attribute.name === 'href' || attribute.name === 'src'))";
    assert_eq!(page.value(on), false);
    assert_eq!(
        page.value("document.documentElement.scrollWidth - innerWidth"),
        0
    );
    page.assert_calm();
}

fn links(browser: &Browser) {
    let runs = hostile_run();
    let page = browser.open(&runs.report(), "");
    for text in TEXTS {
        let text = serde_json::to_string(text).unwrap();
        page.value(&format!(
            "location.hash = '#' + new URLSearchParams({{ q: {text}, evaluator: {text}, target: {text}, file: {text}, sort: {text}, case: {text} }})"
        ));
        page.wait(&format!(
            "document.getElementById('text').value === {text}.replace(/[\\n\\r]/g, '')"
        ));
    }
    page.assert_calm();
}

fn policy(browser: &Browser) {
    let runs = Runs::new().with([trial("one", 1.0, "Yes.")]);
    let page = browser.open(&runs.report(), "");
    page.assert_calm();
    page.value(
        "(() => {
            const script = document.createElement('script');
            script.textContent = 'window.__xss = 1';
            document.body.append(script);
            const image = document.createElement('div');
            image.innerHTML = '<img src=x onerror=\"window.__xss = 1\">';
            document.body.append(image);
            fetch('http://127.0.0.1:9/').catch(() => { window.refused = true; });
        })()",
    );
    page.wait("window.refused");
    assert_eq!(page.value("typeof window.__xss"), "undefined");
    let blocked = page.troubles();
    assert!(
        blocked
            .iter()
            .any(|told| told.contains("Content Security Policy")),
        "{blocked:?}"
    );
}
