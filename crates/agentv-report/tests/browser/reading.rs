//! The actions of a reader of a report.

use crate::runs::{Runs, Trial, ten, trial};
use agentv_testkit::browser::{Browser, BrowserTest};

pub(crate) const TESTS: &[BrowserTest] = &[
    ("the_page_shows_the_totals_of_the_summary", totals),
    ("filters_leave_what_they_say", filters),
    ("columns_sort_upwards_downwards_and_not_at_all", sorts),
    ("a_trial_is_opened_read_and_closed_with_keys_alone", keys),
    (
        "keys_move_through_the_list_before_it_has_the_focus",
        keys_at_once,
    ),
    ("figures_read_as_in_the_other_reports", figures),
    (
        "a_trial_shows_what_was_asked_answered_expected_and_said_of_it",
        case,
    ),
    (
        "the_text_filter_finds_what_only_the_details_have",
        deep_search,
    ),
    (
        "each_target_has_its_own_rate_and_costs_at_the_top",
        several_targets,
    ),
    ("a_link_leads_to_the_same_filter_and_trial", links),
    ("light_and_dark_follow_the_system_and_the_switch", schemes),
    ("repeats_and_targets_of_a_case_lead_to_each_other", siblings),
    (
        "a_narrow_window_shows_everything_without_scrolling_sideways",
        narrow,
    ),
    (
        "the_report_of_a_results_file_shows_what_there_is",
        results_alone,
    ),
];

fn several_targets(browser: &Browser) {
    let trials = [("paid", 1.0), ("free", 0.0)]
        .into_iter()
        .flat_map(|(target, score)| {
            (0..10).map(move |at| {
                let mut trial = trial(&format!("case-{at}"), score, "Hello");
                trial.result["target"] = target.into();
                if target == "free" {
                    let trace = trial.result["trace_summary"].as_object_mut();
                    trace.unwrap().remove("cost_usd");
                }
                trial
            })
        });
    let runs = Runs::new().with(trials);
    let page = browser.open(&runs.report(), "");
    assert_eq!(page.count(".rate"), 2);
    assert_eq!(
        page.text(".rate"),
        "free0%passed of 10 graded95% interval 0% – 27.8%"
    );
    let figures = page.text(".figures");
    assert!(!figures.contains("Mean score"), "{figures}");
    assert!(figures.contains("Cost$0.0100+ unpriced: free"), "{figures}");
    assert!(
        figures.contains("Judges$0.0080$0.0004 per trial"),
        "{figures}"
    );
    let table = page.text(".panels");
    assert!(table.contains("unpriced$0.0040"), "{table}");
    page.assert_calm();
}

fn totals(browser: &Browser) {
    let mut trials: Vec<Trial> = ten().into_iter().collect();
    let is_errored = |trial: &Trial| trial.result["status"] == "error";
    let answered = trials.iter_mut().filter(|trial| !is_errored(trial));
    for (trial, first) in answered.zip([20.0, 200.0, 1_000.0]) {
        trial.result["timing"]["first_token_ms"] = first.into();
    }
    let runs = Runs::new().with(trials);
    let page = browser.open(&runs.report(), "");
    assert_eq!(
        page.text(".figures > div:last-child"),
        "Median first token200 ms95% within 1.0 s"
    );
    assert_eq!(page.text(".rate .figure"), "22.2%");
    assert_eq!(
        page.text(".rate"),
        "22.2%passed of 9 graded95% interval 6.3% – 54.7%"
    );
    assert_eq!(
        page.text(".legend"),
        "2 pass2 borderline5 fail1 error0 ungraded"
    );
    assert_eq!(
        page.text(".figures > div:nth-child(2)"),
        "Mean score0.50095% interval 0.289 – 0.711"
    );
    assert_eq!(page.text("#title"), "2026-11-15T10-43-07Z-4f1a");
    assert_eq!(page.count("svg.plot"), 3);
    let words = page.value("document.querySelector('svg.plot').getAttribute('aria-label')");
    assert!(words.as_str().unwrap().contains("0.9 to 1.0: 1"), "{words}");
    let errors = page.text(".panels");
    assert!(errors.contains("HTTP 429: slow down"), "{errors}");
    assert_eq!(page.count("#notices p"), 0);
    page.size(1440, 1000);
    page.shot("10-cases");
    page.assert_calm();
}

