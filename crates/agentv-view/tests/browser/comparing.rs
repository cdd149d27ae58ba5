//! Runs and targets side by side.

use agentv_testkit::browser::{Browser, BrowserTest, Page};
use agentv_testkit::runs::{Trial, errored, merged, trial, write_run};
use serde_json::json;

use crate::address;
use crate::client::Running;

pub(crate) const TESTS: &[BrowserTest] = &[
    ("runs_are_chosen_and_compared_by_keyboard", chosen),
    (
        "cases_are_compared_with_the_worst_first_and_opened_side_by_side",
        compared,
    ),
    ("targets_and_repeats_of_one_run_are_compared", targets),
    (
        "a_comparison_fits_small_and_large_windows_in_both_themes",
        sizes,
    ),
];

fn named(trial: Trial, target: &str, number: u32) -> Trial {
    let names = json!({"target": target, "trial": number, "answer_key": format!("{target} {number} {}", trial.result["eval_id"])});
    Trial {
        result: merged(&trial.result, names.clone()),
        transcript: trial
            .transcript
            .map(|transcript| merged(&transcript, names)),
    }
}

fn project() -> (tempfile::TempDir, Running) {
    let root = tempfile::tempdir().unwrap();
    let ended = |at: u32| json!({"started_at": format!("2026-11-1{at}T10:43:07Z"), "finished_at": format!("2026-11-1{at}T10:45:07Z")});
    for at in 1..=3_u32 {
        let trials = (1..=8_u32).map(|case| {
            let id = format!("case-{case}");
            match (at, case) {
                (3, 5) => errored(&id, "HTTP 500"),
                _ => trial(
                    &id,
                    f64::from((case * 3 + at * 4) % 11) / 10.0,
                    &format!("It arrives on day {at}."),
                ),
            }
        });
        write_run(
            root.path(),
            &format!("2026-11-1{at}T10-43-07Z-aaaa"),
            &ended(at),
            trials,
        );
    }
    let server = Running::of(root.path());
    (root, server)
}

fn pair(server: &Running) -> String {
    let columns =
        "%5B%5B%222026-11-11T10-43-07Z-aaaa%22%5D,%5B%222026-11-13T10-43-07Z-aaaa%22%5D%5D";
    address(server, &format!("/compare#columns={columns}"))
}

fn settled(page: &Page<'_>) {
    page.wait("document.getElementById('list').getAttribute('aria-busy') === 'false' && document.querySelectorAll('.row.waiting').length === 0");
}

fn chosen(browser: &Browser) {
    let (_root, server) = project();
    let page = browser.visit(&address(&server, "/"));
    for key in ["j", "x", "j", "j", "x"] {
        page.press(key);
    }
    page.wait("document.getElementById('compare-picked')?.textContent === 'Compare 2 chosen'");
    page.press("c");
    page.wait_for_path("/compare#");
    settled(&page);
    assert_eq!(page.count("#columns .side"), 2);
    let text = page.text("#overview");
    assert!(
        text.contains("2026-11-11") && text.contains("2026-11-13"),
        "{text}"
    );
    // The oldest is the baseline.
    assert!(page.text("#overview tbody tr").contains("2026-11-11"));
    page.press("?");
    assert!(page.text("#keys").contains("only worse cases"));
    page.assert_calm();
}

fn compared(browser: &Browser) {
    let (_root, server) = project();
    let page = browser.visit(&pair(&server));
    settled(&page);
    // Cases 1 to 8 have 0.7, 1.0, 0.2, 0.5, 0.8, 0.0, 0.3, 0.6 and then 0.4, 0.7, 1.0, 0.2, –, 0.8, 0.0, 0.3.
    assert_eq!(
        page.ids(),
        [
            "case-1", "case-2", "case-4", "case-7", "case-8", "case-5", "case-3", "case-6"
        ]
    );
    assert_eq!(page.told(), "8 cases");
    assert!(
        page.text("#overview")
            .contains("1 graded case of A without a grade in B"),
        "{}",
        page.text("#overview")
    );
    page.shot("view-compare");
    page.press("w");
    page.wait("document.querySelectorAll('.row').length === 5");
    assert!(
        page.value("location.hash")
            .as_str()
            .unwrap()
            .contains("outcome=loss")
    );
    page.press("w");
    page.wait("document.querySelectorAll('.row').length === 8");
    page.press("j");
    page.press("Enter");
    page.wait("document.getElementById('case').dataset.ready > ''");
    let text = page.text("#case");
    for part in [
        "Where is order case-1?",
        "It arrives on day 1.",
        "It arrives on day 3.",
        "1 of 8",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    page.value(
        "document.querySelectorAll('#case details').forEach((part) => { part.open = true; })",
    );
    page.shot("view-compare-case");
    page.press("j");
    page.wait("document.getElementById('case-title').textContent === 'case-2' && document.getElementById('case').dataset.ready > ''");
    let link = page.value("location.href");
    let again = browser.visit(link.as_str().unwrap());
    again.wait("document.getElementById('case').open && document.getElementById('case').dataset.ready > ''");
    assert_eq!(again.text("#case-title"), "case-2");
    again.press("Escape");
    again.wait("!document.getElementById('case').open");
    page.assert_calm();
    again.assert_calm();
}

fn targets(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let trials = (1..=3).flat_map(|case| {
        ["large", "small"].into_iter().flat_map(move |target| {
            (1..=3_u32).map(move |number| {
                let score = if target == "large" {
                    1.0
                } else {
                    f64::from(number % 2)
                };
                named(
                    trial(
                        &format!("case-{case}"),
                        score,
                        &format!("{target} {number}"),
                    ),
                    target,
                    number,
                )
            })
        })
    });
    write_run(
        root.path(),
        "both",
        &json!({"trials": 3, "targets": [{"name": "large", "provider": "openai"}, {"name": "small", "provider": "openai"}]}),
        trials,
    );
    let server = Running::of(root.path());
    let page = browser.visit(&address(&server, "/run/both"));
    page.click("nav a[href^='/compare#columns']");
    page.wait_for_path("/compare#");
    settled(&page);
    assert_eq!(page.told(), "3 cases");
    assert_eq!(page.count(".row .repeats"), 6);
    assert!(
        page.text("#row-0").contains("2 of 3"),
        "{}",
        page.text("#row-0")
    );
    assert!(
        page.text("#overview").contains("−0.333"),
        "{}",
        page.text("#overview")
    );
    page.press("j");
    page.press("Enter");
    page.wait("document.getElementById('case').dataset.ready > ''");
    page.click(".stack:last-child .chip:nth-child(2)");
    page.wait("document.getElementById('case').textContent.includes('small 2')");
    page.assert_calm();
}

fn sizes(browser: &Browser) {
    let (_root, server) = project();
    for (width, height) in [(380, 800), (2560, 1300)] {
        for theme in ["light", "dark"] {
            let page = browser.visit(&pair(&server));
            page.size(width, height);
            page.prefer(theme);
            settled(&page);
            crate::fits(&page);
            page.shot(&format!("view-compare-top-{width}-{theme}"));
            page.value("document.getElementById('cases').scrollIntoView()");
            settled(&page);
            page.shot(&format!("view-compare-{width}-{theme}"));
            page.value("document.querySelector('#row-0').click()");
            page.wait("document.getElementById('case').dataset.ready > ''");
            crate::fits(&page);
            page.shot(&format!("view-compare-case-{width}-{theme}"));
            page.assert_calm();
        }
    }
}
