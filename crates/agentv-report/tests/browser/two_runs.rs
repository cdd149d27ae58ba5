//! Two runs side by side.

use serde_json::json;

use crate::runs::{Runs, Trial, errored, ten, trial};
use agentv_testkit::browser::{Browser, BrowserTest};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("two_runs_are_matched_and_what_changed_is_told", changes),
    (
        "runs_of_other_targets_are_matched_without_them",
        other_targets,
    ),
    (
        "trials_of_another_target_are_new_where_a_run_has_several",
        added_target,
    ),
    (
        "both_answers_stand_beside_each_other_with_what_differs",
        answers,
    ),
    ("repeated_trials_are_compared_by_their_mean", means),
    ("gates_and_their_outcomes_are_shown", gates),
];

/// The second of two runs: one better, one worse, one errored, one gone, one new.
fn later() -> Vec<Trial> {
    let mut trials = ten();
    trials[0] = trial("case-1", 0.9, "It arrives on Monday.");
    trials[8] = trial("case-9", 0.2, "No idea, sorry.");
    trials[7] = errored("case-8", "timed out");
    trials.remove(4);
    trials.push(trial("new", 1.0, "Yes."));
    trials
}

fn changes(browser: &Browser) {
    let runs = Runs::new().with(ten()).with(later());
    let page = browser.open(&runs.report(), "");
    assert_eq!(page.told(), "11 trials");
    assert_eq!(page.count(".headline"), 2);
    page.choose("#filter-change", "changed");
    assert_eq!(page.ids(), ["case-1", "case-8", "case-9", "new", "case-5"]);
    page.size(1440, 2000);
    page.shot("two-runs");
    page.size(1440, 3000);
    page.choose("#filter-change", "worse");
    assert_eq!(page.ids(), ["case-9"]);
    assert!(
        page.text(".row").contains("−0.700was pass"),
        "{}",
        page.text(".row")
    );
    page.choose("#filter-change", "better");
    assert_eq!(page.ids(), ["case-1"]);
    page.choose("#filter-change", "first");
    assert_eq!(page.ids(), ["case-5"]);
    page.choose("#filter-change", "second");
    assert_eq!(page.ids(), ["new"]);
    page.choose("#filter-change", "");
    page.click("#columns [data-sort=delta]");
    assert_eq!(page.ids()[0], "case-9");
    page.assert_calm();
}

fn other_targets(browser: &Browser) {
    let renamed = ten().into_iter().map(|mut trial| {
        trial.result["target"] = json!("candidate");
        trial
    });
    let runs = Runs::new().with(ten()).with(renamed);
    let page = browser.open(&runs.report(), "#change=changed");
    assert_eq!(page.told(), "0 of 10 trials");
    page.assert_calm();
}

fn of_target(target: &str, trials: Vec<Trial>) -> Vec<Trial> {
    let mut trials = trials;
    for trial in &mut trials {
        trial.result["target"] = json!(target);
    }
    trials
}

fn added_target(browser: &Browser) {
    let old = of_target("gpt", ten());
    let new = [of_target("claude", ten()), old.clone()].concat();
    let runs = Runs::new().with(old.clone()).with(new.clone());
    let page = browser.open(&runs.report(), "#change=second");
    assert_eq!(page.told(), "10 of 20 trials");
    assert!(page.text(".row .target").contains("claude"));
    page.choose("#filter-change", "changed");
    assert_eq!(page.told(), "10 of 20 trials");
    page.assert_calm();

    let gone = Runs::new().with(new).with(of_target("gemini", ten()));
    let page = browser.open(&gone.report(), "#change=first");
    assert_eq!(page.told(), "20 of 30 trials");
    page.assert_calm();
}

fn answers(browser: &Browser) {
    let runs = Runs::new().with(ten()).with(later());
    let page = browser.open(&runs.report(), "");
    page.open_trial("case-1");
    assert_eq!(
        page.text(".answers .difference"),
        "It arrives on Tuesday, I hopeMonday."
    );
    assert_eq!(page.count("#case .evaluators"), 2);
    page.size(1440, 1200);
    page.shot("two-runs-case");
    page.size(1440, 3000);
    page.press("Escape");
    page.wait("!document.getElementById('case').open");
    page.open_trial("case-10");
    let notes =
        page.value("[...document.querySelectorAll('#case .notice')].map((one) => one.textContent)");
    let told = ["2026-11-15T10-43-07Z-4f1a", "2026-11-15T11-43-07Z-4f1a"];
    for (note, run) in notes.as_array().unwrap().iter().zip(told) {
        let text = note.as_str().unwrap();
        assert!(
            text.starts_with(&format!("{run}: The target gave no answer")),
            "{text}"
        );
    }
    page.press("Escape");
    page.wait("!document.getElementById('case').open");
    page.open_trial("new");
    let told = page.text("#case .notice");
    assert!(told.ends_with("does not have this trial."), "{told}");
    page.assert_calm();
}

fn repeated(id: &str, scores: &[f64]) -> Vec<Trial> {
    let trials = scores.iter().zip(1..).map(|(score, number)| {
        let answer = if number == 1 {
            "yes".to_owned()
        } else {
            format!("yes in trial {number}")
        };
        let mut trial = trial(id, *score, &answer);
        trial.result["trial"] = json!(number);
        trial
    });
    trials.collect()
}

fn means(browser: &Browser) {
    let old = [repeated("a", &[1.0]), repeated("b", &[0.0])].concat();
    let new = [
        repeated("a", &[1.0, 0.0, 0.0, 0.0, 0.0]),
        repeated("b", &[0.0, 0.0]),
    ]
    .concat();
    let runs = Runs::new().with(old).with(new);
    let page = browser.open(&runs.report(), "#change=worse");
    assert_eq!(page.told(), "1 of 2 cases");
    let row = page.text(".row");
    assert!(row.contains("−0.800mean 1.000 → 0.200"), "{row}");
    assert!(row.starts_with("mixed") && row.contains("1 of 5"), "{row}");
    page.choose("#filter-change", "changed");
    assert_eq!(page.told(), "1 of 2 cases");
    page.choose("#filter-change", "second");
    assert_eq!(page.told(), "0 of 2 cases");
    // A case is found by the status of any of its trials, and each side shows the chosen one of them.
    page.choose("#filter-change", "");
    page.click(".chip.pass");
    assert_eq!(page.ids(), ["a"]);
    page.open_trial("a");
    assert_eq!(page.count("#case .siblings"), 1);
    assert!(page.text("#case .answers").contains("Both are identical."));
    page.value("document.querySelectorAll('#case .siblings button')[2].click()");
    page.wait("document.querySelectorAll('#case .siblings button')[2].getAttribute('aria-pressed') === 'true'");
    assert!(page.text("#case .answers").contains("trial 3"));
    page.assert_calm();
}

fn gates(browser: &Browser) {
    let gate = |met: bool| json!({"gate": "min_pass_rate", "required": "pass rate at least 90.0%", "found": "70.0%", "met": met});
    let ended = json!({"finished_at": "2026-11-15T10:59:00Z", "gates": [gate(false), gate(true)]});
    let runs = Runs::new().with_run(ten(), &ended);
    let page = browser.open(&runs.report(), "");
    assert!(
        page.text("#notices")
            .contains("Gate not met: pass rate at least 90.0%: found 70.0%."),
        "{}",
        page.text("#notices")
    );
    assert!(page.text(".figures").contains("1 of 2 met"));
    page.assert_calm();
}
