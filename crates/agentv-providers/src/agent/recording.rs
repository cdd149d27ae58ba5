//! The transcript of a recorded stream, without a process.

use agentv_core::{ActivityChannel, Transcript};

use super::draft::{Draft, DraftEnd};
use super::listen::Listener;
use crate::kinds::AGENTS;

/// Reads what an agent printed, and the session files that it left, by their paths below its home. Returns
/// the transcript and true if the agent said that it finished; `None` if no agent has this name.
pub fn of_recording(
    provider: &str,
    stream: &[u8],
    files: &[(String, String)],
) -> Option<(Transcript, bool)> {
    let kind = AGENTS.iter().find(|kind| kind.provider == provider)?;
    let activity = ActivityChannel::default();
    let mut listener = Listener::new(Draft::new(kind), (kind.reader)(), &activity);
    for line in stream.split(|byte| *byte == b'\n') {
        listener.line(line);
    }
    let Listener {
        mut draft,
        mut reader,
        ..
    } = listener;
    for (name, text) in files {
        reader.session_file(name, text, &mut draft);
    }
    reader.end(&mut draft);
    let is_done = draft.stated_end() == Some(&DraftEnd::Done);
    Some((draft.into_transcript(), is_done))
}
