//! More trials than a browser can lay out.

use agentv_testkit::browser::{Browser, BrowserTest};
use agentv_testkit::runs::{Trial, write_run};
use serde_json::json;

use crate::client::Running;
use crate::{ID, run_address};

pub(crate) const TESTS: &[BrowserTest] = &[(
    "a_list_that_is_higher_than_a_browser_allows_scrolls_from_end_to_end",
    many,
)];

const TRIALS: u32 = 300_000;

fn small(at: u32) -> Trial {
    let result = json!({
        "eval_file": "e", "eval_id": format!("case-{at}"), "target": "t", "trial": 1, "position": at + 1,
        "status": if at.is_multiple_of(1000) { "fail" } else { "pass" }, "timestamp": "2026-11-15T10:44:00Z",
        "dataset": "d", "attempts": 1, "answer_key": "k", "grade_key": "g",
    });
    Trial {
        result,
        transcript: None,
    }
}

fn many(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), ID, &json!({}), (0..TRIALS).map(small));
    let server = Running::of(root.path());
    let page = browser.visit(&run_address(&server, ""));
    page.size(1440, 900);
    page.wait("document.querySelectorAll('.row:not(.waiting)').length > 5");
    assert_eq!(page.told(), "300,000 trials");
    let seen = "[...document.querySelectorAll('.row:not(.waiting)')].some((row) => row.querySelector('b').textContent";
    page.press("j");
    page.press("End");
    page.wait(&format!(
        "{seen} === 'case-299999' && row.getBoundingClientRect().bottom <= innerHeight + 1)"
    ));
    assert!(page.count(".row") < 60, "{}", page.count(".row"));
    page.press("k");
    page.wait(&format!(
        "{seen} === 'case-299998' && row.getAttribute('aria-selected') === 'true')"
    ));
    page.press("Home");
    page.wait(&format!(
        "{seen} === 'case-0' && row.getAttribute('aria-selected') === 'true')"
    ));
    // Small steps show each row once, without a gap.
    page.value("scrollTo(0, 7_500_000)");
    let rows = "[...document.querySelectorAll('.row')].map((row) => Number(row.dataset.at)).sort((a, b) => a - b)";
    page.wait(&format!(
        "({rows})[0] > 1000 && document.querySelectorAll('.row.waiting').length === 0"
    ));
    let before = page.value(rows);
    page.value("scrollBy(0, 300)");
    page.wait(&format!("({rows})[0] === {} + 5", before[0]));
    page.click(".chip.fail");
    page.wait(&format!("{seen} === 'case-1000')"));
    assert_eq!(page.told(), "300 of 300,000 trials");
    page.search("case-123000");
    assert_eq!(page.ids(), ["case-123000"]);
    page.assert_calm();
}
