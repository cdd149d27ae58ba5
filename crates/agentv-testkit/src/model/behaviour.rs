//! The behaviour of a server for all requests.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::{Conduct, Play};

/// The answers of a server, their speed and their limits. By default it repeats the last user
/// message immediately, and obeys the [`WORDS`](crate::model::WORDS) in it.
#[derive(Debug, Clone)]
pub struct Behaviour {
    pub(crate) answer: Answer,
    pub(crate) play: Option<Play>,
    pub(crate) latency: Duration,
    pub(crate) jitter: Duration,
    pub(crate) script: Vec<Conduct>,
    pub(crate) always: Conduct,
    pub(crate) fail_first: Option<(u64, Conduct)>,
    pub(crate) at_most: Option<usize>,
    pub(crate) hold_after: Option<u64>,
    pub(crate) words: bool,
    pub(crate) keep: usize,
    pub(crate) usage: Option<Usage>,
    pub(crate) tls: Tls,
    pub(crate) log: Option<PathBuf>,
    pub(crate) port: u16,
    pub(crate) threads: usize,
}

impl Default for Behaviour {
    fn default() -> Behaviour {
        Behaviour {
            answer: Answer::Echo,
            play: None,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            script: Vec::new(),
            always: Conduct::default(),
            fail_first: None,
            at_most: None,
            hold_after: None,
            words: true,
            keep: 1_000,
            usage: None,
            tls: Tls::None,
            log: None,
            port: 0,
            threads: 1,
        }
    }
}

impl Behaviour {
    /// Returns a behaviour that repeats the last user message.
    pub fn echo() -> Behaviour {
        Behaviour::default()
    }

    /// Returns a behaviour that always gives the same answer.
    pub fn answering(text: impl Into<String>) -> Behaviour {
        Behaviour::default().answer(Answer::Fixed(text.into()))
    }

    /// Sets the answer.
    pub fn answer(self, answer: Answer) -> Behaviour {
        Behaviour { answer, ..self }
    }

    /// Sets a play: the server calls tools step by step instead of answering.
    pub fn play(self, play: Play) -> Behaviour {
        let play = Some(play);
        Behaviour { play, ..self }
    }

    /// Sets the latency of every answer.
    pub fn latency(self, latency: Duration) -> Behaviour {
        Behaviour { latency, ..self }
    }

    /// Sets the largest random addition to the latency, which is the same sequence in every server.
    pub fn jitter(self, jitter: Duration) -> Behaviour {
        Behaviour { jitter, ..self }
    }

    /// Sets the conduct for the first requests, one each, before all other rules.
    pub fn script(self, script: impl IntoIterator<Item = Conduct>) -> Behaviour {
        let script = script.into_iter().collect();
        Behaviour { script, ..self }
    }

    /// Sets the conduct for requests that no other rule covers.
    pub fn always(self, conduct: impl Into<Conduct>) -> Behaviour {
        let always = conduct.into();
        Behaviour { always, ..self }
    }

    /// Sets the conduct for the first `calls` calls of each case. The last user message identifies
    /// a case.
    pub fn fail_first(self, calls: u64, conduct: impl Into<Conduct>) -> Behaviour {
        let fail_first = Some((calls, conduct.into()));
        Behaviour { fail_first, ..self }
    }

    /// Answers 429 if more than this many requests are in flight.
    pub fn at_most(self, in_flight: usize) -> Behaviour {
        let at_most = Some(in_flight);
        Behaviour { at_most, ..self }
    }

    /// Answers this many calls, and the later ones after the server is
    /// [released](crate::model::ModelServer::release).
    pub fn hold_after(self, calls: u64) -> Behaviour {
        let hold_after = Some(calls);
        Behaviour { hold_after, ..self }
    }

    /// Treats the words in messages as text.
    pub fn without_words(self) -> Behaviour {
        let words = false;
        Behaviour { words, ..self }
    }

    /// Sets the number of recent requests that are kept.
    pub fn keep(self, requests: usize) -> Behaviour {
        let keep = requests;
        Behaviour { keep, ..self }
    }

    /// Sets the tokens that every answer reports (default: one token per four bytes).
    pub fn usage(self, usage: Usage) -> Behaviour {
        let usage = Some(usage);
        Behaviour { usage, ..self }
    }

    /// Sets the protection of the connection.
    pub fn tls(self, tls: Tls) -> Behaviour {
        Behaviour { tls, ..self }
    }

    /// Sets a file that gets one line per request, in one write, as soon as the request arrives:
    /// `{"time": seconds, "path": …, "message": the last user message}`.
    pub fn log(self, file: impl Into<PathBuf>) -> Behaviour {
        let log = Some(file.into());
        Behaviour { log, ..self }
    }

    /// Sets the port; 0 chooses a free one.
    pub fn port(self, port: u16) -> Behaviour {
        Behaviour { port, ..self }
    }

    /// Sets the number of threads. Each serves the connections that it accepted.
    pub fn threads(self, threads: usize) -> Behaviour {
        Behaviour { threads, ..self }
    }
}

/// The text of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The last user message.
    Echo,
    /// A fixed text.
    Fixed(String),
    /// The answer for the first of these texts that the last user message contains.
    ByMessage {
        /// The texts to look for, with their answers.
        answers: Vec<(String, String)>,
        /// The answer if none is found.
        otherwise: String,
    },
}

impl Answer {
    /// Returns the answer to `message`.
    pub(crate) fn to<'a>(&'a self, message: &'a str) -> &'a str {
        match self {
            Answer::Echo => message,
            Answer::Fixed(text) => text,
            Answer::ByMessage { answers, otherwise } => {
                let mut answers = answers.iter();
                let found = answers.find(|(text, _)| message.contains(text.as_str()));
                found.map_or(otherwise, |(_, answer)| answer)
            }
        }
    }
}

/// The tokens that an answer reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read, including cached ones.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// The part of `input` that came from a cache.
    pub cached: u64,
}

impl Usage {
    /// Counts one token per four bytes.
    pub(crate) fn of(message: &str, answer: &str) -> Usage {
        Usage {
            input: message.len().div_ceil(4) as u64,
            output: answer.len().div_ceil(4) as u64,
            cached: 0,
        }
    }
}

/// The protection of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// No protection.
    None,
    /// A self-signed certificate for `localhost` and `127.0.0.1`.
    SelfSigned,
    /// The address says `https`, but the server answers in plain text.
    Refused,
}
