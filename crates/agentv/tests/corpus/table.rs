//! Compares the table of scenarios with the folders that prove them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};

use crate::Folder;

/// The start of the first line of a `cmd` that proves a scenario of a document.
const SCENARIO: &str = "Scenario: ";

pub(crate) fn trials(table: &Path, folders: &[Folder]) -> Vec<Trial> {
    let named: BTreeSet<Row> = rows(&fs::read_to_string(table).unwrap_or_default());
    let proven: BTreeSet<Row> = folders.iter().filter_map(row_of).collect();
    let lacking = |wanted: &BTreeSet<Row>, there: &BTreeSet<Row>| -> Vec<String> {
        wanted.difference(there).map(Row::to_string).collect()
    };
    let without_folder = lacking(&named, &proven);
    let without_row = lacking(&proven, &named);
    let is_empty = named.is_empty();
    vec![
        Trial::test("table/every_scenario_has_its_folder", move || {
            if is_empty {
                return Err("the table names no scenario".into());
            }
            none_of(&without_folder, "no `cmd` begins with")
        }),
        Trial::test("table/every_folder_of_a_scenario_is_named", move || {
            none_of(&without_row, "the table has no row for")
        }),
    ]
}

fn none_of(rows: &[String], what: &str) -> Result<(), Failed> {
    if rows.is_empty() {
        return Ok(());
    }
    Err(format!("{what}:\n{}", rows.join("\n")).into())
}

/// A scenario and the folder that proves it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    folder: String,
    document: String,
    title: String,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row {
            folder,
            document,
            title,
        } = self;
        write!(f, "  {folder}: # {SCENARIO}{title} ({document})")
    }
}

/// `# Scenario: <title> (<document>)`
fn row_of(folder: &Folder) -> Option<Row> {
    let title = folder.title()?;
    let (title, document) = title.strip_prefix(SCENARIO)?.rsplit_once(" (")?;
    Some(Row {
        folder: folder.name.clone(),
        document: document.trim_end_matches(')').to_owned(),
        title: title.to_owned(),
    })
}

/// Rows `| <title> | [<folder>](…) | … |` below headings `## <document>`.
fn rows(table: &str) -> BTreeSet<Row> {
    let mut document = "";
    let mut rows = BTreeSet::new();
    for line in table.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            document = heading.trim();
        }
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (Some(title), Some(link)) = (cells.next(), cells.next()) else {
            continue;
        };
        let folder = link
            .strip_prefix('[')
            .and_then(|link| link.split_once("](../corpus/"));
        if let Some((folder, _)) = folder {
            rows.insert(Row {
                folder: folder.to_owned(),
                document: document.to_owned(),
                title: title.to_owned(),
            });
        }
    }
    rows
}
