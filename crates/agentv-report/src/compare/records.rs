//! The records of a file of results, with their places.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use agentv_core::ResultRecord;
use agentv_journal::{FileError, Line, MAX_LINE, Reader};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

/// Goes through all records of a file, each with its place: the byte at which its line begins, or its
/// number in an array. Says how many lines hold no record.
pub(super) fn each(
    path: &Path,
    visit: &mut dyn FnMut(u64, ResultRecord),
) -> Result<u64, FileError> {
    if is_array(path) {
        each_of_array(path, visit).map_err(unreadable(path))?;
        return Ok(0);
    }
    // A reader takes a file that is not there for an empty one.
    File::open(path).map_err(unreadable(path))?;
    let mut damaged = 0;
    for line in Reader::<ResultRecord>::open(path)? {
        match line? {
            Line::Record(record) => visit(record.offset, record.value),
            Line::Damaged(_) => damaged += 1,
        }
    }
    Ok(damaged)
}

/// The records at these places; none where a place holds no record any more.
pub(super) fn at(path: &Path, places: &[u64]) -> Result<Vec<Option<ResultRecord>>, FileError> {
    let mut found = vec![None; places.len()];
    if is_array(path) {
        let mut keep = |place: u64, record: ResultRecord| {
            for (found, wanted) in found.iter_mut().zip(places) {
                if *wanted == place {
                    *found = Some(record.clone());
                }
            }
        };
        each_of_array(path, &mut keep).map_err(unreadable(path))?;
        return Ok(found);
    }
    let mut file = BufReader::new(File::open(path).map_err(unreadable(path))?);
    for (found, place) in found.iter_mut().zip(places) {
        let mut line = Vec::new();
        let sought = file.seek(SeekFrom::Start(*place));
        let read = sought.and_then(|_| file.by_ref().take(MAX_LINE).read_until(b'\n', &mut line));
        read.map_err(unreadable(path))?;
        *found = serde_json::from_slice(&line).ok();
    }
    Ok(found)
}

/// Whether a file holds one array in place of a record a line.
fn is_array(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError {
        action: "read",
        path: path.clone(),
        source,
    }
}

fn each_of_array(path: &Path, visit: &mut dyn FnMut(u64, ResultRecord)) -> io::Result<()> {
    let file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut deserializer = serde_json::Deserializer::from_reader(file);
    Records(visit).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(())
}

/// Gives each record of an array away as it is read.
struct Records<'v>(&'v mut dyn FnMut(u64, ResultRecord));

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of results")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        let mut place = 0;
        while let Some(record) = seq.next_element()? {
            (self.0)(place, record);
            place += 1;
        }
        Ok(())
    }
}
