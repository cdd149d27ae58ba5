//! A run that is shown while it is written.

use agentv_journal::RunFolder;
use agentv_testkit::browser::{Browser, BrowserTest};
use agentv_testkit::runs::{ten, trial, write_run};
use serde_json::json;

use crate::client::Running;
use crate::{ID, append, run_address};

pub(crate) const TESTS: &[BrowserTest] = &[(
    "a_run_is_followed_while_it_is_written_and_when_it_is_killed",
    followed,
)];

fn followed(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let run = write_run(root.path(), ID, &json!({"planned": 20}), ten());
    let folder = RunFolder::open(&run).unwrap();
    let lock = folder
        .write("2026-11-15T10:43:08Z".parse().unwrap())
        .unwrap();
    let server = Running::of(root.path());
    let page = browser.visit(&run_address(&server, ""));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 10");
    page.wait("document.getElementById('notices').textContent.includes('in progress: 10 of 20 trials so far')");
    assert!(!page.text("#notices").contains("not run"));
    // The figures above the rows arrive on their own.
    page.wait("document.querySelector('.legend')?.textContent.startsWith('2 pass')");
    page.press("j");
    page.press("j");
    page.value(
        "window.shifts = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value; }).observe({ type: 'layout-shift' })",
    );
    append(&run, &trial("case-11", 1.0, "New"));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 11");
    assert_eq!(page.told(), "11 trials");
    assert_eq!(
        page.text(".row[aria-selected=true] b"),
        "case-2",
        "the choice stays"
    );
    page.wait("document.querySelector('.legend').textContent.startsWith('3 pass')");
    let shifts = page.value("window.shifts").as_f64().unwrap();
    // A row that moves by its height gives more; browsers call 0.1 a good page.
    assert!(
        shifts < 0.02,
        "the page shifts by {shifts} while it is read"
    );
    page.click(".chip.pass");
    page.wait("document.querySelectorAll('.row').length === 3");
    append(&run, &trial("case-12", 1.0, "New"));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 4");
    page.wait("document.getElementById('notices').textContent.includes('12 of 20 trials so far')");
    page.value("window.shifts = 0");
    // Killed: the lock is free, half of a line remains.
    std::fs::OpenOptions::new()
        .append(true)
        .open(run.join("results.jsonl"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"{\"eval_id\": \"to"))
        .unwrap();
    drop(lock);
    page.wait("document.documentElement.dataset.running === 'false'");
    page.wait("!document.getElementById('notices').textContent.includes('in progress')");
    assert!(
        page.text("#notices")
            .contains("8 of 20 trials were not run"),
        "{}",
        page.text("#notices")
    );
    let shifts = page.value("window.shifts").as_f64().unwrap();
    assert!(
        shifts < 0.02,
        "the page shifts by {shifts} when the run ends"
    );
    page.assert_calm();
}
