//! The records of a file of results, with their positions.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use agentv_core::ResultRecord;
use agentv_journal::{Ending, FileError, Line, MAX_LINE, Reader, open_to_read};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// Calls a function with each record of a file and its offset. Returns the number of lines that are
/// not records.
pub(super) fn each(
    path: &Path,
    ending: Ending,
    visit: &mut dyn FnMut(u64, ResultRecord),
) -> Result<u64, FileError> {
    if is_array(path) {
        each_of_array(path, visit).map_err(unreadable(path))?;
        return Ok(0);
    }
    // A reader treats a missing file as empty.
    open_to_read(path).map_err(unreadable(path))?;
    let mut damaged = 0;
    for line in Reader::<ResultRecord>::with_ending(path, ending)? {
        match line? {
            Line::Record(record) => visit(record.offset, record.value),
            Line::Damaged(_) => damaged += 1,
        }
    }
    Ok(damaged)
}

/// Reads the records at these offsets; `None` where there is no longer a record.
pub(super) fn at(path: &Path, places: &[u64]) -> Result<Vec<Option<ResultRecord>>, FileError> {
    let mut file = BufReader::new(open_to_read(path).map_err(unreadable(path))?);
    let found = places.iter().map(|place| {
        file.seek(SeekFrom::Start(*place))
            .map_err(unreadable(path))?;
        // In an array, the text after the record is ignored.
        let mut text = serde_json::Deserializer::from_reader(file.by_ref().take(MAX_LINE));
        match ResultRecord::deserialize(&mut text) {
            Ok(record) => Ok(Some(record)),
            Err(error) if error.is_io() => Err(unreadable(path)(error.into())),
            Err(_) => Ok(None),
        }
    });
    found.collect()
}

/// Checks if a file holds a single array instead of one record per line.
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
    let read = Cell::new(0);
    let file = Counted {
        file: BufReader::with_capacity(1 << 16, open_to_read(path)?),
        read: &read,
    };
    let mut deserializer = serde_json::Deserializer::from_reader(file);
    let records = Records { read: &read, visit };
    records.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(())
}

/// A reader that counts the bytes it has read.
struct Counted<'c> {
    file: BufReader<File>,
    read: &'c Cell<u64>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

/// A visitor that passes on each record of an array, or of the field `results` of an object.
struct Records<'v> {
    read: &'v Cell<u64>,
    visit: &'v mut dyn FnMut(u64, ResultRecord),
}

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of results, or an object with `results`")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        while let Some((place, record)) = seq.next_element_seed(Placed(self.read))? {
            (self.visit)(place, record);
        }
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Records { read, visit } = self;
        let mut has_results = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == "results" {
                has_results = true;
                let visit = &mut *visit;
                map.next_value_seed(Records { read, visit })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if has_results {
            Ok(())
        } else {
            Err(M::Error::custom(
                "expected an array of results, or an object with `results`",
            ))
        }
    }
}

/// A record and its offset.
struct Placed<'c>(&'c Cell<u64>);

impl<'de> DeserializeSeed<'de> for Placed<'_> {
    type Value = (u64, ResultRecord);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        // Exactly one byte of the record has been read.
        let place = self.0.get().saturating_sub(1);
        Ok((place, ResultRecord::deserialize(deserializer)?))
    }
}
