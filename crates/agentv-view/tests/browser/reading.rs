//! Reading runs: lists, filters, trials, keys, links, sizes.

use agentv_testkit::browser::{Browser, BrowserTest};
use agentv_testkit::runs::{errored, ten, trial, write_run};
use serde_json::json;

use crate::client::Running;
use crate::{ID, address, fits, run_address};

pub(crate) const TESTS: &[BrowserTest] = &[
    (
        "the_runs_of_a_project_are_listed_with_trend_and_opened_by_keyboard",
        runs,
    ),
    (
        "runs_are_filtered_and_the_filter_is_in_the_address",
        filtered_runs,
    ),
    ("a_run_is_read_filtered_sorted_and_searched", run),
    (
        "a_trial_shows_its_records_and_a_link_leads_back_to_it",
        trial_page,
    ),
    (
        "a_record_that_is_too_long_for_a_page_is_read_piece_by_piece",
        pieces,
    ),
    (
        "a_transcript_of_50_mb_opens_piece_by_piece",
        large_transcript,
    ),
    (
        "the_pages_fit_small_and_large_windows_in_both_themes",
        sizes,
    ),
    (
        "a_trial_shows_its_tool_calls_over_time_and_its_case_in_other_runs",
        over_time,
    ),
    (
        "columns_are_chosen_and_the_choice_is_in_the_address",
        columns,
    ),
    ("datasets_have_figures_of_their_own", datasets),
    ("a_run_that_does_not_exist_is_reported", missing),
];

fn project() -> (tempfile::TempDir, Running) {
    let root = tempfile::tempdir().unwrap();
    let ended = |at: u32| {
        json!({
            "started_at": format!("2026-11-1{at}T10:43:07Z"), "finished_at": format!("2026-11-1{at}T10:45:07Z"),
            "tags": if at.is_multiple_of(2) { json!(["nightly", format!("build {at}")]) } else { json!([]) },
        })
    };
    for at in 1..=4 {
        let trials = (1..=10).map(|case| {
            trial(
                &format!("case-{case}"),
                if case <= at + 4 { 1.0 } else { 0.1 },
                "It arrives.",
            )
        });
        write_run(
            root.path(),
            &format!("2026-11-1{at}T10-43-07Z-aaaa"),
            &ended(at),
            trials,
        );
    }
    let other = json!({"started_at": "2026-11-15T10:43:07Z", "files": [{"path": "evals/other.yaml", "digest": "d", "cases": 10}], "planned": 12});
    write_run(root.path(), ID, &other, ten());
    let broken = write_run(root.path(), "broken", &json!({}), ten());
    std::fs::write(broken.join("run.json"), "{").unwrap();
    let server = Running::of(root.path());
    (root, server)
}

fn runs(browser: &Browser) {
    let (_root, server) = project();
    let page = browser.visit(&address(&server, "/"));
    page.size(1440, 900);
    assert_eq!(page.count("tr.run"), 6);
    let first = page.text("tr.run");
    assert!(
        first.contains(ID) && first.contains("evals/other.yaml") && first.contains("10 of 12"),
        "{first}"
    );
    assert!(
        first.contains("22.2%") && first.contains("unfinished"),
        "{first}"
    );
    assert!(page.text("#runs").contains("2 min 0 s"));
    assert!(page.text("tr.run:last-child").contains("broken"));
    let trend = page.value(
        "document.querySelectorAll('tr.run')[1].querySelector('svg').getAttribute('aria-label')",
    );
    assert_eq!(
        trend,
        "Pass rates, oldest first: 50.0%, 60.0%, 70.0%, 80.0%"
    );
    page.shot("view-runs");
    page.press("j");
    page.press("j");
    page.press("Enter");
    page.wait_for_path("/run/2026-11-14");
    assert!(
        page.text(".rate").contains("80.0%"),
        "{}",
        page.text(".rate")
    );
    page.assert_calm();
}

