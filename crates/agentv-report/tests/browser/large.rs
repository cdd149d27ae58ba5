//! A report of very many trials.

use serde_json::json;

use crate::runs::{Runs, Trial};
use agentv_testkit::browser::{Browser, BrowserTest};

pub(crate) const TESTS: &[BrowserTest] = &[(
    "more_than_a_hundred_thousand_trials_are_read_like_ten_and_the_totals_are_true",
    many,
)];

/// More trials than a page shows.
const TRIALS: u32 = 101_000;

/// Small records, so that the test is fast.
fn small(at: u32) -> Trial {
    let failed = at.is_multiple_of(50) || at == TRIALS - 1;
    let id = format!("case-{at}");
    let result = json!({
        "timestamp": "2026-11-15T10:44:00Z", "eval_file": "evals/support.yaml", "eval_id": id,
        "target": "default", "trial": 1, "answer_key": id, "grade_key": id, "attempts": 1, "dataset": "d",
        "status": if failed { "fail" } else { "pass" }, "score": if failed { 0.2 } else { 1.0 },
        "timing": {"total_ms": 100 + at % 900},
        "candidate_answer": "Tuesday.",
        "evaluator_results": [{"name": "tone", "type": "llm_judge", "score": 1.0, "weight": 1.0}],
    });
    let answer = if at == TRIALS - 1 {
        "the last answer"
    } else {
        "Tuesday."
    };
    let transcript = json!({
        "eval_id": id, "answer_key": id,
        "case": {"id": id, "input_messages": [{"role": "user", "content": format!("Question {at}?")}]},
        "transcript": {"output_messages": [{"role": "assistant", "content": answer}]},
    });
    Trial {
        result,
        transcript: Some(transcript),
    }
}

fn many(browser: &Browser) {
    let runs = Runs::new().with((0..TRIALS).map(small));
    let page = browser.open(&runs.report(), "");
    let notice = page.text("#notices");
    assert!(notice.contains("100,000 of 101,000 trials"), "{notice}");
    assert_eq!(
        page.text(".legend"),
        "98,979 pass0 borderline2,021 fail0 error0 ungraded"
    );
    assert_eq!(page.told(), "100,000 trials");
    // Only the visible rows are in the document.
    assert!(page.count(".row") < 60, "{}", page.count(".row"));
    page.press("j");
    page.press("End");
    assert_eq!(page.ids().last().unwrap(), "case-100999");
    page.press("Enter");
    page.wait("document.getElementById('case').dataset.ready > ''");
    assert!(page.text("#case").contains("the last answer"));
    page.press("Escape");
    page.click(".chip.fail");
    assert_eq!(page.told(), "2,021 of 100,000 trials");
    page.click("#columns [data-sort=score]");
    page.click(".chip.fail");
    assert_eq!(page.ids()[0], "case-0");
    page.search("the last answer");
    assert_eq!(page.ids(), ["case-100999"]);
    page.assert_calm();
}
