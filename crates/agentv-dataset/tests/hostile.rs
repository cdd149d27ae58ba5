//! Hostile files: each gets its error, quickly and in bounded memory.

use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use agentv_dataset::{Dataset, check_sidecar, load_eval_cases};
use agentv_syntax::{Code, Severity};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::alone::{alone, soon};
use crate::project::{TestProject, codes, note};

const MEBIBYTE: u64 = 1 << 20;
/// A case that has nothing wrong with it, but for what `extra` adds.
fn line(id: &str, extra: &str) -> String {
    format!(r#"{{"id": "{id}", "outcome": "o", "input": "i"{extra}}}"#)
}

fn suite(extra: &str) -> String {
    format!("evalcases:\n  - id: a\n    outcome: o\n    input: i\n{extra}")
}

/// The codes of a file of this name and content.
fn codes_of(name: &str, content: impl AsRef<[u8]>) -> Vec<Code> {
    let project = TestProject::new();
    project.write(name, content);
    soon(|| codes(&project.load(name)))
}

/// The codes of a good file with this sidecar.
fn codes_with_sidecar(sidecar: impl AsRef<[u8]>) -> Vec<Code> {
    let project = TestProject::new();
    project.write("a.jsonl", line("a", ""));
    project.write("a.yaml", sidecar);
    soon(|| codes(&project.load("a.jsonl")))
}

#[test]
fn a_line_of_a_gigabyte_is_too_long() {
    alone(
        "hostile::a_line_of_a_gigabyte_is_too_long",
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
        "hostile::a_line_may_have_64_mebibytes_and_not_a_byte_more",
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
fn ten_thousand_levels_of_nesting_are_too_deep() {
    let arrays = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    for levels in [200, 10_000] {
        for deep in [arrays(levels), objects(levels)] {
            let text = line("a", &format!(", \"x\": {deep}"));
            assert_eq!(codes_of("a.jsonl", text), [Code::InvalidJson]);
            let text = suite(&format!("    x: {deep}\n"));
            assert_eq!(codes_of("a.yaml", text), [Code::InvalidYaml]);
            assert_eq!(
                codes_with_sidecar(format!("x: {deep}\n")),
                [Code::InvalidYaml]
            );
        }
        assert_eq!(
            codes_of("a.jsonl", "[".repeat(levels)),
            [Code::UnfinishedJson]
        );
        let dashes = "- ".repeat(levels);
        assert_eq!(
            codes_of("a.yaml", suite(&format!("    x:\n      {dashes}a\n"))),
            [Code::InvalidYaml]
        );
        let keys = "? ".repeat(levels);
        assert_eq!(
            codes_of("a.yaml", format!("{keys}a\n")),
            [Code::InvalidYaml]
        );
    }
    let mut block = suite("    x:\n");
    for level in 0..2_000 {
        block.push_str(&format!("{}a:\n", " ".repeat(level + 6)));
    }
    assert_eq!(codes_of("a.yaml", block), [Code::InvalidYaml]);
}

#[test]
fn what_is_as_deep_as_a_line_may_be_is_as_deep_as_a_suite_may_be() {
    let project = TestProject::new();
    for levels in [90, 98, 99] {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        project.write("deep.jsonl", line("a", &format!(", \"x\": {deep}")));
        project.write("deep.yml", suite(&format!("    x: {deep}\n")));
        let from_line = project.load("deep.jsonl").unwrap().cases;
        assert_eq!(from_line.len(), 1);
        assert_eq!(
            project.load("deep.yml").unwrap().cases,
            from_line,
            "{levels}"
        );
    }
    for (levels, from_line, from_suite) in [
        (100, Code::TooDeep, Code::TooDeep),
        (126, Code::TooDeep, Code::TooDeep),
        (127, Code::InvalidJson, Code::InvalidYaml),
    ] {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let text = line("a", &format!(", \"x\": {deep}"));
        assert_eq!(codes_of("deep.jsonl", text), [from_line]);
        let text = suite(&format!("    x: {deep}\n"));
        assert_eq!(codes_of("deep.yml", text), [from_suite]);
    }
}

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
fn a_key_that_stands_twice_is_an_error_of_that_case_at_any_depth() {
    for twice in [
        r#", "id": "b""#,
        r#", "\u0069d": "b""#,
        r#", "x": {"k": 1, "k": 1}"#,
        r#", "x": [[{"y": {"k": 1, "j": 2, "k": null}}]]"#,
        r#", "execution": {"target": "a", "target": "b"}"#,
        r#", "evaluators": [{"type": "is_json", "type": "is_json"}]"#,
    ] {
        let project = TestProject::new();
        project.write(
            "a.jsonl",
            format!("{}\n{}\n", line("a", twice), line("good", "")),
        );
        let loaded = project.load("a.jsonl").unwrap();
        assert_eq!(loaded.cases.len(), 1, "{twice}");
        assert_eq!(loaded.diagnostics[0].code(), Code::DuplicateKey, "{twice}");
    }
    let many: String = (0..200)
        .map(|index| format!(", \"k{}\": 1", index % 199))
        .collect();
    assert_eq!(codes_of("a.jsonl", line("a", &many)), [Code::DuplicateKey]);
    assert_eq!(
        codes_of("a.yaml", suite("    x: {k: 1, k: 1}\n")),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_of("a.yaml", suite("    x: [{k: {j: 1, j: 2}}]\n")),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_of("a.yaml", suite("dataset: a\ndataset: b\n")),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_with_sidecar("dataset: a\ndataset: b\n"),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_with_sidecar("execution: {x: {k: 1, k: 1}}\n"),
        [Code::DuplicateKey]
    );
}

#[test]
fn two_hundred_thousand_keys_that_stand_twice_are_told_in_time() {
    alone(
        "hostile::two_hundred_thousand_keys_that_stand_twice_are_told_in_time",
        1_500 * MEBIBYTE,
        || {
            let twice = r#"{"k": 1, "k": 2},"#.repeat(200_000);
            let text = line("a", &format!(", \"x\": [{}1]", twice));
            assert!(codes_of("a.jsonl", text).contains(&Code::DuplicateKey));
        },
    );
}

/// Lists of aliases of lists of aliases.
fn laughs(levels: usize) -> String {
    let mut text = String::from("a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
    for level in 1..levels {
        let items = vec![format!("*a{}", level - 1); 9].join(",");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    text
}

#[test]
fn a_billion_laughs_end_in_an_error() {
    alone(
        "hostile::a_billion_laughs_end_in_an_error",
        400 * MEBIBYTE,
        || {
            assert_eq!(
                codes_of("a.yaml", laughs(12) + &suite("")),
                [Code::InvalidYaml]
            );
            assert_eq!(codes_with_sidecar(laughs(12)), [Code::InvalidYaml]);
        },
    );
}

#[test]
fn a_long_text_with_many_aliases_ends_in_an_error() {
    alone(
        "hostile::a_long_text_with_many_aliases_ends_in_an_error",
        400 * MEBIBYTE,
        || {
            let long = "x".repeat(1 << 20);
            let aliases = "*a,".repeat(100_000);
            let text = format!("a: &a {long}\nb: [{aliases}1]\n");
            assert_eq!(
                codes_of("a.yaml", text.clone() + &suite("")),
                [Code::InvalidYaml]
            );
            assert_eq!(codes_with_sidecar(text), [Code::InvalidYaml]);
            // The keys that a merge brings are texts, too.
            let text = format!(
                "a: &a {{? {long}\n  : 1}}\nb: [{}1]\n",
                "{<<: *a},".repeat(20_000)
            );
            assert_eq!(codes_with_sidecar(text), [Code::InvalidYaml]);
        },
    );
}

#[test]
fn merge_keys_that_bring_nothing_end_in_an_error_or_soon() {
    alone(
        "hostile::merge_keys_that_bring_nothing_end_in_an_error_or_soon",
        800 * MEBIBYTE,
        || {
            let many = |name: &str| vec![format!("*{name}"); 3_000].join(",");
            let text = format!(
                "a: &a {{}}\nb: &b {{<<: [{}]}}\nc: &c {{<<: [{}]}}\nd: {{<<: [{}]}}\n",
                many("a"),
                many("b"),
                many("c")
            );
            assert_eq!(codes_with_sidecar(text), [Code::InvalidYaml]);
            let own: String = (0..50_000).map(|index| format!("k{index}: 1, ")).collect();
            let text = format!(
                "a: &a {{z: 1}}\nb: {{{own}<<: [{}]}}\n",
                vec!["*a"; 50_000].join(",")
            );
            assert_eq!(codes_with_sidecar(text), []);
        },
    );
}

/// A case that refers to a file.
fn reference(value: &str) -> String {
    let block =
        serde_json::json!([{"role": "user", "content": [{"type": "file", "value": value}]}]);
    format!(r#"{{"id": "a", "outcome": "o", "input": {block}}}"#)
}

fn codes_of_reference(project: &TestProject, value: &str) -> Vec<Code> {
    project.write("refer.jsonl", reference(value));
    soon(|| codes(&project.load("refer.jsonl")))
}

#[test]
fn a_file_outside_the_project_is_refused_however_it_is_reached() {
    let project = TestProject::new();
    let up = "../".repeat(project.path("").components().count());
    let passwd = format!("{up}etc/passwd");
    assert_eq!(
        codes_of_reference(&project, &passwd),
        [Code::FileOutsideRoot]
    );
    assert_eq!(
        codes_of_reference(&project, &format!("./data/../{passwd}")),
        [Code::FileOutsideRoot]
    );
    assert_eq!(
        codes_of_reference(&project, &format!("/{passwd}")),
        [Code::FileOutsideRoot]
    );
    assert_eq!(
        codes_of_reference(&project, "//etc/passwd"),
        [Code::FileOutsideRoot]
    );
    assert_ne!(codes_of_reference(&project, ".//etc/passwd"), []);
    // A leading slash is the project's root; what is only under the machine's is refused.
    assert_eq!(
        codes_of_reference(&project, "/etc/passwd"),
        [Code::FileOutsideRoot]
    );
    symlink("/etc/passwd", project.path("innocent.md")).unwrap();
    assert_eq!(
        codes_of_reference(&project, "innocent.md"),
        [Code::FileOutsideRoot]
    );
    symlink("/etc", project.path("folder")).unwrap();
    assert_eq!(
        codes_of_reference(&project, "folder/passwd"),
        [Code::FileOutsideRoot]
    );
    symlink("link-b", project.path("link-a")).unwrap();
    symlink("link-a", project.path("link-b")).unwrap();
    assert_eq!(codes_of_reference(&project, "link-a"), [Code::FileNotFound]);
    let mut options = project.options();
    options.allow_outside_root = true;
    project.write("refer.jsonl", reference(&passwd));
    let loaded = load_eval_cases(project.path("refer.jsonl"), &options).unwrap();
    assert_eq!(loaded.cases.len(), 1);
    // The options of evaluators and the prompt of a sidecar are files as well.
    let prompt = format!(r#", "evaluators": [{{"type": "llm_judge", "prompt": "{passwd}"}}]"#);
    project.write("refer.jsonl", line("a", &prompt));
    assert_eq!(codes(&project.load("refer.jsonl")), [Code::FileOutsideRoot]);
    project.write("refer.jsonl", line("a", ""));
    project.write("refer.yaml", format!("prompt: {passwd}\n"));
    assert_eq!(codes(&project.load("refer.jsonl")), [Code::FileOutsideRoot]);
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_is_not_a_file_is_refused_and_nobody_waits_for_it() {
    let project = TestProject::new();
    make_fifo(&project.path("pipe"));
    assert_eq!(codes_of_reference(&project, "pipe"), [Code::NotAFile]);
    assert_eq!(codes_of_reference(&project, "data"), [Code::NotAFile]);
    assert_eq!(codes_of_reference(&project, "."), [Code::NotAFile]);
    assert_eq!(
        codes_of_reference(&project, "notes.md/"),
        [Code::FileNotFound]
    );
    assert_eq!(codes_of_reference(&project, ""), [Code::FileNotFound]);
    assert_eq!(codes_of_reference(&project, "a\0b"), [Code::FileNotFound]);
    symlink("nowhere", project.path("broken.md")).unwrap();
    assert_eq!(
        codes_of_reference(&project, "broken.md"),
        [Code::FileNotFound]
    );
    let mut options = project.options();
    options.allow_outside_root = true;
    let up = "../".repeat(project.path("").components().count());
    project.write("refer.jsonl", reference(&format!("{up}dev/zero")));
    let loaded = load_eval_cases(project.path("refer.jsonl"), &options);
    assert_eq!(codes(&loaded), [Code::NotAFile]);
}

#[test]
fn an_eval_file_that_is_not_a_file_is_unreadable() {
    let project = TestProject::new();
    for extension in ["jsonl", "yaml", "jsonl.gz", "jsonl.zst"] {
        make_fifo(&project.path(&format!("pipe.{extension}")));
        fs::create_dir(project.path(&format!("folder.{extension}"))).unwrap();
        symlink("/dev/zero", project.path(&format!("zero.{extension}"))).unwrap();
        symlink("nowhere", project.path(&format!("broken.{extension}"))).unwrap();
        for name in ["pipe", "folder", "zero", "broken", "absent"] {
            let name = format!("{name}.{extension}");
            assert_eq!(
                soon(|| codes(&project.load(&name))),
                [Code::Unreadable],
                "{name}"
            );
        }
    }
}

#[test]
fn a_file_that_may_not_be_read_is_told() {
    let project = TestProject::new();
    let secret = project.write("secret.md", "secret");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&secret).is_ok() {
        return note("skipped: this user reads every file");
    }
    assert_eq!(
        codes_of_reference(&project, "secret.md"),
        [Code::FileUnusable]
    );
    let cases = project.write("secret.jsonl", line("a", ""));
    fs::set_permissions(&cases, fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(codes(&project.load("secret.jsonl")), [Code::Unreadable]);
}

#[test]
fn a_sidecar_that_is_there_but_cannot_be_read_is_not_passed_over() {
    let project = TestProject::new();
    for name in ["folder", "broken", "pipe"] {
        project.write(&format!("{name}.jsonl"), line("a", ""));
    }
    fs::create_dir(project.path("folder.yaml")).unwrap();
    symlink("nowhere.yaml", project.path("broken.yaml")).unwrap();
    make_fifo(&project.path("pipe.yaml"));
    for name in ["folder", "broken", "pipe"] {
        let refused = soon(|| project.load(&format!("{name}.jsonl")))
            .unwrap_err()
            .diagnostic;
        assert_eq!(refused.code(), Code::Unreadable);
        assert!(
            refused.file.ends_with(&format!("{name}.yaml")),
            "{}",
            refused.file
        );
        let path = project.path(&format!("{name}.yaml"));
        let alone = check_sidecar(&path, &project.options());
        assert_eq!(alone[0].code(), Code::Unreadable);
    }
}

#[test]
fn referenced_files_that_are_huge_are_refused_unread() {
    alone(
        "hostile::referenced_files_that_are_huge_are_refused_unread",
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
fn a_suite_that_is_huge_is_refused_unread() {
    alone(
        "hostile::a_suite_that_is_huge_is_refused_unread",
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

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_files_that_are_broken_are_unreadable() {
    let text: String = (0..5_000)
        .map(|index| line(&index.to_string(), "") + "\n")
        .collect();
    let packed = gzip(text.as_bytes());
    assert_eq!(codes_of("a.jsonl.gz", &packed), []);
    for length in [
        1,
        9,
        10,
        11,
        packed.len() / 2,
        packed.len() - 9,
        packed.len() - 1,
    ] {
        assert_eq!(
            codes_of("a.jsonl.gz", &packed[..length]),
            [Code::Unreadable],
            "{length}"
        );
    }
    let mut wrong_sum = packed.clone();
    let at = wrong_sum.len() - 6;
    wrong_sum[at] ^= 1;
    assert_eq!(codes_of("a.jsonl.gz", wrong_sum), [Code::Unreadable]);
    assert_eq!(codes_of("a.jsonl.gz", &text), [Code::Unreadable]);
    assert_eq!(
        codes_of("a.jsonl.gz", [&packed[..], b"tail"].concat()),
        [Code::Unreadable]
    );
    // Several members, one after the other, are one file.
    let both = [
        gzip(format!("{}\n", line("a", "")).as_bytes()),
        gzip(line("b", "").as_bytes()),
    ]
    .concat();
    assert_eq!(codes_of("a.jsonl.gz", both), []);
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    assert_eq!(codes_of("a.jsonl.zst", &packed), []);
    for length in [1, 4, packed.len() / 2, packed.len() - 1] {
        assert_eq!(
            codes_of("a.jsonl.zst", &packed[..length]),
            [Code::Unreadable],
            "{length}"
        );
    }
    assert_eq!(codes_of("a.jsonl.zst", &text), [Code::Unreadable]);
    for extension in ["gz", "zst"] {
        let name = format!("empty.jsonl.{extension}");
        assert_eq!(codes_of(&name, ""), [Code::Unreadable], "{name}");
    }
    assert_eq!(codes_of("empty.jsonl.gz", gzip(b"")), [Code::NoCases]);
    assert_eq!(codes_of("empty.jsonl", ""), [Code::NoCases]);
}

#[test]
fn a_small_file_that_unpacks_to_gigabytes_is_refused_or_streamed() {
    alone(
        "hostile::a_small_file_that_unpacks_to_gigabytes_is_refused_or_streamed",
        400 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let one_line = vec![b'x'; 80 << 20];
            project.write("bomb.jsonl.gz", gzip(&one_line));
            assert_eq!(codes(&project.load("bomb.jsonl.gz")), [Code::LineTooLong]);
            let packed = zstd::encode_all(one_line.as_slice(), 3).unwrap();
            assert!(packed.len() < 1_000_000);
            project.write("bomb.jsonl.zst", packed);
            drop(one_line);
            assert_eq!(codes(&project.load("bomb.jsonl.zst")), [Code::LineTooLong]);
            let mut blank = gzip(&vec![b'\n'; 1 << 20]).repeat(8);
            blank.extend(gzip(line("a", "").as_bytes()));
            project.write("blank.jsonl.gz", blank);
            let loaded = project.load("blank.jsonl.gz").unwrap();
            assert_eq!(loaded.cases[0].source.as_ref().unwrap().line, (8 << 20) + 1);
        },
    );
}

#[test]
fn a_hundred_thousand_problems_are_all_told_and_none_is_kept() {
    alone(
        "hostile::a_hundred_thousand_problems_are_all_told_and_none_is_kept",
        160 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let text = "{\"id\": 5, \"input\": 6, \"evaluators\": [7]}\n".repeat(100_000);
            let path = project.write("wrong.jsonl", text);
            let dataset = Dataset::open(path, &project.options()).unwrap();
            let mut told = 0_u64;
            let mut last_line = 0;
            let checked = dataset.check(&mut |diagnostic| {
                told += 1;
                assert!(diagnostic.line.unwrap() >= last_line);
                assert_eq!(diagnostic.severity(), Severity::Error);
                last_line = diagnostic.line.unwrap();
                ControlFlow::Continue(())
            });
            assert_eq!(
                (told, checked.cases, checked.skipped),
                (400_000, 0, 100_000)
            );
            // Whoever has read enough stops the check.
            let mut told = 0;
            dataset.check(&mut |_| {
                told += 1;
                match told {
                    10 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            });
            assert_eq!(told, 10);
        },
    );
}

#[test]
fn one_case_with_fifty_thousand_problems_is_told_in_time() {
    alone(
        "hostile::one_case_with_fifty_thousand_problems_is_told_in_time",
        1_500 * MEBIBYTE,
        || {
            let wrong = r#"{"type": "contains", "valu": "é"}, "#.repeat(50_000);
            let text = line("a", &format!(r#", "evaluators": [{wrong}5]"#));
            let codes = codes_of("a.jsonl", text);
            assert!(codes.contains(&Code::MissingField));
        },
    );
}

#[test]
fn an_id_that_repeats_a_hundred_thousand_times_is_taken_once() {
    let project = TestProject::new();
    project.write(
        "same.jsonl",
        format!("{}\n", line("same", "")).repeat(100_000),
    );
    let loaded = soon(|| project.load("same.jsonl")).unwrap();
    assert_eq!((loaded.cases.len(), loaded.diagnostics.len()), (1, 99_999));
    assert!(
        loaded
            .diagnostics
            .iter()
            .all(|d| d.code() == Code::DuplicateId)
    );
    assert!(loaded.diagnostics.is_sorted_by_key(|d| d.line));
    // Rows are numbered instead.
    project.write(
        "rows.jsonl",
        "{\"input\": {\"userMessage\": \"hi\"}}\n".repeat(100_000),
    );
    let loaded = soon(|| project.load("rows.jsonl")).unwrap();
    assert_eq!((loaded.cases.len(), loaded.diagnostics.len()), (100_000, 0));
    assert!(loaded.cases[99_999].id.ends_with("-100000"));
}

#[test]
fn a_template_that_loops_for_ever_ends_in_an_error() {
    alone(
        "hostile::a_template_that_loops_for_ever_ends_in_an_error",
        400 * MEBIBYTE,
        || {
            let project = TestProject::new();
            project.write("loop.jsonl", "{\"input\": {\"animal\": \"cat\"}}\n");
            for template in [
                "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% for a in 'x' * 999999999999 %}{% endfor %}",
                "{{ range(999999999) | list }}",
                "{{ animal * 9999999999 }}",
            ] {
                let sidecar = serde_json::json!({"prompt": template}).to_string();
                project.write("loop.yaml", sidecar);
                let codes = soon(|| codes(&project.load("loop.jsonl")));
                assert_eq!(codes, [Code::InvalidTemplate], "{template}");
            }
            for broken in [
                "{{ animal",
                "{% if %}",
                "{{ animal | nonsense }}",
                "{{ missing }}",
            ] {
                project.write(
                    "loop.yaml",
                    serde_json::json!({"prompt": broken}).to_string(),
                );
                assert_eq!(
                    codes(&project.load("loop.jsonl")),
                    [Code::InvalidTemplate],
                    "{broken}"
                );
            }
        },
    );
}

#[test]
fn names_that_are_too_long_for_the_system_are_told() {
    let project = TestProject::new();
    let long = "x".repeat(300);
    assert_eq!(
        codes(&project.load(&format!("{long}.jsonl"))),
        [Code::Unreadable]
    );
    assert_eq!(
        codes(&project.load(&format!("{long}.yaml"))),
        [Code::Unreadable]
    );
    assert_eq!(codes_of_reference(&project, &long), [Code::FileNotFound]);
    assert_eq!(
        codes_of_reference(&project, &"x/".repeat(5_000)),
        [Code::FileNotFound]
    );
    // The longest name that the system takes, for the file and its sidecar.
    let longest = "é".repeat(124);
    project.write(&format!("{longest}.jsonl"), line("a", ""));
    let loaded = project.load(&format!("{longest}.jsonl")).unwrap();
    assert_eq!(loaded.cases[0].dataset, longest);
}

#[test]
fn references_of_a_megabyte_each_do_not_pile_up() {
    alone(
        "hostile::references_of_a_megabyte_each_do_not_pile_up",
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
fn a_case_may_have_ten_thousand_evaluators() {
    let project = TestProject::new();
    let many = vec![r#"{"type": "is_json"}"#; 10_000].join(",");
    project.write(
        "many.jsonl",
        line("a", &format!(r#", "evaluators": [{many}]"#)),
    );
    let start = std::time::Instant::now();
    let loaded = project.load("many.jsonl").unwrap();
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let evaluators = &loaded.cases[0].evaluators;
    assert_eq!(evaluators.len(), 10_000);
    assert_eq!(evaluators[9_999].name, "is_json-10000");
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