fn filtered_runs(browser: &Browser) {
    let (_root, server) = project();
    let page = browser.visit(&address(&server, "/"));
    page.choose("#runs-file", "evals/other.yaml");
    assert_eq!(page.count("tr.run"), 1);
    assert!(
        page.value("location.hash")
            .as_str()
            .unwrap()
            .contains("other.yaml")
    );
    page.choose("#runs-file", "");
    page.choose("#runs-tag", "nightly");
    assert_eq!(page.count("tr.run"), 2);
    page.click("tr.run:last-child button.tag:last-child");
    assert_eq!(page.count("tr.run"), 1);
    let hash = page.value("location.hash");
    assert!(hash.as_str().unwrap().contains("tag=build+2"), "{hash}");
    let tagged = browser.visit(page.value("location.href").as_str().unwrap());
    assert_eq!(tagged.count("tr.run"), 1);
    assert!(tagged.text("tr.run").contains("nightly"));
    tagged.assert_calm();
    let again = browser.visit(&address(&server, "/#q=11-13"));
    assert_eq!(again.count("tr.run"), 1);
    again.press("/");
    again.type_text("x");
    again.wait("document.querySelectorAll('tr.run').length === 0");
    again.press("Escape");
    again.press("?");
    assert!(again.text("#keys").contains("open the run"));
    again.assert_calm();
}

fn served_ten() -> (tempfile::TempDir, Running) {
    let root = tempfile::tempdir().unwrap();
    write_run(
        root.path(),
        ID,
        &json!({"finished_at": "2026-11-15T10:59:00Z"}),
        ten(),
    );
    let server = Running::of(root.path());
    (root, server)
}

fn run(browser: &Browser) {
    let (_root, server) = served_ten();
    let page = browser.visit(&run_address(&server, ""));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 10");
    assert!(
        page.text(".rate").contains("22.2%"),
        "{}",
        page.text(".rate")
    );
    assert_eq!(
        page.text(".legend"),
        "2 pass2 borderline5 fail1 error0 ungraded"
    );
    assert_eq!(page.told(), "10 trials");
    assert_eq!(page.count("svg.plot"), 3);
    page.shot("view-run");
    page.click(".chip.fail");
    page.wait("document.querySelectorAll('.row').length === 5");
    assert_eq!(page.told(), "5 of 10 trials");
    page.click(".chip.fail");
    page.search("order case-3");
    page.wait("document.querySelectorAll('.row').length === 1");
    assert_eq!(page.ids(), ["case-3"]);
    page.search("");
    page.choose("#filter-tool", "lookupOrder");
    page.wait("document.querySelectorAll('.row').length === 9");
    page.choose("#filter-tool", "");
    page.choose("#filter-evaluator", "tone");
    page.choose("#filter-said", "borderline");
    page.wait("document.querySelectorAll('.row').length === 2");
    assert_eq!(page.ids(), ["case-6", "case-7"]);
    let hash = page.value("location.hash");
    let again = browser.visit(&run_address(&server, hash.as_str().unwrap()));
    again.wait("document.querySelectorAll('.row').length === 2");
    again.click(".count button");
    again.wait("document.querySelectorAll('.row').length === 10");
    again.click("#columns [data-sort=score]");
    again.click("#columns [data-sort=score]");
    again.wait("document.querySelector('#row-0 b')?.textContent === 'case-9'");
    page.assert_calm();
    again.assert_calm();
}

