//! The observations of a server about its clients.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::model::http::Request;

/// The largest number of arrival times that are kept.
const MOST_ARRIVALS: usize = 1 << 18;
/// The largest number of bytes that are kept of a body.
const LONGEST_BODY: usize = 64 << 10;

/// The number of calls of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// All requests that were read completely.
    pub total: u64,
    /// The requests that are not answered yet.
    pub in_flight: usize,
    /// The highest number of requests in flight at a time.
    pub most_in_flight: usize,
    /// The number of cases: distinct last user messages.
    pub cases: usize,
    /// The number of connections that clients opened.
    pub connections: u64,
}

/// A request as the server read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// `POST`, …
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, at most its first 64 KiB.
    pub body: String,
    /// The last user message.
    pub message: String,
    /// The time of its arrival, since the start of the server.
    pub at: Duration,
}

impl Received {
    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The observations that all connections of a server share.
#[derive(Debug)]
pub(crate) struct Observed {
    keep: usize,
    started: Instant,
    seen: Mutex<Seen>,
    called: Condvar,
}

#[derive(Debug, Default)]
struct Seen {
    calls: Calls,
    /// By digest: the messages of a million cases would need too much memory.
    cases: HashMap<u64, u64>,
    arrivals: Vec<Duration>,
    requests: VecDeque<Received>,
}

/// The facts about a call at its arrival.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The number of the call, from 1.
    pub(crate) number: u64,
    /// Its number among the calls of its case, from 1.
    pub(crate) of_case: u64,
    /// The number of calls in flight, including this one.
    pub(crate) in_flight: usize,
}

impl Observed {
    pub(crate) fn new(keep: usize) -> Observed {
        Observed {
            keep,
            started: Instant::now(),
            seen: Mutex::default(),
            called: Condvar::new(),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // No thread panics halfway through a change.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn connected(&self) {
        self.seen().calls.connections += 1;
    }

    /// Registers a request, which is in flight until the second value is dropped.
    pub(crate) fn arrived(&self, request: &Request<'_>, message: &str) -> (Arrival, InFlight<'_>) {
        let at = self.started.elapsed();
        let received = (self.keep > 0).then(|| received(request, message, at));
        let mut seen = self.seen();
        seen.calls.total += 1;
        seen.calls.in_flight += 1;
        seen.calls.most_in_flight = seen.calls.most_in_flight.max(seen.calls.in_flight);
        let of_case = seen.cases.entry(digest(message)).or_default();
        *of_case += 1;
        let of_case = *of_case;
        if seen.arrivals.len() < MOST_ARRIVALS {
            seen.arrivals.push(at);
        }
        if let Some(received) = received {
            if seen.requests.len() == self.keep {
                seen.requests.pop_front();
            }
            seen.requests.push_back(received);
        }
        let arrival = Arrival {
            number: seen.calls.total,
            of_case,
            in_flight: seen.calls.in_flight,
        };
        drop(seen);
        self.called.notify_all();
        (arrival, InFlight(self))
    }

    pub(crate) fn calls(&self) -> Calls {
        let seen = self.seen();
        Calls {
            cases: seen.cases.len(),
            ..seen.calls
        }
    }

    pub(crate) fn calls_of(&self, message: &str) -> u64 {
        let seen = self.seen();
        seen.cases.get(&digest(message)).copied().unwrap_or(0)
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.seen().requests.iter().cloned().collect()
    }

    pub(crate) fn arrivals(&self) -> Vec<Duration> {
        self.seen().arrivals.clone()
    }

    pub(crate) fn wait_for_calls(&self, total: u64, longest: Duration) -> bool {
        let fewer = |seen: &mut Seen| seen.calls.total < total;
        let waited = self.called.wait_timeout_while(self.seen(), longest, fewer);
        let (seen, _) = waited.unwrap_or_else(PoisonError::into_inner);
        seen.calls.total >= total
    }
}

/// A call in flight.
#[derive(Debug)]
pub(crate) struct InFlight<'a>(&'a Observed);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.seen().calls.in_flight -= 1;
    }
}

fn digest(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.hash(&mut hasher);
    hasher.finish()
}

fn received(request: &Request<'_>, message: &str, at: Duration) -> Received {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers = request.headers.iter();
    Received {
        method: request.method.to_owned(),
        path: request.target.to_owned(),
        headers: headers
            .map(|header| (header.name.to_ascii_lowercase(), text(header.value)))
            .collect(),
        body: text(&request.body[..request.body.len().min(LONGEST_BODY)]),
        message: message.to_owned(),
        at,
    }
}
