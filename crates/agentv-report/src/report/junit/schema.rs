//! A check of reports against Jenkins' schema for JUnit.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element of the schema: its name, its required and optional attributes, and its permitted
/// content.
struct Element {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
}

const SCHEMA: &[Element] = &[
    Element {
        name: "testsuites",
        required: &[],
        optional: &["name", "time", "tests", "failures", "disabled", "errors"],
        children: &["testsuite"],
    },
    Element {
        name: "testsuite",
        required: &["name", "tests"],
        optional: &[
            "failures",
            "errors",
            "time",
            "disabled",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
        ],
        children: &[
            "testsuite",
            "properties",
            "testcase",
            "system-out",
            "system-err",
        ],
    },
    Element {
        name: "testcase",
        required: &["name"],
        optional: &["assertions", "time", "classname", "status"],
        children: &["skipped", "error", "failure", "system-out", "system-err"],
    },
    Element {
        name: "properties",
        required: &[],
        optional: &[],
        children: &["property"],
    },
    Element {
        name: "property",
        required: &["name", "value"],
        optional: &[],
        children: &[],
    },
    Element {
        name: "failure",
        required: &[],
        optional: &["type", "message"],
        children: &[],
    },
    Element {
        name: "error",
        required: &[],
        optional: &["type", "message"],
        children: &[],
    },
    Element {
        name: "skipped",
        required: &[],
        optional: &["type", "message"],
        children: &[],
    },
    Element {
        name: "system-out",
        required: &[],
        optional: &[],
        children: &[],
    },
];

/// Fails if a report violates the schema.
pub(super) fn assert_fits(report: &str) {
    let mut reader = Reader::from_str(report);
    let mut open: Vec<String> = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open_element(&open, &start);
                open.push(name_of(&start));
            }
            Event::Empty(start) => open_element(&open, &start),
            Event::End(_) => drop(open.pop()),
            Event::Eof => return,
            _ => {}
        }
    }
}

fn name_of(start: &BytesStart<'_>) -> String {
    start.name().as_ref().to_owned()
}

fn open_element(open: &[String], start: &BytesStart<'_>) {
    let name = name_of(start);
    let element = |name: &str| SCHEMA.iter().find(|element| element.name == name);
    let known = element(&name).unwrap_or_else(|| panic!("there is no `{name}` in the schema"));
    match open.last().and_then(|parent| element(parent)) {
        Some(parent) => assert!(parent.children.contains(&&*name), "`{name}` in {open:?}"),
        None => assert_eq!(name, "testsuites"),
    }
    let mut given = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.unwrap();
        let key = attribute.key.as_ref().to_owned();
        let allowed = known.required.contains(&&*key) || known.optional.contains(&&*key);
        assert!(allowed, "`{name}` has no attribute `{key}`");
        if key == "time" {
            assert_time(&attribute.value);
        }
        given.push(key);
    }
    for required in known.required {
        assert!(
            given.iter().any(|key| key == required),
            "`{name}` without `{required}`"
        );
    }
}

/// Checks that a time is a number of seconds with at most three decimals.
fn assert_time(time: &str) {
    let (whole, part) = time.split_once('.').unwrap_or((time, ""));
    let digits = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    assert!(
        digits(whole) && digits(part) && part.len() <= 3,
        "time `{time}`"
    );
}