fn filters(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.open(&runs.report(), "");
    assert_eq!(
        (page.told().as_str(), page.count(".row")),
        ("10 trials", 10)
    );
    page.click(".chip.fail");
    assert_eq!(page.told(), "5 of 10 trials");
    page.click(".chip.error");
    assert_eq!(page.told(), "6 of 10 trials");
    page.choose("#filter-least", "0.25");
    assert_eq!(page.ids(), ["case-3", "case-4", "case-5"]);
    page.choose("#filter-most", "0.4");
    assert_eq!(page.ids(), ["case-3", "case-4"]);
    page.click("#controls .count button");
    assert_eq!(page.told(), "10 trials");
    page.choose("#filter-evaluator", "tone");
    page.choose("#filter-said", "pass");
    assert_eq!(page.ids(), ["case-8", "case-9"]);
    page.choose("#filter-said", "error");
    assert_eq!(page.text("#nothing"), "No trial matches the filter.");
    page.click("#controls .count button");
    page.click(".legend .borderline button");
    assert_eq!(page.ids(), ["case-6", "case-7"]);
    page.assert_calm();
}

fn sorts(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.open(&runs.report(), "");
    let sort = |name: &str| page.click(&format!("#columns [data-sort={name}]"));
    sort("score");
    assert_eq!(page.ids()[0], "case-1");
    sort("score");
    assert_eq!(
        (page.ids()[0].as_str(), page.ids()[9].as_str()),
        ("case-9", "case-10")
    );
    assert_eq!(page.text("#columns [data-sort=score]"), "Score ↓");
    sort("score");
    assert_eq!(page.ids()[9], "case-10");
    sort("cost");
    assert_eq!(page.ids()[0], "case-9");
    sort("ms");
    assert_eq!(page.ids()[0], "case-1");
    sort("id");
    assert_eq!(page.ids()[1], "case-10");
    page.assert_calm();
}

fn keys(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.open(&runs.report(), "");
    page.press("j");
    page.press("j");
    page.press("ArrowDown");
    page.press("k");
    let chosen = "document.querySelector('.row[aria-selected=true] b').textContent";
    assert_eq!(page.value(chosen), "case-2");
    let active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).ariaSelected";
    assert_eq!(page.value(active), "true");
    page.press("Enter");
    page.wait("document.getElementById('case').dataset.ready > ''");
    assert_eq!(page.text("#case-title"), "case-2");
    page.press("j");
    page.wait("document.getElementById('case').dataset.ready === '2'");
    assert_eq!(page.text("#case-title"), "case-3");
    page.press("Escape");
    page.wait("!document.getElementById('case').open");
    assert_eq!(page.value("document.activeElement.id"), "list");
    assert_eq!(page.value(chosen), "case-3");
    page.press("?");
    assert_eq!(page.value("document.getElementById('keys').open"), true);
    page.press("Escape");
    page.wait("!document.getElementById('keys').open");
    page.press("/");
    assert_eq!(page.value("document.activeElement.id"), "text");
    page.type_text("case-7");
    page.wait_for_search();
    assert_eq!(page.ids(), ["case-7"]);
    page.press("Enter");
    page.press("End");
    assert_eq!(page.value(chosen), "case-7");
    page.assert_calm();
}

fn keys_at_once(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let report = runs.report();
    let chosen = "document.querySelector('.row[aria-selected=true] b').textContent";
    for (key, trial) in [
        ("ArrowDown", "case-1"),
        ("End", "case-10"),
        ("Home", "case-1"),
        ("PageDown", "case-10"),
    ] {
        let page = browser.open(&report, "");
        page.press(key);
        assert_eq!(page.value(chosen), trial, "{key}");
        page.assert_calm();
    }
    let page = browser.open(&report, "");
    page.value("document.getElementById('filter-least').focus()");
    page.press("End");
    assert_eq!(page.count(".row[aria-selected=true]"), 0);
}

