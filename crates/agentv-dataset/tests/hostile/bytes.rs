//! Bytes that are not text, and texts that are written in odd ways.

use agentv_syntax::Code;

use super::{codes_of, codes_with_sidecar, line, reference, suite};
use crate::project::{TestProject, codes};

#[test]
fn text_that_is_not_utf8_is_refused_where_it_stands() {
    let mut text = format!("{}\n", line("a", "")).into_bytes();
    text.extend_from_slice(b"{\"id\": \"\xff\"}\n");
    let project = TestProject::new();
    project.write("a.jsonl", text);
    let refused = project.load("a.jsonl").unwrap_err().diagnostic;
    assert_eq!(
        (refused.code(), refused.line, refused.column),
        (Code::NotUtf8, Some(2), Some(9))
    );
    let broken_suite = [suite("    x: ").as_bytes(), b"\xc3\x28\n"].concat();
    assert_eq!(codes_of("a.yaml", broken_suite), [Code::NotUtf8]);
    assert_eq!(
        codes_with_sidecar(b"description: \xed\xa0\x80\n"),
        [Code::NotUtf8]
    );
    project.write("latin1.txt", b"caf\xe9");
    project.write("refer.jsonl", reference("latin1.txt"));
    assert_eq!(codes(&project.load("refer.jsonl")), [Code::FileUnusable]);
    // A UTF-16 file is not UTF-8, with its byte-order mark or without.
    let utf16: Vec<u8> = "\u{feff}{}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(codes_of("a.jsonl", &utf16), [Code::NotUtf8]);
    assert_eq!(codes_of("a.yaml", &utf16), [Code::NotUtf8]);
}

#[test]
fn nul_bytes_are_no_json_and_no_yaml() {
    assert_eq!(
        codes_of("a.jsonl", format!("{}\n\0\n", line("a", ""))),
        [Code::InvalidJson]
    );
    assert_eq!(
        codes_of("a.jsonl", format!("\0{}", line("a", ""))),
        [Code::InvalidJson]
    );
    assert_eq!(codes_of("a.jsonl", line("a\0", "")), [Code::InvalidJson]);
    assert_eq!(codes_of("a.jsonl", [0; 4096]), [Code::InvalidJson]);
    // Not the cases before it, as if the rest were not there.
    let second = "  - id: b\n    outcome: o\n    input: i\n";
    assert_eq!(
        codes_of("a.yaml", suite(&format!("\0{second}"))),
        [Code::InvalidYaml]
    );
    assert_eq!(
        codes_of("a.yaml", suite(&format!("    x: a\0b\n{second}"))),
        [Code::InvalidYaml]
    );
    assert_eq!(
        codes_of("a.yaml", suite(&format!("# \0\n{second}"))),
        [Code::InvalidYaml]
    );
    assert_eq!(
        codes_with_sidecar("description: a\n\0dataset: b\n"),
        [Code::InvalidYaml]
    );
    assert_eq!(codes_of("a.yaml", [0; 4096]), [Code::InvalidYaml]);
    // Escaped it is a character like any other.
    assert_eq!(codes_of("a.jsonl", line("a\\u0000", "")), []);
    assert_eq!(codes_of("a.yaml", suite("    x: \"\\0\"\n")), []);
}