fn trial_page(browser: &Browser) {
    let (_root, server) = served_ten();
    let page = browser.visit(&run_address(&server, ""));
    page.open_trial("case-4");
    let text = page.text("#case");
    for part in [
        "Where is order case-4?",
        "It arrives on Tuesday, I hope.",
        "It arrives on Monday.",
        "Friendly enough.",
        "lookupOrder",
        "4 of 10",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    page.shot("view-trial");
    page.press("j");
    page.wait("document.getElementById('case-title').textContent === 'case-5' && document.getElementById('case').dataset.ready > ''");
    let link = page.value("location.href");
    let again = browser.visit(link.as_str().unwrap());
    again.wait("document.getElementById('case').open && document.getElementById('case').dataset.ready > ''");
    assert_eq!(again.text("#case-title"), "case-5");
    again.press("Escape");
    again.wait("!document.getElementById('case').open && !location.hash.includes('case=')");
    page.assert_calm();
    again.assert_calm();
}

fn pieces(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let answer = format!("{}the end", "wörd ".repeat(100_000));
    let trials = [trial("long", 1.0, &answer), trial("short", 1.0, "Tuesday")];
    write_run(root.path(), ID, &json!({}), trials);
    let server = Running::of(root.path());
    let page = browser.visit(&run_address(&server, ""));
    page.open_trial("long");
    assert!(page.text("#case").contains("too long for this page"));
    page.click(".raw details:last-child summary");
    page.wait("document.querySelector('.raw .unfold')?.disabled === false");
    let shown = page.text(".raw .code");
    assert!(
        shown.len() < 300_000 && !shown.contains("the end"),
        "{}",
        shown.len()
    );
    for _ in 0..2 {
        page.click(".raw .unfold");
        page.wait("document.querySelector('.raw .unfold').disabled === false");
    }
    page.wait("document.querySelector('.raw .unfold').hidden");
    let shown = page.text(".raw .code");
    assert!(shown.contains("the end") && !shown.contains('\u{fffd}'));
    assert!(serde_json::from_str::<serde_json::Value>(&shown).is_ok());
    page.press("Escape");
    page.open_trial("short");
    page.click(".raw details summary");
    page.wait("document.querySelector('.raw .code') !== null");
    assert!(page.text(".raw").contains("\"grade_key\": \"grade short\""));
    page.assert_calm();
}

fn large_transcript(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let mut long = trial("long", 1.0, "Done.");
    let messages = (0..100_000).map(|at| {
        json!({"role": "assistant", "content": format!("Step {at}."), "tool_calls": [
            {"tool": "search", "input": {"query": "x".repeat(180)}, "output": "y".repeat(200), "duration_ms": 3}]})
    });
    let messages: Vec<serde_json::Value> = messages.collect();
    let mut transcript = long.transcript.take().unwrap();
    transcript["transcript"]["output_messages"] = json!(messages);
    let size = transcript.to_string().len();
    assert!(size > 50_000_000, "{size}");
    long.transcript = Some(transcript);
    write_run(root.path(), ID, &json!({}), [long]);
    let server = Running::of(root.path());
    let page = browser.visit(&run_address(&server, ""));
    page.open_trial("long");
    let shown = page.text("#case .conversation");
    assert!(shown.contains("Step 0.") && shown.contains("Step 1000."));
    assert!(!shown.contains("Step 99999.") && shown.contains("more items]"));
    assert!(page.text("#case .notice").contains("piece by piece"));
    page.click(".raw details:last-child summary");
    page.wait("document.querySelectorAll('.raw .piece').length === 1");
    // Reading on loads further pieces, and only those.
    page.value("document.querySelector('.raw .pieces').scrollTo(0, 1e9)");
    page.wait("document.querySelectorAll('.raw .piece').length >= 2");
    let more = page.text(".raw .unfold");
    assert!(
        more.contains(" of 5") && more.contains("bytes shown"),
        "{more}"
    );
    let loaded = page.value(
        "performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)",
    );
    assert!(loaded.as_f64().unwrap() < 6_000_000.0, "{loaded} bytes");
    page.assert_calm();
}

fn over_time(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let call = |tool: &str, second: u32, took: u32, code: i32| {
        json!({"tool": tool, "input": {"command": format!("{tool} --all")}, "timestamp": format!("2026-11-15T10:44:{second:02}Z"),
               "duration_ms": took, "exit_code": code})
    };
    let mut timed = trial("case-1", 0.9, "Done.");
    let calls = json!([
        call("build", 0, 4000, 0),
        call("test", 4, 8000, 1),
        call("build", 15, 1000, 0)
    ]);
    let mut transcript = timed.transcript.take().unwrap();
    transcript["transcript"]["output_messages"] = json!([{"role": "assistant", "tool_calls": calls}, {"role": "assistant", "content": "Done."}]);
    timed.transcript = Some(transcript);
    for (id, score) in [
        ("2026-11-12T10-43-07Z-aaaa", 0.1),
        ("2026-11-13T10-43-07Z-aaaa", 0.7),
    ] {
        write_run(
            root.path(),
            id,
            &json!({}),
            [
                trial("case-1", score, "Before."),
                trial("case-2", 1.0, "Other."),
            ],
        );
    }
    write_run(root.path(), ID, &json!({}), [timed]);
    let server = Running::of(root.path());
    let page = browser.visit(&run_address(&server, ""));
    page.open_trial("case-1");
    assert!(
        page.text(".timeline")
            .contains("3 calls, 13.0 s in tools, within 16.0 s"),
        "{}",
        page.text(".timeline")
    );
    let bars = page.value("[...document.querySelectorAll('.timeline .bar-of')].map((bar) => [bar.style.left, bar.style.width, bar.className])");
    assert_eq!(
        bars,
        json!([
            ["0%", "25%", "bar-of"],
            ["25%", "50%", "bar-of failed"],
            ["93.75%", "6.25%", "bar-of"]
        ])
    );
    page.wait("document.querySelector('.history').getAttribute('aria-busy') === 'false'");
    assert_eq!(page.count(".history tbody tr"), 2);
    let newest = page.text(".history tbody tr");
    assert!(
        newest.contains("2026-11-13") && newest.contains("0.700"),
        "{newest}"
    );
    page.shot("view-trial-over-time");
    page.click(".history tbody tr:last-child a");
    page.wait_for_path("2026-11-12");
    page.wait("document.getElementById('case').open && document.getElementById('case').dataset.ready > ''");
    assert!(page.text("#case").contains("Before."));
    page.assert_calm();
}

fn columns(browser: &Browser) {
    let (_root, server) = served_ten();
    let page = browser.visit(&run_address(&server, ""));
    page.wait("document.querySelectorAll('.row:not(.waiting)').length === 10");
    let shown = |page: &agentv_testkit::browser::Page<'_>, part: &str| {
        page.value(&format!(
            "getComputedStyle(document.querySelector('{part}')).display !== 'none'"
        ))
    };
    assert_eq!(shown(&page, ".row .cost"), true);
    page.click(".chooser summary");
    page.click("#column-cost");
    page.click("#column-question");
    page.wait("getComputedStyle(document.querySelector('.row .cost')).display === 'none'");
    assert_eq!(shown(&page, "#columns .of-cost"), false);
    assert_eq!(shown(&page, ".row .name span"), false);
    assert_eq!(shown(&page, ".row .ms"), true);
    page.shot("view-columns");
    let link = page.value("location.href");
    assert!(link.as_str().unwrap().contains("hide=cost"), "{link}");
    let again = browser.visit(link.as_str().unwrap());
    again.wait("document.querySelectorAll('.row:not(.waiting)').length === 10");
    assert_eq!(shown(&again, ".row .cost"), false);
    page.assert_calm();
    again.assert_calm();
}

