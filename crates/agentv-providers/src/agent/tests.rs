//! Streams that are cut at every byte.

use std::fs;
use std::path::{Path, PathBuf};

use agentv_core::ActivityChannel;

use super::draft::Draft;
use super::listen::Listener;
use super::of_recording;
use crate::kinds::AGENTS;

/// Returns the recordings of an agent: the stream, and the session files by their names.
fn recordings(agent: &str) -> Vec<(String, Vec<(String, String)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("recordings")
        .join(agent);
    let scenarios = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = |scenario: PathBuf| {
        let stream = fs::read_to_string(scenario.join("stream.jsonl")).unwrap();
        let mut files = Vec::new();
        collect(&scenario.join("home"), "", &mut files);
        (stream, files)
    };
    scenarios.map(read).collect()
}

fn collect(folder: &Path, name: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            collect(&entry.path(), &name, files);
        } else {
            files.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

#[test]
fn a_line_that_is_cut_anywhere_says_nothing() {
    for kind in AGENTS {
        for (stream, _) in recordings(kind.provider) {
            let activity = ActivityChannel::default();
            for line in stream.lines() {
                let mut listener = Listener::new(Draft::new(kind), (kind.reader)(), &activity);
                for end in 0..line.len() {
                    listener.line(&line.as_bytes()[..end]);
                }
                assert_eq!(listener.draft.stated_end(), None);
                let empty = Draft::new(kind).into_transcript();
                assert_eq!(listener.draft.into_transcript(), empty, "{line}");
            }
        }
    }
}

#[test]
fn a_stream_without_its_last_lines_has_a_part_of_the_calls_and_no_end() {
    for kind in AGENTS {
        let agent = kind.provider;
        for (stream, _) in recordings(agent) {
            let lines: Vec<&str> = stream.lines().collect();
            let mut before = 0;
            for end in 0..lines.len() {
                let cut = lines[..end].join("\n");
                let (transcript, _) = of_recording(agent, cut.as_bytes(), &[]).unwrap();
                let calls = transcript.tool_calls().count();
                assert!(calls >= before, "{agent}: a call is lost in line {end}");
                before = calls;
            }
            let half = lines[..lines.len() / 2].join("\n");
            let (_, is_done) = of_recording(agent, half.as_bytes(), &[]).unwrap();
            assert!(!is_done, "{agent}");
        }
    }
}

#[test]
fn session_files_that_are_cut_anywhere_do_no_harm() {
    for kind in AGENTS {
        let agent = kind.provider;
        for (stream, files) in recordings(agent) {
            for (name, text) in &files {
                // Every 37th byte reaches every kind of record in some line.
                for end in (0..text.len())
                    .step_by(37)
                    .filter(|end| text.is_char_boundary(*end))
                {
                    let cut = [(name.clone(), text[..end].to_owned())];
                    let (_, is_done) = of_recording(agent, stream.as_bytes(), &cut).unwrap();
                    let (_, expected) = of_recording(agent, stream.as_bytes(), &[]).unwrap();
                    assert_eq!(is_done, expected, "{agent} {name} {end}");
                }
            }
        }
    }
}

#[test]
fn a_line_of_a_session_file_that_is_cut_anywhere_does_no_harm() {
    for kind in AGENTS {
        let agent = kind.provider;
        for (_, files) in recordings(agent) {
            for (name, text) in &files {
                for line in text.lines() {
                    for end in (0..line.len()).filter(|end| line.is_char_boundary(*end)) {
                        let cut = [(name.clone(), line[..end].to_owned())];
                        let (_, is_done) = of_recording(agent, b"", &cut).unwrap();
                        assert!(!is_done, "{agent} {name} {end}");
                    }
                }
            }
        }
    }
}
