//! What a server does with all requests.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::Conduct;

/// What a server answers, how fast, and to how many; unless told otherwise it repeats the last user
/// message at once, and obeys the [`WORDS`](crate::model::WORDS) in it.
#[derive(Debug, Clone)]
pub struct Behaviour {
    pub(crate) answer: Answer,
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
    /// Repeats the last user message.
    pub fn echo() -> Behaviour {
        Behaviour::default()
    }

    /// Always says the same.
    pub fn answering(text: impl Into<String>) -> Behaviour {
        Behaviour::default().answer(Answer::Fixed(text.into()))
    }

    /// What is said.
    pub fn answer(self, answer: Answer) -> Behaviour {
        Behaviour { answer, ..self }
    }

    /// How long every answer takes.
    pub fn latency(self, latency: Duration) -> Behaviour {
        Behaviour { latency, ..self }
    }

    /// By how much an answer may take longer; by how much each does is the same in every server.
    pub fn jitter(self, jitter: Duration) -> Behaviour {
        Behaviour { jitter, ..self }
    }

    /// What is done with the first requests, one conduct each, before all other rules.
    pub fn script(self, script: impl IntoIterator<Item = Conduct>) -> Behaviour {
        let script = script.into_iter().collect();
        Behaviour { script, ..self }
    }

    /// What is done with a request that no other rule speaks of.
    pub fn always(self, conduct: impl Into<Conduct>) -> Behaviour {
        let always = conduct.into();
        Behaviour { always, ..self }
    }

    /// What is done with the first `calls` calls of each case. A case is known by its last user
    /// message.
    pub fn fail_first(self, calls: u64, conduct: impl Into<Conduct>) -> Behaviour {
        let fail_first = Some((calls, conduct.into()));
        Behaviour { fail_first, ..self }
    }

    /// Answers 429 to a request that is more than this many in flight.
    pub fn at_most(self, in_flight: usize) -> Behaviour {
        let at_most = Some(in_flight);
        Behaviour { at_most, ..self }
    }

    /// Answers so many calls, and the later ones once the server is
    /// [released](crate::model::ModelServer::release).
    pub fn hold_after(self, calls: u64) -> Behaviour {
        let hold_after = Some(calls);
        Behaviour { hold_after, ..self }
    }

    /// Takes the words in messages for text.
    pub fn without_words(self) -> Behaviour {
        let words = false;
        Behaviour { words, ..self }
    }

    /// How many of the last requests are kept whole.
    pub fn keep(self, requests: usize) -> Behaviour {
        let keep = requests;
        Behaviour { keep, ..self }
    }

    /// The tokens that every answer reports; otherwise a token is four bytes.
    pub fn usage(self, usage: Usage) -> Behaviour {
        let usage = Some(usage);
        Behaviour { usage, ..self }
    }

    /// How the connection is protected.
    pub fn tls(self, tls: Tls) -> Behaviour {
        Behaviour { tls, ..self }
    }

    /// A file that gets one line a request, in one write, as soon as the request is there:
    /// `{"time": seconds, "path": …, "message": the last user message}`.
    pub fn log(self, file: impl Into<PathBuf>) -> Behaviour {
        let log = Some(file.into());
        Behaviour { log, ..self }
    }

    /// The port; 0 takes a free one.
    pub fn port(self, port: u16) -> Behaviour {
        Behaviour { port, ..self }
    }

    /// How many threads serve. Each has the connections that it accepted.
    pub fn threads(self, threads: usize) -> Behaviour {
        Behaviour { threads, ..self }
    }
}

/// What is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The last user message.
    Echo,
    /// Always this.
    Fixed(String),
    /// What stands beside the first of these texts that the last user message contains.
    ByMessage {
        /// The texts to look for, and what is said then.
        answers: Vec<(String, String)>,
        /// What is said if none is there.
        otherwise: String,
    },
}

impl Answer {
    /// What is said to `message`.
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
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Those of `input` that came from a cache.
    pub cached: u64,
}

impl Usage {
    /// A token for every four bytes.
    pub(crate) fn of(message: &str, answer: &str) -> Usage {
        Usage {
            input: message.len().div_ceil(4) as u64,
            output: answer.len().div_ceil(4) as u64,
            cached: 0,
        }
    }
}

/// How the connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// Not at all.
    None,
    /// With a certificate for `localhost` and `127.0.0.1` that nobody has reason to trust.
    SelfSigned,
    /// The address says `https`, and the server answers in plain text.
    Refused,
}
