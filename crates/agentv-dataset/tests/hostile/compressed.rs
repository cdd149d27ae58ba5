//! Compressed files that are broken, or hold far more than their size says.

use std::io::Write;

use agentv_syntax::Code;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{MEBIBYTE, codes_of, line};
use crate::alone::alone;
use crate::project::{TestProject, codes};

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
        "hostile::compressed::a_small_file_that_unpacks_to_gigabytes_is_refused_or_streamed",
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
            let mut wide = vec![b' '; 1 << 20];
            wide.push(b'\n');
            let many = zstd::encode_all(wide.repeat(140).as_slice(), 3).unwrap();
            project.write("many.jsonl.zst", many);
            assert_eq!(codes(&project.load("many.jsonl.zst")), [Code::Unreadable]);
        },
    );
}