#[test]
fn byte_order_marks_and_line_ends_of_any_system_change_nothing() {
    let project = TestProject::new();
    let text = format!("{}\n\n{}\n", line("a", ""), line("b", ""));
    project.write("a.jsonl", &text);
    let plain = project.load("a.jsonl").unwrap().cases;
    for same in [
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{}", text.replace('\n', "\r\n")),
        text.trim_end().to_owned(),
        format!("{text}\r\n \t\n"),
    ] {
        project.write("a.jsonl", &same);
        let loaded = project.load("a.jsonl").unwrap();
        assert_eq!(
            (&loaded.cases, loaded.diagnostics.len()),
            (&plain, 0),
            "{same:?}"
        );
        let lines: Vec<_> = loaded
            .cases
            .iter()
            .map(|case| case.source.as_ref().unwrap().line)
            .collect();
        assert_eq!(lines, [1, 3]);
    }
    // A second mark, or one that is not at the start, belongs to the text.
    for mark in ["\u{feff}\u{feff}", "\n\u{feff}"] {
        assert_eq!(
            codes_of("a.jsonl", format!("{mark}{text}")),
            [Code::InvalidJson]
        );
    }
    let yaml = suite("");
    project.write("s.yml", &yaml);
    let plain = project.load("s.yml").unwrap().cases;
    for same in [
        format!("\u{feff}{yaml}"),
        yaml.replace('\n', "\r\n"),
        yaml.replace('\n', "\r"),
    ] {
        project.write("s.yml", &same);
        assert_eq!(project.load("s.yml").unwrap().cases, plain, "{same:?}");
    }
}

#[test]
fn a_bare_carriage_return_ends_no_line() {
    let project = TestProject::new();
    project.write("a.jsonl", format!("{}\r{}\n", line("a", ""), line("b", "")));
    let refused = project.load("a.jsonl").unwrap_err().diagnostic;
    assert_eq!((refused.code(), refused.line), (Code::InvalidJson, Some(1)));
    assert!(refused.problem.hint.unwrap().contains("carriage return"));
    // Between values it is white space.
    assert_eq!(codes_of("a.jsonl", line("a", "\r,\r\"x\": 1")), []);
}

#[test]
fn numbers_of_any_length_are_numbers_or_refused() {
    let digits = "9".repeat(100_000);
    assert_eq!(
        codes_of("a.jsonl", line("a", &format!(", \"x\": {digits}"))),
        [Code::OutOfRange]
    );
    assert_eq!(
        codes_of("a.jsonl", line("a", ", \"x\": 1e400")),
        [Code::OutOfRange]
    );
    assert_eq!(
        codes_of("a.jsonl", line("a", &format!(", \"x\": 0.{digits}"))),
        []
    );
    assert_eq!(
        codes_of(
            "a.jsonl",
            line("a", ", \"x\": [1e-400, -0, 18446744073709551615, 1e308]")
        ),
        []
    );
    assert_eq!(
        codes_of("a.jsonl", line("a", ", \"x\": 18446744073709551616")),
        [Code::InexactNumber]
    );
    for number in [&digits, "1e400"] {
        assert_eq!(
            codes_of("a.yaml", suite(&format!("    x: {number}\n"))),
            [Code::OutOfRange]
        );
    }
    assert_eq!(
        codes_of("a.yaml", suite("    x: [-0, 0xffffffffffffffffff]\n")),
        []
    );
    let weight = r#", "evaluators": [{"type": "is_json", "weight": 1e308}, {"type": "is_json", "weight": -1e308}]"#;
    assert_eq!(codes_of("a.jsonl", line("a", weight)), [Code::OutOfRange]);
    let points = r#", "rubrics": [{"expected_outcome": "x", "required_min_score": 1e300}]"#;
    assert_eq!(codes_of("a.jsonl", line("a", points)), [Code::OutOfRange]);
    let ranges = r#", "rubrics": [{"score_ranges": [{"score_range": [-1e300, 1e300], "expected_outcome": "x"}]}]"#;
    assert!(codes_of("a.jsonl", line("a", ranges)).contains(&Code::OutOfRange));
}

#[test]
fn a_file_of_a_hundred_thousand_kinds_of_blank_is_empty() {
    for text in [
        "\n".repeat(100_000),
        " \t\r\n".repeat(100_000),
        "\u{feff}".to_owned(),
    ] {
        assert_eq!(codes_of("blank.jsonl", text), [Code::NoCases]);
    }
    for text in ["", "\n\n", "# nothing\n", "---\n", "\u{feff}"] {
        assert_ne!(codes_of("blank.yaml", text), [], "{text:?}");
        assert_eq!(codes_with_sidecar(text), [], "{text:?}");
    }
}
