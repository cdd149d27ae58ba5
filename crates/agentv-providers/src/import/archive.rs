//! Texts in zip archives.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::error::ImportError;

/// The most bytes of one file, unpacked.
const LARGEST: u64 = 1 << 30;

/// Checks for the first bytes of a zip archive.
pub(super) fn is_archive(content: &[u8]) -> bool {
    content.starts_with(b"PK\x03\x04") || content.starts_with(b"PK\x05\x06")
}

/// Unpacks the files that `wants` accepts by their names, in the order of the names.
///
/// # Errors
/// If the archive is broken, or a file is too large or not text.
pub(super) fn texts(content: &[u8], wants: fn(&str) -> bool) -> Result<Vec<String>, ImportError> {
    let failed = |reason: &dyn std::fmt::Display| ImportError::Archive {
        reason: reason.to_string(),
    };
    let mut archive = ZipArchive::new(Cursor::new(content)).map_err(|error| failed(&error))?;
    let names = archive.file_names().filter_map(Result::ok);
    let mut names: Vec<String> = names
        .map(Cow::into_owned)
        .filter(|name| wants(name))
        .collect();
    names.sort();
    let mut texts = Vec::new();
    for name in names {
        let file = archive.by_name(&name).map_err(|error| failed(&error))?;
        let mut text = String::new();
        let read = file.take(LARGEST + 1).read_to_string(&mut text);
        read.map_err(|error| failed(&format!("`{name}`: {error}")))?;
        if text.len() as u64 > LARGEST {
            return Err(failed(&format!("`{name}` is larger than 1 GiB")));
        }
        texts.push(text);
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;
    use crate::import::inspect;

    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        packed(CompressionMethod::Deflated, files)
    }

    fn packed(method: CompressionMethod, files: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let packed = SimpleFileOptions::default().compression_method(method);
        for (name, content) in files {
            writer.start_file(*name, packed).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn sample(id: &str, epoch: u32, answer: &str) -> String {
        let output = serde_json::json!({"choices": [{"message": {"content": answer}}]});
        serde_json::json!({"id": id, "epoch": epoch, "input": "?", "output": output}).to_string()
    }

    #[test]
    fn an_archive_may_be_packed_with_zstandard_as_inspect_does() {
        let sample = sample("a", 1, "one");
        let files = [("samples/a_epoch_1.json", sample.as_str())];
        let bytes = packed(CompressionMethod::Zstd, &files);
        let answers = inspect::SOURCE.answers("log", &bytes).unwrap();
        assert_eq!(answers[0].transcript.answer(), "one");
    }

    #[test]
    fn an_archive_of_inspect_has_an_answer_for_each_sample_and_epoch() {
        let bytes = archive(&[
            ("header.json", r#"{"version": 2, "samples": []}"#),
            ("samples/b_epoch_1.json", &sample("b", 1, "two")),
            ("samples/a_epoch_2.json", &sample("a", 2, "again")),
            ("samples/a_epoch_1.json", &sample("a", 1, "one")),
            ("_journal/start.json", "{}"),
        ]);
        let answers = inspect::SOURCE.answers("log", &bytes).unwrap();
        let found: Vec<_> = answers
            .iter()
            .map(|it| (it.id.as_str(), it.trial, it.transcript.answer()))
            .collect();
        let expected = [("a", 1, "one"), ("a", 2, "again"), ("b", 1, "two")]
            .map(|(id, trial, answer)| (id, Some(trial), answer.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_broken_archive_is_an_error_at_every_length() {
        let bytes = archive(&[("samples/a_epoch_1.json", &sample("a", 1, "one"))]);
        for end in 4..bytes.len() {
            assert!(
                inspect::SOURCE.answers("log", &bytes[..end]).is_err(),
                "{end}"
            );
        }
    }
}
