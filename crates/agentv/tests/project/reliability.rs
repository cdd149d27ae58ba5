//! The page on reliability lists all tests of `tests/reliability`, and no others.

use std::collections::BTreeSet;
use std::fs;

/// Returns the names of the tests in a source text.
fn tests_in(source: &str) -> Vec<String> {
    let after = source.split("#[test]\n").skip(1);
    let lines = after.filter_map(|rest| rest.lines().find(|line| line.starts_with("fn ")));
    let names = lines.filter_map(|line| line["fn ".len()..].split('(').next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_page_on_reliability_names_exactly_the_existing_tests() {
    let folder = crate::repository().join("crates/agentv/tests/reliability");
    let files = fs::read_dir(folder).unwrap();
    let sources = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let there: BTreeSet<String> = sources.flat_map(|source| tests_in(&source)).collect();
    assert!(there.len() > 40, "{}", there.len());

    let page = fs::read_to_string(crate::repository().join("docs/reliability.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let shown = rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next());
    let named = shown.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let named: BTreeSet<String> = named.map(str::to_owned).collect();
    let missing: Vec<_> = there.difference(&named).collect();
    let unknown: Vec<_> = named.difference(&there).collect();
    assert!(missing.is_empty(), "not in the page: {missing:#?}");
    assert!(unknown.is_empty(), "no such test: {unknown:#?}");
}
