//! Measures a page of another viewer in a real Chromium: `measure_viewer ADDRESS CONDITION`.
//!
//! Prints the time from the start of the navigation until the condition, an expression in JavaScript, is true for the
//! first time, and the number of bytes that the page loaded until then.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement")]

use agentv_testkit::browser::Browser;
use serde_json::json;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (address, condition) = (arguments.next().unwrap(), arguments.next().unwrap());
    let browser = Browser::start();
    let page = browser.blank();
    page.size(1440, 900);
    let observe = format!(
        "new MutationObserver(() => {{ if ({condition}) window.shown ??= performance.now(); }}).observe(document, {{ childList: true, subtree: true, characterData: true }});"
    );
    page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": observe}),
    );
    page.go(&address);
    page.wait("window.shown !== undefined");
    let time = page.value("window.shown").as_f64().unwrap();
    let bytes = page.value(
        "performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)",
    );
    let mebibytes = bytes.as_f64().unwrap() / f64::from(1 << 20);
    println!("{time:.0} ms, {mebibytes:.1} MiB loaded");
}