fn datasets(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let of = |id: &str, score: f64, dataset: &str| {
        let mut trial = trial(id, score, "Yes.");
        trial.result["dataset"] = json!(dataset);
        trial
    };
    // One of two passes: 50%, mean 0.6. The errored trial of the other dataset is not graded.
    let mut broken = errored("d", "down");
    broken.result["dataset"] = json!("other");
    write_run(
        root.path(),
        ID,
        &json!({}),
        [
            of("a", 1.0, "support"),
            of("b", 0.2, "support"),
            of("c", 1.0, "other"),
            broken,
        ],
    );
    let server = Running::of(root.path());
    let page = browser.visit(&run_address(&server, ""));
    let tables = "[...document.querySelectorAll('.panels section')].find((part) => part.textContent.startsWith('Datasets'))";
    page.wait(&format!("{tables} !== undefined"));
    let rows = page.value(&format!("[...{tables}.querySelectorAll('tbody tr')].map((row) => row.innerText.split(/\\s+/).join(' '))"));
    assert_eq!(
        rows,
        json!(["other 100% 1.000 1 1", "support 50.0% 0.600 2 0"])
    );
    page.value(&format!("{tables}.querySelector('tbody button').click()"));
    page.wait("document.querySelectorAll('.row').length === 2");
    page.assert_calm();
}

fn sizes(browser: &Browser) {
    let (_root, server) = project();
    for (width, height) in [(380, 800), (2560, 1300)] {
        for theme in ["light", "dark"] {
            let page = browser.visit(&address(&server, "/"));
            page.size(width, height);
            page.prefer(theme);
            page.wait("document.querySelectorAll('tr.run').length === 6");
            fits(&page);
            page.shot(&format!("view-runs-{width}-{theme}"));
            let page = browser.visit(&run_address(&server, ""));
            page.size(width, height);
            page.prefer(theme);
            page.shot(&format!("view-run-top-{width}-{theme}"));
            page.value("document.getElementById('cases').scrollIntoView()");
            page.wait("document.querySelectorAll('.row:not(.waiting)').length > 0");
            fits(&page);
            page.shot(&format!("view-run-{width}-{theme}"));
            page.assert_calm();
        }
    }
}

fn missing(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), ID, &json!({}), [errored("a", "down")]);
    let server = Running::of(root.path());
    let page = browser.blank();
    page.call(
        "Page.navigate",
        json!({"url": address(&server, "/run/none")}),
    );
    page.wait("document.documentElement?.dataset.ready === 'failed'");
    assert_eq!(
        page.text("#progress"),
        "This page cannot be shown: run `none` not found"
    );
}
