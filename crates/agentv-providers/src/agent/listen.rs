//! Listening to a running agent, until its end or ours.

use std::time::{Duration, Instant};

use agentv_core::{ActivityChannel, Allowance};
use agentv_process::Dialogue;
use serde_json::Value;

use super::draft::Draft;
use super::kind::ReadEvents;
use super::proxy::Limit;
use crate::model::Price;

/// The time that an agent has to exit after its final event.
const AFTER_END: Duration = Duration::from_secs(5);
/// The most bytes that are kept of a stream.
const LONGEST_STREAM: usize = 32 << 20;

/// A listener to the stream of one agent.
pub(crate) struct Listener<'a> {
    pub(crate) draft: Draft,
    pub(crate) reader: Box<dyn ReadEvents>,
    /// The stream as it was printed.
    pub(crate) raw: Vec<u8>,
    activity: &'a ActivityChannel,
    started: Instant,
}

/// The reason for which listening ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The stream ended.
    Over,
    /// The final event came, and the agent did not exit.
    AfterEnd,
    /// No event came for the given time.
    Idle,
    /// The proxy refused a call, and the agent must not go on.
    Refused,
    /// The agent has exceeded a limit, by its own account.
    Exceeded(Limit),
}

/// The longest silence of an agent.
pub(crate) struct Quiet<'a> {
    /// The time without an event, and without traffic, after which the agent is ended.
    pub(crate) longest: Duration,
    /// Returns the time since the last bytes between the agent and its model, as far as they are seen.
    pub(crate) traffic: &'a (dyn Fn() -> Option<Duration> + Sync),
}

impl Quiet<'_> {
    /// Returns the rest of the silence, if the last event was `since` ago.
    fn rest(&self, since: Duration) -> Duration {
        let since = (self.traffic)().map_or(since, |traffic| traffic.min(since));
        self.longest.saturating_sub(since)
    }
}

/// The limits of an agent that has no proxy, which its stream is checked for.
pub(crate) struct StreamLimits<'a> {
    pub(crate) max_turns: Option<u64>,
    pub(crate) allowance: &'a Allowance,
    /// The price of the model.
    pub(crate) price: Option<Price>,
}

impl StreamLimits<'_> {
    /// Returns the limit that the agent has exceeded.
    fn exceeded(&self, draft: &Draft) -> Option<Limit> {
        if self.max_turns.is_some_and(|most| draft.turns() > most) {
            return Some(Limit::Turns);
        }
        let cost = draft.cost_so_far(self.price)?;
        (!self.allowance.allows_more_than(cost)).then_some(Limit::Budget)
    }
}

impl<'a> Listener<'a> {
    pub(crate) fn new(
        draft: Draft,
        reader: Box<dyn ReadEvents>,
        activity: &'a ActivityChannel,
    ) -> Listener<'a> {
        Listener {
            draft,
            reader,
            raw: Vec::new(),
            activity,
            started: Instant::now(),
        }
    }

    /// Reads events until the stream ends, or the agent has to be ended: a few seconds after its
    /// final event, after a long silence, when `refused` is ready, or when it exceeds `limits`.
    pub(crate) async fn listen(
        &mut self,
        mut dialogue: Dialogue,
        quiet: Quiet<'_>,
        refused: impl Future<Output = ()>,
        limits: Option<&StreamLimits<'_>>,
    ) -> Silence {
        let mut refused = std::pin::pin!(refused);
        let mut over = None;
        let mut heard = Instant::now();
        loop {
            let wait = match over {
                Some(over) => AFTER_END.saturating_sub(Instant::elapsed(&over)),
                None => quiet.rest(heard.elapsed()),
            };
            tokio::select! {
                biased;
                line = dialogue.stdout.next() => match line {
                    None => {
                        // The exit code says more than the end of the stream.
                        let _ = tokio::time::timeout(AFTER_END, dialogue.exited.cancelled()).await;
                        return Silence::Over;
                    }
                    Some(line) => self.line(line.bytes),
                },
                () = &mut refused => return Silence::Refused,
                () = tokio::time::sleep(wait) => {
                    if over.is_some() {
                        return Silence::AfterEnd;
                    }
                    if quiet.rest(heard.elapsed()).is_zero() {
                        return Silence::Idle;
                    }
                    continue;
                }
            }
            heard = Instant::now();
            let is_working = self.draft.stated_end().is_none();
            let limits = limits.filter(|_| is_working);
            if let Some(limit) = limits.and_then(|limits| limits.exceeded(&self.draft)) {
                return Silence::Exceeded(limit);
            }
            over = match self.draft.stated_end() {
                Some(_) => over.or_else(|| Some(Instant::now())),
                None => None,
            };
        }
    }

    /// Takes a line of the stream. One that is not JSON is kept, and says nothing.
    pub(crate) fn line(&mut self, line: &[u8]) {
        if self.raw.len() + line.len() < LONGEST_STREAM {
            self.raw.extend_from_slice(line);
            self.raw.push(b'\n');
        }
        self.draft.at(self.started.elapsed());
        if let Ok(event) = serde_json::from_slice::<Value>(line) {
            let is_over = self.draft.stated_end().is_some();
            if !is_over || self.reader.resumes(&event) {
                self.draft.resume();
                self.reader.event(&event, &mut self.draft);
            }
        }
        for news in self.draft.take_news() {
            match news.tool {
                Some(tool) => self.activity.tool(tool, news.detail),
                None => self.activity.text(news.detail),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_the_model_that_arrives_is_a_sign_of_life() {
        let seconds = Duration::from_secs;
        let rest = |event: u64, traffic: Option<u64>| {
            let traffic = || traffic.map(seconds);
            let quiet = Quiet {
                longest: seconds(10),
                traffic: &traffic,
            };
            quiet.rest(seconds(event))
        };
        assert_eq!(rest(4, None), seconds(6));
        assert_eq!(rest(30, None), seconds(0));
        assert_eq!(rest(30, Some(1)), seconds(9));
        assert_eq!(rest(2, Some(8)), seconds(8));
        assert_eq!(rest(30, Some(11)), seconds(0));
    }
}
