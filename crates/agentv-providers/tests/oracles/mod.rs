//! What must hold of any bytes that a targets file, a server or a command gives: the fuzz targets,
//! and the test of their seeds.

mod cli_output;
mod provider_response;
mod targets_file;

use agentv_core::{EvalCase, Timing, Transcript, TranscriptRecord};
use serde_json::json;

pub use cli_output::Commands;
pub use provider_response::Exchange;
pub use targets_file::Project;

/// A key that is nowhere to be seen.
const KEY: &str = "sk-planted-0123456789";

/// The most characters that the sentence of an error may have, beside what the user wrote.
const LONGEST_SENTENCE: usize = 2_000;

/// A transcript comes back from the record that a run makes of it: else its answer would be lost.
fn comes_back(transcript: &Transcript) {
    let case =
        json!({"id": "a", "dataset": "d", "input_messages": [{"role": "user", "content": "?"}]});
    let case: EvalCase = serde_json::from_value(case).expect("a case");
    let record = TranscriptRecord {
        timestamp: "2026-11-15T10:43:07Z".to_owned(),
        eval_file: "evals/a.yaml".into(),
        eval_id: "a".to_owned(),
        target: "t".into(),
        trial: 1,
        answer_key: "k".to_owned(),
        identity: None,
        case: case.into(),
        transcript: transcript.clone(),
        timing: Timing::default(),
        attempts: 1,
        cached: false,
        dry_run: false,
    };
    let text = serde_json::to_string(&record).expect("a record is JSON");
    let back: TranscriptRecord = serde_json::from_str(&text).expect("a record is read back");
    assert_eq!(&back.transcript, transcript);
    for amount in [transcript.cost_usd, transcript.duration_ms] {
        assert!(amount.is_none_or(|amount| amount >= 0.0), "{amount:?}");
    }
}

/// The sentence of an error is short, whatever it speaks of.
fn is_a_sentence(message: &str) {
    assert!(!message.trim().is_empty());
    let length = message.chars().count();
    assert!(length <= LONGEST_SENTENCE, "{length}: {message:.300}");
}
