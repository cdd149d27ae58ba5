//! Generated cases as eval files.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use agentv_syntax::Draft;
use serde_json::{Value, json};

use crate::cases::{Shape, case};

/// The length of a generated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// A number of cases.
    Cases(u64),
    /// Complete cases until the file has at least this many bytes.
    Bytes(u64),
}

/// The size of the written files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// The number of cases in all files.
    pub cases: u64,
    /// The number of bytes in all files.
    pub bytes: u64,
}

/// Writes one case per line. `out` should be buffered.
///
/// # Errors
/// Fails if `out` cannot be written to.
pub fn write_jsonl(
    out: &mut impl Write,
    shape: Shape,
    length: Length,
    seed: u64,
) -> io::Result<Written> {
    let mut written = Written::default();
    let mut line = Vec::with_capacity(4096);
    while match length {
        Length::Cases(cases) => written.cases < cases,
        Length::Bytes(bytes) => written.bytes < bytes,
    } {
        line.clear();
        serde_json::to_writer(&mut line, &case(shape, seed, written.cases))?;
        line.push(b'\n');
        out.write_all(&line)?;
        written.cases += 1;
        written.bytes += line.len() as u64;
    }
    out.flush()?;
    Ok(written)
}

/// The number of cases in each file of [`write_suites`].
pub const CASES_PER_SUITE: u64 = 5;

/// Writes `count` YAML suites of [`CASES_PER_SUITE`] cases into `folder`, which is created if
/// necessary.
///
/// # Errors
/// Fails if the folder or a file cannot be written.
pub fn write_suites(folder: &Path, shape: Shape, count: u64, seed: u64) -> io::Result<Written> {
    fs::create_dir_all(folder)?;
    let mut written = Written::default();
    for number in 0..count {
        let text = Draft::from(&suite(shape, seed, number)).to_yaml();
        fs::write(folder.join(format!("suite-{number:05}.yaml")), &text)?;
        written.cases += CASES_PER_SUITE;
        written.bytes += text.len() as u64;
    }
    Ok(written)
}

fn suite(shape: Shape, seed: u64, number: u64) -> Value {
    let first = number * CASES_PER_SUITE;
    let cases: Vec<Value> = (first..first + CASES_PER_SUITE)
        .map(|index| case(shape, seed, index))
        .collect();
    json!({
        "$schema": "agentv-eval-v2",
        "description": format!("Generated suite {number}"),
        "execution": {"target": "default"},
        "evalcases": cases,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jsonl(length: Length, seed: u64) -> (Vec<u8>, Written) {
        let mut out = Vec::new();
        let written = write_jsonl(&mut out, Shape::Mixed, length, seed).unwrap();
        (out, written)
    }

    #[test]
    fn the_same_seed_writes_the_same_bytes() {
        assert_eq!(jsonl(Length::Cases(100), 5), jsonl(Length::Cases(100), 5));
        assert_ne!(jsonl(Length::Cases(100), 5), jsonl(Length::Cases(100), 6));
    }

    #[test]
    fn a_file_has_the_cases_asked_for_one_a_line() {
        let (out, written) = jsonl(Length::Cases(100), 1);
        let lines: Vec<&str> = str::from_utf8(&out).unwrap().lines().collect();
        assert_eq!((lines.len(), written.cases), (100, 100));
        assert_eq!(written.bytes, out.len() as u64);
        for (index, line) in lines.iter().enumerate() {
            let read: Value = serde_json::from_str(line).unwrap();
            assert_eq!(read, case(Shape::Mixed, 1, index as u64));
        }
    }

    #[test]
    fn a_length_in_bytes_ends_with_a_whole_case() {
        let (out, written) = jsonl(Length::Bytes(10_000), 1);
        assert!((10_000..20_000).contains(&written.bytes));
        assert_eq!(out.last(), Some(&b'\n'));
    }

    #[test]
    fn suites_share_no_case() {
        let folder = tempfile::tempdir().unwrap();
        let written = write_suites(folder.path(), Shape::Plain, 3, 1).unwrap();
        assert_eq!(written.cases, 15);
        let text = fs::read_to_string(folder.path().join("suite-00002.yaml")).unwrap();
        assert!(
            text.contains("-0000010\n") && !text.contains("-0000009\n"),
            "{text}"
        );
    }
}
