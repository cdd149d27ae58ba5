//! Removing records from a file whose keys are no longer wanted.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use crate::atomic_file::{Access, AtomicFile};
use crate::file_error::FileError;
use crate::key::{KeyFields, KeyScan};
use crate::lines::{LineReader, MAX_LINE, RawLine, STREAM_CHUNK};
use crate::read::{Line, open_if_exists, parse_line};

/// Keeps the records whose key equals that of a record at one of the sorted `offsets`, and all lines
/// without a key. Replaces the file in one step and returns the number of removed records.
pub(crate) fn compact_file(
    path: &Path,
    fields: &KeyFields,
    offsets: &[u64],
) -> Result<u64, FileError> {
    let compact = || {
        let mut wanted = HashSet::with_capacity(offsets.len());
        each_line(path, fields, |offset, digest, _| {
            if offsets.binary_search(&offset).is_ok() {
                wanted.extend(digest);
            }
            Ok(())
        })?;
        let is_wanted = |digest: Option<u64>| digest.is_none_or(|key| wanted.contains(&key));
        let mut others = 0;
        each_line(path, fields, |_, digest, _| {
            others += u64::from(!is_wanted(digest));
            Ok(())
        })?;
        if others > 0 {
            let mut kept = AtomicFile::create(path, Access::Owner)?;
            each_line(path, fields, |_, digest, bytes| {
                if !is_wanted(digest) {
                    return Ok(());
                }
                kept.write_all(bytes)?;
                kept.write_all(b"\n")
            })?;
            kept.commit()?;
        }
        Ok(others)
    };
    compact().map_err(FileError::of("compact", path))
}

/// Calls `visit` with the offset of each line, the digest of its key if it has one, and its bytes.
fn each_line(
    path: &Path,
    fields: &KeyFields,
    mut visit: impl FnMut(u64, Option<u64>, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let file = open_if_exists(path).map_err(|error| error.source)?;
    let mut lines = LineReader::new(file, STREAM_CHUNK, MAX_LINE);
    let mut scan = KeyScan::new(fields, None);
    loop {
        let offset = lines.offset();
        let Some(raw) = lines.next_line()? else {
            return Ok(());
        };
        let RawLine::Bytes(bytes) = raw else {
            return Err(io::Error::other("a line is too long"));
        };
        let parsed = parse_line(&raw, 0, offset, |text| scan.read(text));
        let digest = matches!(parsed, Some(Line::Record(_))).then(|| scan.digest());
        visit(offset, digest, bytes)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_other_keys_are_removed_and_the_rest_stays_to_the_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let lines = [
            r#"{"id":"a","try":1}"#,
            r#"{"id":"gone"}"#,
            "damaged",
            r#"{"id": "b"}"#,
            r#"{"id":"a","try":2}"#,
        ];
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let fields = KeyFields::new(["id"]);
        let offsets = [41, 53];
        assert_eq!(compact_file(&path, &fields, &offsets).unwrap(), 1);
        let kept = [lines[0], lines[2], lines[3], lines[4]];
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            kept.join("\n") + "\n"
        );
        let none = folder.path().join("none");
        assert_eq!(compact_file(&none, &fields, &[]).unwrap(), 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
