//! Laws that hold whatever happens to a file.

use std::fs::{self, File};
use std::time::Instant;

use agentv_journal::RecordFile;
use proptest::prelude::*;

use crate::support::{Sample, now, read, results, run};

/// `PROPTEST_RNG_SEED` decides what is generated; nothing is kept between runs.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[derive(Debug, Clone)]
enum Event {
    Append(String),
    /// This many bytes at the end are lost.
    Cut(usize),
    /// This many zero bytes follow, as after power loss.
    Zeros(usize),
    Reopen,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        5 => ".{0,60}".prop_map(Event::Append),
        1 => (0_usize..300).prop_map(Event::Cut),
        1 => (1_usize..5_000).prop_map(Event::Zeros),
        1 => Just(Event::Reopen),
    ]
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn any_history_of_appends_losses_and_reopenings_gives_a_prefix(
        events in prop::collection::vec(event(), 0..40),
    ) {
        let (_root, folder) = run();
        let path = results(&folder);
        let mut writer = folder.write(now()).unwrap();
        let mut append = writer.append(RecordFile::Results).unwrap();
        let mut written: Vec<(Sample, u64)> = Vec::new();
        for (number, event) in events.into_iter().enumerate() {
            match event {
                Event::Append(text) => {
                    let (key, timestamp) = (number.to_string(), String::new());
                    let record = Sample { key, timestamp, text };
                    let at = append.append(&record, Instant::now()).unwrap();
                    written.push((record, at.offset + at.length));
                    continue;
                }
                Event::Cut(bytes) => {
                    let file = File::options().write(true).open(&path).unwrap();
                    let length = append.length().saturating_sub(bytes as u64);
                    file.set_len(length).unwrap();
                    written.retain(|(_, end)| *end <= length);
                }
                Event::Zeros(bytes) => {
                    let file = File::options().write(true).open(&path).unwrap();
                    file.set_len(append.length() + bytes as u64).unwrap();
                }
                Event::Reopen => {}
            }
            drop(append);
            append = writer.append(RecordFile::Results).unwrap();
            let end = written.last().map_or(0, |(_, end)| *end);
            prop_assert_eq!(append.recovery().kept, end);
            prop_assert_eq!(fs::metadata(&path).unwrap().len(), end);
        }
        let expected: Vec<Sample> = written.into_iter().map(|(record, _)| record).collect();
        prop_assert_eq!(read(&path), (expected, vec![]));
    }

    #[test]
    fn any_bytes_at_all_are_read_and_opened(
        bytes in prop::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'{'), Just(b'}'), Just(b'"'), Just(0), any::<u8>()],
            0..400,
        ),
    ) {
        let (_root, folder) = run();
        let path = results(&folder);
        fs::write(&path, &bytes).unwrap();
        read(&path);
        let mut writer = folder.write(now()).unwrap();
        let recovery = writer.append(RecordFile::Results).unwrap().recovery();
        prop_assert_eq!(recovery.kept + recovery.cut, bytes.len() as u64);
        prop_assert_eq!(&fs::read(&path).unwrap(), &bytes[..recovery.kept as usize]);
        let again = writer.append(RecordFile::Results).unwrap().recovery();
        prop_assert_eq!(again.cut, 0);
    }
}
