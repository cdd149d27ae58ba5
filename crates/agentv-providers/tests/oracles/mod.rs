//! Rules for any bytes from a targets file, a server or a command, for the fuzz targets and for the test
//! of their seeds.

mod agent_stream;
mod cli_output;
mod model_stream;
mod provider_response;
mod targets_file;

use agentv_core::{EvalCase, Timing, Transcript, TranscriptRecord};
use serde_json::json;

pub use agent_stream::agent_stream;
pub use cli_output::Commands;
pub use model_stream::model_stream;
pub use provider_response::Exchange;
pub use targets_file::Project;

/// A key that must never be shown.
const KEY: &str = "sk-planted-0123456789";

/// The most characters of an error message, beside what the user wrote.
const LONGEST_SENTENCE: usize = 2_000;

/// Checks that a transcript can be read back from its record, since the answer would be lost otherwise.
fn comes_back(transcript: &Transcript) {
    let case =
        json!({"id": "a", "dataset": "d", "input_messages": [{"role": "user", "content": "?"}]});
    let case: EvalCase = serde_json::from_value(case).expect("a case");
    let record = TranscriptRecord {
        timestamp: "2026-11-15T10:43:07Z".to_owned(),
        eval_file: "evals/a.yaml".into(),
        position: None,
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
        redacted: false,
        dry_run: false,
        error: None,
        unfinished: false,
        outdated: false,
        of_other_run: false,
    };
    let text = serde_json::to_string(&record).expect("a record is JSON");
    let back: TranscriptRecord = serde_json::from_str(&text).expect("a record is read back");
    assert_eq!(&back.transcript, transcript);
    for amount in [transcript.cost_usd, transcript.duration_ms] {
        assert!(amount.is_none_or(|amount| amount >= 0.0), "{amount:?}");
    }
}

/// Checks that an error message is short.
fn is_a_sentence(message: &str) {
    assert!(!message.trim().is_empty());
    let length = message.chars().count();
    assert!(length <= LONGEST_SENTENCE, "{length}: {message:.300}");
}
