//! The result of an agent's run: an answer, or an error that keeps what there is.

use std::time::Duration;

use agentv_core::{Artifact, Cause, ProviderError, Secrets, Transcript};
use agentv_process::{Captured, Ending, Status};

use super::draft::{Draft, DraftEnd, MAX_TURNS};
use super::listen::Silence;
use super::proxy::{Limit, Trouble};
use crate::excerpt::excerpt;

/// The end of an agent's run.
pub(crate) struct Conclusion<'a> {
    /// The name of the agent, for messages.
    pub(crate) name: &'static str,
    pub(crate) draft: Draft,
    pub(crate) raw: Vec<u8>,
    pub(crate) silence: Silence,
    pub(crate) ending: Ending,
    pub(crate) stderr: &'a Captured,
    pub(crate) took: Duration,
    /// The time that the trial had.
    pub(crate) timeout: Duration,
    pub(crate) idle: Duration,
    /// The limit that the proxy enforced.
    pub(crate) limit: Option<Limit>,
    /// The failure of the last call of the model, if the proxy saw it fail.
    pub(crate) trouble: Option<Trouble>,
    /// True if the exit code says that the agent reached its limit of turns.
    pub(crate) exit_says_limited: bool,
    pub(crate) secrets: &'a Secrets,
    /// The address of the proxy, and the one of the API that it stands for.
    pub(crate) addresses: Option<(&'a str, &'a str)>,
}

