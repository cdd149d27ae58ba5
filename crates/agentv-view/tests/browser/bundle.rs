//! A static site: from files, and from a plain web server.

use std::path::Path;

use agentv_report::{PastRun, write_trend_page};
use agentv_testkit::browser::{Browser, BrowserTest};
use agentv_testkit::runs::{ten, trial, write_run};
use agentv_view::Runs;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde_json::json;

pub(crate) const TESTS: &[BrowserTest] = &[
    ("a_bundle_of_small_runs_works_from_files", from_files),
    ("the_trend_is_the_page_of_runs_in_a_file", trend),
    (
        "a_bundle_of_a_large_run_works_from_any_web_server",
        from_a_server,
    ),
];

fn from_files(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let results = root.path().join("results");
    let ended = |at: u32| json!({"started_at": format!("2026-11-1{at}T10:43:07Z"), "finished_at": format!("2026-11-1{at}T10:45:07Z")});
    for at in 4..=5 {
        write_run(
            &results,
            &format!("2026-11-1{at}T10-43-07Z-<b>"),
            &ended(at),
            ten(),
        );
    }
    let site = root.path().join("site");
    Runs::of_folder(&results).bundle(&site).unwrap();
    let page = browser.visit(&format!("file://{}/index.html", site.display()));
    assert_eq!(page.count("tr.run"), 2);
    page.value("document.querySelector('details.trends').open = true");
    assert_eq!(page.count("svg.trend circle.rate"), 2);
    page.shot("view-bundle");
    page.press("j");
    page.press("Enter");
    page.wait_for_path("/run/");
    page.wait("document.querySelectorAll('.row').length === 10");
    page.open_trial("case-4");
    assert!(page.text("#case").contains("Where is order case-4?"));
    page.press("Escape");
    page.wait("!document.getElementById('case').open");
    page.click("nav.links a:nth-child(2)");
    page.wait_for_path("/compare/");
    assert!(page.text("#title").contains("→"), "{}", page.text("#title"));
    page.click("nav.links a");
    page.wait_for_path("site/index.html");
    assert_eq!(page.count("tr.run"), 2);
    page.assert_calm();
}

fn trend(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let lines = (1..=3).flat_map(|at| {
        let run = json!({"started_at": format!("2026-11-1{at}T10:43:07Z"), "finished_at": format!("2026-11-1{at}T10:45:07Z")});
        let score = f64::from(at) / 3.0;
        let id = format!("2026-11-1{at}T10-43-07Z-<img src=x>");
        let folder = write_run(root.path(), &id, &run, [trial("a", score, "b")]);
        let folder = agentv_journal::RunFolder::open(&folder).unwrap();
        PastRun::open(folder).unwrap().unwrap().lines().unwrap()
    });
    let lines: Vec<_> = lines.collect();
    let mut page = Vec::new();
    write_trend_page(&lines, &mut page).unwrap();
    let path = root.path().join("trend.html");
    std::fs::write(&path, page).unwrap();
    for theme in ["light", "dark"] {
        let page = browser.open(&path, "");
        page.size(1440, 900);
        page.prefer(theme);
        assert_eq!(page.count("tr.run"), 3);
        assert_eq!(page.text("#runs h2"), "Trend");
        assert_eq!(page.count("svg.trend polyline"), 2);
        assert_eq!(page.count("svg.trend circle"), 6);
        assert!(
            page.text("tr.run")
                .contains("2026-11-13T10-43-07Z-<img src=x>")
        );
        assert_eq!(page.count("tr.run a"), 0, "there are no pages to lead to");
        page.shot(&format!("trend-{theme}"));
        page.assert_calm();
    }
}

/// Delivers the files of a folder, as any web server does.
async fn file(State(folder): State<std::path::PathBuf>, request: Request) -> Response {
    let path = folder.join(request.uri().path().trim_start_matches('/'));
    let kind = if path
        .extension()
        .is_some_and(|extension| extension == "html")
    {
        "text/html"
    } else {
        "application/octet-stream"
    };
    match std::fs::read(path) {
        Ok(bytes) => ([("content-type", kind)], bytes).into_response(),
        Err(_) => axum::http::StatusCode::NOT_FOUND.into_response(),
    }
}

fn served(folder: &Path) -> (tokio::runtime::Runtime, std::net::SocketAddr) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().fallback(file).with_state(folder.to_owned());
    runtime.spawn(async move { axum::serve(listener, app).await });
    (runtime, address)
}

fn from_a_server(browser: &Browser) {
    let root = tempfile::tempdir().unwrap();
    let results = root.path().join("results");
    let answer = "word ".repeat(150_000);
    let trials = (0..50).map(|at| trial(&format!("case-{at}"), 1.0, &format!("{at}! {answer}")));
    write_run(&results, "large", &json!({}), trials);
    let site = root.path().join("site");
    Runs::of_folder(&results).bundle(&site).unwrap();
    let (_runtime, address) = served(&site);
    let page = browser.visit(&format!("http://{address}/run/large/index.html"));
    page.wait("document.querySelectorAll('.row').length > 20");
    assert_eq!(page.told(), "50 trials");
    page.search("31! word");
    assert_eq!(page.ids(), ["case-31"]);
    page.open_trial("case-31");
    assert!(page.text("#case").contains("Where is order case-31?"));
    page.assert_calm();
    // Without a web server, the page says what is missing.
    let page = browser.blank();
    let url = format!("file://{}/run/large/index.html", site.display());
    page.call("Page.navigate", json!({"url": url}));
    page.wait("document.getElementById('progress')?.textContent.includes('without a web server')");
}
