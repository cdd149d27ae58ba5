//! The identities of the cases in a run, to detect which of them changed.

use std::collections::HashMap;
use std::path::Path;

use agentv_core::{CaseIdentity, Digest};
use agentv_journal::{FileError, Line, Reader};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The part of a transcript's record that identifies its case.
#[derive(Deserialize)]
struct AskedCase {
    answer_key: String,
    #[serde(default)]
    identity: Option<CaseIdentity>,
    case: Box<RawValue>,
}

/// Reads the identities of the cases in a file of transcripts. Keys and values are digests of the
/// answer key and of the case.
pub(super) fn read(path: &Path) -> Result<HashMap<u64, u64>, FileError> {
    let mut identities = HashMap::new();
    for line in Reader::<AskedCase>::open(path)? {
        if let Line::Record(record) = line? {
            let AskedCase {
                answer_key,
                identity,
                case,
            } = record.value;
            // A case that cannot be read says nothing about changes.
            if let Ok(identity) = CaseIdentity::recorded(identity, &case) {
                identities.insert(digest_of(&answer_key), identity.short());
            }
        }
    }
    Ok(identities)
}

/// Returns a number for a text, the same on every machine.
pub(super) fn digest_of(text: &str) -> u64 {
    Digest::of(text.as_bytes()).short()
}
