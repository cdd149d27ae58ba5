//! Lines and files that are too large.

use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;

use agentv_dataset::Dataset;
use agentv_syntax::Code;

use super::{MEBIBYTE, codes_of_reference, line, reference};
use crate::alone::alone;
use crate::project::{TestProject, codes};

#[test]
fn a_line_of_a_gigabyte_is_too_long() {
    alone(
        "hostile::sizes::a_line_of_a_gigabyte_is_too_long",
        300 * MEBIBYTE,
        || {
            let project = TestProject::new();
            for (name, prefix) in [
                ("zeros.jsonl", ""),
                ("open.jsonl", "{\"id\": \"a\", \"input\": \""),
            ] {
                let mut file = File::create(project.path(name)).unwrap();
                file.write_all(prefix.as_bytes()).unwrap();
                file.set_len(1 << 30).unwrap();
                assert_eq!(codes(&project.load(name)), [Code::LineTooLong], "{name}");
            }
            let second = project.path("second.jsonl");
            let mut file = File::create(&second).unwrap();
            file.write_all(format!("{}\n\n", line("a", "")).as_bytes())
                .unwrap();
            file.set_len(1 << 30).unwrap();
            let refused = project.load("second.jsonl").unwrap_err().diagnostic;
            assert_eq!((refused.code(), refused.line), (Code::LineTooLong, Some(3)));
        },
    );
}

#[test]
fn a_line_may_have_64_mebibytes_and_not_a_byte_more() {
    alone(
        "hostile::sizes::a_line_may_have_64_mebibytes_and_not_a_byte_more",
        700 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let longest = 64 << 20;
            let frame = line("a", r#", "x": """#).len();
            for (length, end, expected) in [
                (longest, "", None),
                (longest, "\n", None),
                (longest + 1, "", Some(Code::LineTooLong)),
                (longest + 1, "\n", Some(Code::LineTooLong)),
            ] {
                let filler = format!(r#", "x": "{}""#, "x".repeat(length - frame));
                let text = line("a", &filler);
                assert_eq!(text.len(), length);
                project.write("long.jsonl", text + end);
                let loaded = project.load("long.jsonl");
                assert_eq!(codes(&loaded), Vec::from_iter(expected));
            }
        },
    );
}

#[test]
fn a_suite_that_is_huge_is_refused_unread() {
    alone(
        "hostile::sizes::a_suite_that_is_huge_is_refused_unread",
        200 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let huge = File::create(project.path("huge.yml")).unwrap();
            huge.set_len(20 << 30).unwrap();
            assert_eq!(codes(&project.load("huge.yml")), [Code::Unreadable]);
            project.write("huge.jsonl", line("a", ""));
            fs::rename(project.path("huge.yml"), project.path("huge.yaml")).unwrap();
            assert_eq!(codes(&project.load("huge.jsonl")), [Code::Unreadable]);
        },
    );
}

#[test]
fn referenced_files_that_are_huge_are_refused_unread() {
    alone(
        "hostile::sizes::referenced_files_that_are_huge_are_refused_unread",
        200 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let huge = File::create(project.path("huge.md")).unwrap();
            huge.set_len(20 << 30).unwrap();
            assert_eq!(
                codes_of_reference(&project, "huge.md"),
                [Code::FileUnusable]
            );
        },
    );
}

#[test]
fn references_of_a_megabyte_each_do_not_pile_up() {
    alone(
        "hostile::sizes::references_of_a_megabyte_each_do_not_pile_up",
        150 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let mut file = File::create(project.path("refer.jsonl")).unwrap();
            for index in 0..120 {
                let value = format!("{index}{}", "x".repeat(1 << 20));
                writeln!(file, "{}", reference(&value)).unwrap();
            }
            let dataset = Dataset::open(project.path("refer.jsonl"), &project.options()).unwrap();
            let mut told = 0;
            dataset.check(&mut |diagnostic| {
                told += u64::from(diagnostic.code() == Code::FileNotFound);
                ControlFlow::Continue(())
            });
            assert_eq!(told, 120);
        },
    );
}
