//! Recorded streams of models and agents with random changes, through the functions of the fuzz targets.

use agentv_testkit::each_seed;
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use crate::oracles::{agent_stream, model_stream};

/// The changed streams per seed. All of them take a few seconds.
const CASES: u32 = 48;

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        a_models_stream_with_any_changes_holds,
        an_agents_stream_with_any_changes_holds,
    ]
}

fn a_models_stream_with_any_changes_holds() {
    each_changed_seed("model_stream", model_stream);
}

fn an_agents_stream_with_any_changes_holds() {
    each_changed_seed("agent_stream", agent_stream);
}

/// A change of a stream.
#[derive(Debug, Clone)]
enum Change {
    Byte(Index, u8),
    Remove(Index, usize),
    Repeat(Index, usize),
    /// A part of the stream comes again at another place.
    Move(Index, Index, usize),
    Insert(Index, &'static str),
    /// The stream ends here.
    End(Index),
}

/// Texts that mean something to a reader of JSON, of events, or of numbers.
const WORDS: &[&str] = &[
    "\n",
    "\n\n",
    "\r",
    "null",
    "{}",
    "[]",
    "\"\"",
    "-1",
    "1e999",
    "99999999999999999999",
    "\\ud83d",
    "\\u0000",
    "\u{feff}",
    "\\",
    "\"",
    "{",
    "]",
    "data: ",
    "[DONE]",
    "\u{2028}",
    ",\"type\":7",
];

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (at(), 1..200usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (at(), 1..200usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at(), at(), 1..400usize).prop_map(|(from, to, length)| Change::Move(from, to, length)),
        (at(), prop::sample::select(WORDS)).prop_map(|(at, word)| Change::Insert(at, word)),
        at().prop_map(Change::End),
    ]
}

impl Change {
    fn apply(&self, stream: &mut Vec<u8>) {
        let place = |at: &Index, stream: &Vec<u8>| at.index(stream.len() + 1);
        let part = |at: &Index, length: usize, stream: &Vec<u8>| {
            let from = place(at, stream);
            from..stream.len().min(from + length)
        };
        match self {
            Change::Byte(at, byte) => {
                let place = place(at, stream);
                if let Some(changed) = stream.get_mut(place) {
                    *changed = *byte;
                }
            }
            Change::Remove(at, length) => {
                stream.drain(part(at, *length, stream));
            }
            Change::Repeat(at, length) => {
                let part = part(at, *length, stream);
                let (end, copy) = (part.end, stream[part].to_vec());
                stream.splice(end..end, copy);
            }
            Change::Move(from, to, length) => {
                let copy = stream[part(from, *length, stream)].to_vec();
                let to = place(to, stream);
                stream.splice(to..to, copy);
            }
            Change::Insert(at, word) => {
                let place = place(at, stream);
                stream.splice(place..place, word.bytes());
            }
            Change::End(at) => stream.truncate(place(at, stream)),
        }
    }
}

fn each_changed_seed(name: &str, target: fn(&[u8])) {
    each_seed(name, |seed| {
        let mut runner = TestRunner::new(Config {
            cases: CASES,
            failure_persistence: None,
            ..Config::default()
        });
        let changes = prop::collection::vec(change(), 1..6);
        let held = runner.run(&changes, |changes| {
            // The first letter of a model's stream is its protocol.
            let mut stream = seed[1..].to_vec();
            changes.iter().for_each(|change| change.apply(&mut stream));
            stream.insert(0, seed[0]);
            target(&stream);
            Ok(())
        });
        held.unwrap();
    });
}
