//! Runs as a static site.

use std::fs;

use agentv_testkit::runs::{ten, trial, write_run};
use agentv_view::Runs;
use serde_json::json;

#[test]
fn a_bundle_has_a_page_for_each_run_and_replaces_only_a_bundle() {
    let root = tempfile::tempdir().unwrap();
    let results = root.path().join("results");
    write_run(&results, "2026-11-14T10-43-07Z-aaaa", &json!({}), ten());
    write_run(&results, "2026-11-15T10-43-07Z-aaaa", &json!({}), ten());
    let broken = write_run(&results, "broken", &json!({}), [trial("a", 1.0, "b")]);
    fs::write(broken.join("run.json"), "{").unwrap();
    let site = root.path().join("deep/site");
    let bundle = Runs::of_folder(&results).bundle(&site).unwrap();
    assert_eq!((bundle.runs, bundle.large), (3, 0));
    for page in [
        "index.html",
        "run/2026-11-14T10-43-07Z-aaaa/index.html",
        "run/2026-11-15T10-43-07Z-aaaa/index.html",
        "compare/2026-11-15T10-43-07Z-aaaa/index.html",
        "run/broken/index.html",
    ] {
        let text = fs::read_to_string(site.join(page)).unwrap();
        assert!(text.contains("default-src 'none'"), "{page}");
        assert!(
            !text.contains("src=\"") && !text.contains("connect-src"),
            "{page}"
        );
    }
    assert!(!site.join("compare/2026-11-14T10-43-07Z-aaaa").exists());
    fs::remove_dir_all(results.join("broken")).unwrap();
    assert_eq!(Runs::of_folder(&results).bundle(&site).unwrap().runs, 2);
    assert!(!site.join("run/broken").exists());
    let other = root.path().join("mine");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.txt"), "years of work").unwrap();
    let refused = Runs::of_folder(&results).bundle(&other).unwrap_err();
    assert!(
        refused.to_string().contains("it is not a bundle"),
        "{refused}"
    );
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    let left: Vec<_> = fs::read_dir(root.path().join("deep")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else is left: {left:?}");
}

#[test]
fn a_large_run_is_in_files_beside_its_page() {
    let root = tempfile::tempdir().unwrap();
    let results = root.path().join("results");
    let answer = "word ".repeat(200_000);
    let trials = (0..40).map(|at| trial(&format!("case-{at}"), 1.0, &answer));
    write_run(&results, "large", &json!({}), trials);
    let site = root.path().join("site");
    let bundle = Runs::of_folder(&results).bundle(&site).unwrap();
    assert_eq!((bundle.runs, bundle.large), (1, 1));
    let page = fs::read_to_string(site.join("run/large/index.html")).unwrap();
    assert!(page.contains("connect-src 'self'") && page.contains("data-file=\"facts-"));
    assert!(page.len() < 400_000, "{}", page.len());
    let files = fs::read_dir(site.join("run/large")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(names.filter(|name| name.starts_with("rows-")).count() == 1);
}
