//! Unusual runs.

use serde_json::{Value, json};

use crate::runs::{Runs, errored, ten, trial};
use agentv_testkit::browser::{Browser, BrowserTest};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("an_empty_run_is_a_page_that_says_so", empty),
    (
        "a_run_that_goes_on_stopped_early_or_was_dry_is_told",
        notices,
    ),
    (
        "a_run_of_errors_alone_has_no_rate_and_no_score",
        only_errors,
    ),
    ("unusual_names_are_shown_and_opened", names),
    ("a_text_too_long_for_a_page_is_cut_and_says_so", long_texts),
    (
        "differences_take_bounded_time_whatever_the_texts",
        differences,
    ),
];

fn empty(browser: &Browser) {
    let runs = Runs::new().with([]);
    let page = browser.open(&runs.report(), "");
    assert_eq!(page.text("#nothing"), "There are no trials.");
    assert_eq!(page.text(".rate .figure"), "–");
    page.press("j");
    page.press("Enter");
    page.assert_calm();
    let two = Runs::new().with([]).with(ten());
    let page = browser.open(&two.report(), "");
    assert_eq!(page.told(), "10 trials");
    page.assert_calm();
}

fn notices(browser: &Browser) {
    let told = |fields: Value| {
        let runs = Runs::new().with_run(ten(), &fields);
        let page = browser.open(&runs.report(), "");
        page.assert_calm();
        page.text("#notices")
    };
    let ended = "2026-11-15T10:59:00Z";
    assert!(
        told(json!({"planned": 12})).contains(
            "was not finished when this report was written: 2 of 12 trials were not run."
        )
    );
    assert_eq!(
        told(json!({"finished_at": ended, "planned": 11})),
        "1 of 11 trials was not run."
    );
    let stopped = told(json!({"finished_at": ended, "stopped": "budget"}));
    assert_eq!(
        stopped,
        "The run stopped early because its budget was used up."
    );
    assert!(told(json!({"finished_at": ended, "dry_run": true})).contains("mocks answered"));
}

fn only_errors(browser: &Browser) {
    let trials = (0..30).map(|at| {
        errored(
            &format!("case-{at}"),
            &format!("HTTP 500 (request {})", 100_000 + at),
        )
    });
    let runs = Runs::new().with(trials);
    let page = browser.open(&runs.report(), "");
    assert_eq!(page.text(".rate"), "–nothing was graded");
    assert!(page.text(".panels").contains("HTTP 500 (request …)"));
    page.click(".panels td button[type=button] .theirs");
    page.assert_calm();
}

fn names(browser: &Browser) {
    let names = [
        "two\nlines",
        "\u{1F469}\u{200D}\u{1F680} emoji",
        "",
        " ",
        "tab\there",
        "\u{202e}turned",
        "nul\0here",
        &"long".repeat(2_500),
        "constructor",
        "__proto__",
        "#case=1&status=fail",
        "日本語",
    ];
    let trials = names.iter().map(|name| trial(name, 0.5, "Soon."));
    let runs = Runs::new().with(trials);
    let report = runs.report();
    let page = browser.open(&report, "");
    assert_eq!(page.told(), format!("{} trials", names.len()));
    for (at, name) in names.iter().enumerate() {
        page.value(&format!("document.querySelector('#row-{at}').click()"));
        page.wait(&format!(
            "document.getElementById('case').dataset.ready === '{at}'"
        ));
        assert_eq!(page.text("#case-title"), *name);
        let hash = page.value("location.hash");
        let other = browser.open(&report, hash.as_str().unwrap());
        other.wait("document.getElementById('case').dataset.ready > ''");
        assert_eq!(other.text("#case-title"), *name);
        page.press("Escape");
        page.wait("!document.getElementById('case').open");
    }
    page.assert_calm();
}

fn long_texts(browser: &Browser) {
    let runs = Runs::new().with([
        trial("long", 0.5, &"word ".repeat(100_000)),
        trial("usual", 1.0, "Yes."),
    ]);
    let page = browser.open(&runs.report(), "");
    page.open_trial("long");
    let told = page.text("#case .notice");
    assert!(
        told.contains("too long for this page and truncated"),
        "{told}"
    );
    assert!(
        page.text("#case .conversation")
            .contains("[truncated: 300,000 more bytes]")
    );
    page.press("Escape");
    page.open_trial("usual");
    assert_eq!(page.count("#case .notice"), 0);
    page.assert_calm();
}

fn differences(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.open(&runs.report(), "");
    // For any input, the pieces that are not added form the first text, those not removed the
    // second.
    let found = page.value(
        r#"(() => {
          let seed = 7;
          const random = (below) => { seed = (seed * 48271) % 2147483647; return seed % below; };
          const text = (words) => Array.from({ length: words }, () => ["a", "b", "c d", "\n", "é", "1,5"][random(6)]).join([" ", ""][random(2)]);
          const holds = (one, other) => {
            const pieces = difference(one, other);
            const without = (kind) => pieces.filter((piece) => piece[0] !== kind).map((piece) => piece[1]).join("");
            return without("added") === one && without("removed") === other;
          };
          for (let round = 0; round < 500; round += 1) {
            const [one, other] = [text(random(30)), text(random(30))];
            if (!holds(one, other)) return JSON.stringify([one, other]);
          }
          const large = [text(30000), text(30000)];
          return holds(...large) && holds(large[0], large[0] + "x") && holds("", "x") && holds("", "");
        })()"#,
    );
    assert_eq!(found, true);
}