fn figures(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.open(&runs.report(), "");
    for (call, told) in [
        (
            "[1, 0.99999, 0.841, 0.5, 0.00001, 0].map(percent)",
            "100% 99.999% 84.1% 50.0% 0.001% 0%",
        ),
        (
            "[0, 0.00001, 0.0004, 0.0123, 0.999, 12.5, 1234.567, 1.5e13].map(dollars)",
            "$0.00 <$0.0001 $0.0004 $0.0123 $1.00 $12.50 $1,234.57 $1.50e13",
        ),
        // Exactly half is rounded to the even digit.
        (
            "[0, 0.0625, 0.1875, 0.3125, 2 / 3, 1].map(scoreText)",
            "0.000 0.062 0.188 0.312 0.667 1.000",
        ),
        ("[0.25, -0.7, 0.0001].map(signed)", "+0.250 −0.700 ±0"),
        (
            "[0.26, 812.4, 999.7, 12340, 59990, 125000, 3660000, 90000000].map(milliseconds)",
            "0.3 ms 812 ms 1.0 s 12.3 s 1 min 0 s 2 min 5 s 1 h 1 min 1 day 1 h",
        ),
    ] {
        assert_eq!(page.value(&format!("{call}.join(' ')")), told, "{call}");
    }
}

fn case(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.open(&runs.report(), "");
    page.open_trial("case-4");
    let shown = page.text("#case");
    for text in [
        "You are a support agent.",
        "Where is order case-4?",
        "evals/policy.md",
        "Be brief.",
        "lookupOrder",
        "Tuesday",
        "Says when it arrives",
        "promises nothing",
        "Friendly enough.",
        "Skipped: a required check had failed",
        "1 judge call, $0.0004",
        "large-2026",
        "answer case-4",
        "900 in, 80 out",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    assert_eq!(page.count("#case .evaluator .evaluator"), 2);
    assert_eq!(page.text(".difference del"), "Monday");
    assert_eq!(
        page.text(".difference"),
        "It arrives on MondayTuesday, I hope."
    );
    page.size(1440, 1000);
    page.shot("case");
    page.size(1440, 3000);
    page.click("#case [aria-label^=Close]");
    page.open_trial("case-10");
    let shown = page.text("#case");
    assert!(shown.contains("HTTP 429: slow down"), "{shown}");
    assert!(shown.contains("its input was not recorded"), "{shown}");
    page.assert_calm();
}

fn deep_search(browser: &Browser) {
    let mut trials = ten();
    trials.push(trial(
        "deep",
        0.9,
        &format!("{} \u{1F9ED}Needle\nin a \"haystack\"", "hay ".repeat(500)),
    ));
    let page_file = Runs::new().with(trials);
    let page = browser.open(&page_file.report(), "");
    for text in ["needle", "\u{1F9ED}NEEDLE", "a \"haystack\""] {
        page.search(text);
        assert_eq!(page.ids(), ["deep"]);
    }
    // Text that is typed during a search is kept.
    let typed = page.value(
        "(async () => {
            const field = document.getElementById('text');
            const type = (text) => { field.value = text; field.dispatchEvent(new Event('input')); };
            for (const text of ['a', 'ab', 'abc', 'abcd', 'abcde']) {
                type(text);
                await new Promise((resume) => setTimeout(resume, 125));
                if (field.value !== text) return field.value;
            }
            return 'kept';
        })()",
    );
    assert_eq!(typed, "kept");
    // The name of a field of the record is not part of its text.
    page.search("candidate_answer");
    assert_eq!(page.ids(), Vec::<String>::new());
    assert_eq!(
        page.value("document.querySelector('#nothing').offsetHeight > 0"),
        true
    );
    page.search("be brief");
    assert_eq!(page.ids().len(), 10);
    page.assert_calm();
}

fn links(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let report = runs.report();
    let page = browser.open(&report, "");
    page.click(".chip.fail");
    page.click("#columns [data-sort=score]");
    page.click("#columns [data-sort=score]");
    page.choose("#text", "arrives & more?");
    page.search("tuesday");
    page.wait("location.hash.includes('q=tuesday')");
    assert_eq!(page.ids().len(), 5);
    page.open_trial("case-3");
    let hash = page.value("location.hash");
    let link = hash.as_str().unwrap();
    let other = browser.open(&report, link);
    other.wait("document.getElementById('case').dataset.ready > ''");
    assert_eq!(other.text("#case-title"), "case-3");
    other.wait_for_search();
    assert_eq!(other.ids().len(), 5);
    assert_eq!(other.ids()[0], "case-5");
    assert_eq!(
        other.value("document.getElementById('text').value"),
        "tuesday"
    );
    assert_eq!(other.text("#columns [data-sort=score]"), "Score ↓");
    other.press("Escape");
    other.wait("!location.hash.includes('case-3')");
    page.value("history.back()");
    page.wait("!document.getElementById('case').open");
    for nonsense in [
        "#case=nonsense&sort=constructor&status=__proto__",
        "#case=[1,2,3,4]&min=x",
        "#%",
    ] {
        assert_eq!(
            browser.open(&report, nonsense).count(".row"),
            10,
            "{nonsense}"
        );
    }
    page.assert_calm();
    other.assert_calm();
}