impl Conclusion<'_> {
    /// Returns the transcript if the agent finished its work, or was stopped by its limit of turns.
    ///
    /// # Errors
    /// If it did not: the error keeps the transcript.
    pub(crate) fn draw(self) -> Result<Transcript, ProviderError> {
        // The caller cancels at the timeout too, by its own clock.
        if self.ending == Ending::Cancelled && self.took + CLOCKS_DIFFER < self.timeout {
            return Err(ProviderError::cancelled());
        }
        let problem = self.problem();
        let exit_after_end = self.exit_after_end();
        let is_limited = self.is_limited();
        let mut draft = self.draft;
        if is_limited {
            draft.finish_reason(MAX_TURNS);
        }
        let mut transcript = draft.into_transcript();
        transcript.artifacts = vec![Artifact::new("stream.jsonl", &self.raw)];
        transcript.warnings.extend(exit_after_end);
        match problem {
            None => Ok(transcript),
            Some((cause, message)) => {
                Err(ProviderError::new(cause, message).with_partial(transcript))
            }
        }
    }

    /// Returns true if the agent stopped because it reached its limit of turns.
    fn is_limited(&self) -> bool {
        let is_own = self.draft.reached_max_turns() || self.exit_says_limited;
        is_own || self.limit == Some(Limit::Turns)
    }

    /// Returns the reason for which the run is not an answer.
    fn problem(&self) -> Option<(Cause, String)> {
        let name = self.name;
        if matches!(self.ending, Ending::DeadlinePassed | Ending::Cancelled) {
            let seconds = self.timeout.as_secs_f64();
            return Some((
                Cause::Timeout,
                format!(
                    "{name} did not finish within {seconds} s; to wait longer, set \
                     `timeout_seconds` of the target or `--timeout`"
                ),
            ));
        }
        if self.is_limited() {
            return None;
        }
        if self.limit == Some(Limit::Budget) {
            return Some((
                Cause::Setup,
                format!("{name} was stopped: the budget of the run is used up"),
            ));
        }
        if self.silence == Silence::Idle {
            let seconds = self.idle.as_secs_f64();
            return Some((
                Cause::Timeout,
                format!(
                    "{name} gave no sign of life for {seconds} s and was stopped; to wait longer, \
                     set `idle_seconds` of the target"
                ),
            ));
        }
        match self.draft.stated_end() {
            Some(DraftEnd::Failed(message)) => Some(self.reported(message)),
            Some(DraftEnd::Done) if self.draft.every_call_was_denied() => Some((
                Cause::Answer,
                format!(
                    "{name} was refused every tool; check `permissions` and `tools` of the target"
                ),
            )),
            Some(DraftEnd::Done) => None,
            None => Some(self.no_end()),
        }
    }

    /// Returns the error that the agent reports.
    fn reported(&self, message: &str) -> (Cause, String) {
        let message = self.with_address(&self.secrets.redact(message));
        let in_words = || status_in(&message).map_or(Cause::Answer, Cause::Status);
        let cause = self.trouble.map_or_else(in_words, cause_of);
        let advice = match cause {
            Cause::Status(401 | 403) => "; check `api_key` of the target",
            _ => "",
        };
        let words = excerpt(&message);
        (
            cause,
            format!("{} reports an error: {words}{advice}", self.name),
        )
    }

    /// Returns a text with the address of the API in place of that of the proxy, which nobody knows.
    fn with_address(&self, text: &str) -> String {
        let Some((proxy, api)) = self.addresses else {
            return text.to_owned();
        };
        let without_scheme = |address: &'_ str| match address.split_once("://") {
            Some((_, rest)) => rest.to_owned(),
            None => address.to_owned(),
        };
        let text = text.replace(proxy, api.trim_end_matches('/'));
        text.replace(&without_scheme(proxy), &without_scheme(api))
    }

    /// Returns the error of a stream without its final event.
    fn no_end(&self) -> (Cause, String) {
        let how = match self.ending {
            Ending::Exited(status) => status.to_string(),
            Ending::Stopped | Ending::DeadlinePassed | Ending::Cancelled => "it was stopped".into(),
        };
        let stderr = self.stderr.text();
        let said = match stderr.trim() {
            "" => self.said_beside_events(),
            stderr => stderr.to_owned(),
        };
        let said = self.with_address(&self.secrets.redact(&said));
        let cut = said.ceil_char_boundary(said.len().saturating_sub(LONGEST_STDERR));
        let words = match &said[cut..] {
            "" => "; it wrote nothing to stderr".to_owned(),
            end => format!(": {}", excerpt(end)),
        };
        let cause = self.trouble.map_or(Cause::Command, cause_of);
        let message = format!("{} ended without its final event ({how}){words}", self.name);
        (cause, message)
    }

    /// Returns the lines of the stream that are not events, such as complaints about an option.
    fn said_beside_events(&self) -> String {
        let stream = String::from_utf8_lossy(&self.raw);
        let lines = stream.lines().map(str::trim_end);
        let words: Vec<&str> = lines.filter(|line| !line.starts_with('{')).collect();
        words.join("\n").trim().to_owned()
    }

    /// Returns a warning about an agent that finished its work and then failed.
    fn exit_after_end(&self) -> Option<String> {
        match self.ending {
            Ending::Exited(status @ (Status::Exited(1..) | Status::Signalled(_)))
                if self.draft.stated_end() == Some(&DraftEnd::Done) && !self.is_limited() =>
            {
                Some(format!(
                    "{} finished its work and then ended with {status}",
                    self.name
                ))
            }
            _ => None,
        }
    }
}

fn cause_of(trouble: Trouble) -> Cause {
    match trouble {
        Trouble::Status(status) => Cause::Status(status),
        Trouble::Unreachable => Cause::Network,
    }
}

/// The most by which two clocks that start together may differ.
const CLOCKS_DIFFER: Duration = Duration::from_millis(50);
/// The most bytes of stderr that an error repeats.
const LONGEST_STDERR: usize = 1_000;

/// Returns the HTTP status in the words of an agent, such as `API Error: 401 {…}`.
fn status_in(message: &str) -> Option<u16> {
    let words = message.split(|character: char| !character.is_ascii_alphanumeric());
    let mut codes = words
        .filter(|word| word.len() == 3)
        .filter_map(|word| word.parse().ok());
    codes.find(|code| matches!(code, 400..=404 | 408 | 429 | 500..=504 | 529))
}
