//! The same run gives the same bytes.

use std::fs;

use agentv_report::{FORMATS, ReportFormat};

use super::{BEFORE, RUN, here, report, run};

fn check(name: &str, actual: &[u8]) {
    let path = here("golden").join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite") {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    let actual = String::from_utf8(actual.to_vec()).unwrap();
    assert!(
        actual == expected,
        "{name} has changed, it is now:\n{actual}"
    );
}

#[test]
fn each_format_is_as_it_was() {
    for name in ["junit", "markdown", "csv", "json"] {
        let format = ReportFormat::named(name).unwrap();
        let file = format!("report.{}", format.extension);
        check(&file, &report(format, &[run(RUN)]));
    }
}

#[test]
fn two_runs_in_markdown_are_as_they_were() {
    let format = ReportFormat::named("markdown").unwrap();
    check("two-runs.md", &report(format, &[run(BEFORE), run(RUN)]));
}

#[test]
fn every_format_gives_the_same_bytes_again() {
    for format in FORMATS {
        let written = report(format, &[run(RUN)]);
        assert!(!written.is_empty(), "{format:?}");
        assert_eq!(written, report(format, &[run(RUN)]), "{format:?}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder
            .path()
            .join("report")
            .with_extension(format.extension);
        format.write_file(&[run(RUN)], &path).unwrap();
        assert_eq!(fs::read(path).unwrap(), written, "{format:?}");
    }
}