fn schemes(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let report = runs.report();
    let page = browser.blank();
    page.prefer("dark");
    page.go(&format!("file://{}", report.display()));
    let ground = "getComputedStyle(document.body).backgroundColor";
    let dark = page.value(ground);
    page.size(1440, 1000);
    page.shot("10-cases-dark");
    page.prefer("light");
    let light = page.value(ground);
    assert_ne!(dark, light);
    page.press("t");
    assert_eq!(page.value(ground), dark);
    page.go(&format!("file://{}", report.display()));
    assert_eq!(page.value(ground), dark);
    page.click("#theme");
    assert_eq!(page.value(ground), light);
    for scheme in ["light", "dark"] {
        page.value(&format!(
            "document.documentElement.dataset.theme = '{scheme}'"
        ));
        let contrast = page.value(CONTRAST);
        assert!(contrast.as_f64().unwrap() >= 4.5, "{scheme}: {contrast}");
    }
    page.assert_calm();
}

/// Returns the lowest contrast of a text in the page with its background.
const CONTRAST: &str = r"(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  let lowest = Infinity;
  for (const element of document.querySelectorAll('main *, header *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest('svg') || element.offsetHeight === 0) continue;
    const [one, other] = [light(parts(getComputedStyle(element).color)), light(ground(element))];
    lowest = Math.min(lowest, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
  }
  return lowest;
})()";

fn siblings(browser: &Browser) {
    let repeats = (1..=3).map(|number| {
        let mut one = trial("twice", 0.3 * f64::from(number), "Soon.");
        for record in [&mut one.result, one.transcript.as_mut().unwrap()] {
            record["trial"] = number.into();
            record["answer_key"] = format!("key {number}").into();
        }
        one
    });
    let runs = Runs::new().with(repeats.chain(ten()));
    let page = browser.open(&runs.report(), "");
    page.open_trial("twice");
    assert_eq!(page.count("#case .siblings .chip"), 3);
    page.click("#case .siblings .chip:nth-child(3)");
    page.wait("document.getElementById('case').dataset.ready === '2'");
    assert!(page.text("#case .under").contains("trial 3"));
    page.assert_calm();
}

fn narrow(browser: &Browser) {
    let runs = Runs::new().with(ten());
    let page = browser.blank();
    page.size(400, 860);
    page.go(&format!("file://{}", runs.report().display()));
    let sideways = "document.documentElement.scrollWidth - innerWidth";
    assert_eq!(page.value(sideways), 0);
    page.shot("phone");
    page.value("document.getElementById('cases').scrollIntoView()");
    page.wait("document.querySelector('.row')");
    page.shot("phone-list");
    page.open_trial("case-2");
    assert_eq!(
        page.value("document.getElementById('case').scrollWidth - innerWidth"),
        0
    );
    page.shot("phone-case");
    page.assert_calm();
}

fn results_alone(browser: &Browser) {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("<out>.jsonl");
    let lines: Vec<String> = ten()
        .iter()
        .map(|trial| format!("{}\n", trial.result))
        .collect();
    std::fs::write(&results, lines.concat() + "{\"torn\n").unwrap();
    let report = folder.path().join("report.html");
    let format = agentv_report::ReportFormat::named("html").unwrap();
    let run = agentv_report::RunResults::of_file(&results);
    format.write_file(&[run], &report).unwrap();
    let page = browser.open(&report, "");
    assert_eq!(page.told(), "10 trials");
    assert!(
        page.text("#notices")
            .contains("1 line of the results could not be read")
    );
    page.open_trial("case-5");
    let shown = page.text("#case");
    assert!(
        shown.contains("The input of the target is not recorded."),
        "{shown}"
    );
    assert!(shown.contains("It arrives on Tuesday"), "{shown}");
    page.assert_calm();
}
