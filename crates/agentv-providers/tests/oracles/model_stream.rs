//! Any bytes as the stream of a model, in every protocol, without a connection.

use agentv_providers::fuzzing::streamed;

/// Checks the stream in `bytes`, whose first letter is the protocol: however it is cut into chunks, it gives
/// the same answer or the same error.
pub fn model_stream(bytes: &[u8]) {
    let Some((protocol, stream)) = bytes.split_first() else {
        return;
    };
    let Some(whole) = streamed(*protocol, &[stream]) else {
        return;
    };
    let letters: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(streamed(*protocol, &letters), Some(whole.clone()));
    let (before, after) = stream.split_at(stream.len() / 3);
    assert_eq!(streamed(*protocol, &[before, after]), Some(whole));
}
