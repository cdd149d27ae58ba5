//! Serving one connection: read requests, decide, answer.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::Random;
use crate::model::content::{Content, Source};
use crate::model::delivery::{self, LOOP, Then};
use crate::model::http::{Incoming, Request, no_headers};
use crate::model::log::Log;
use crate::model::observed::{Arrival, Observed};
use crate::model::protocol::{ModelRequest, Protocol};
use crate::model::wire::Wire;
use crate::model::{Behaviour, Conduct, Step};

const STATS: &str = "/-/stats";

/// The state that all connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) behaviour: Behaviour,
    pub(crate) observed: Observed,
    pub(crate) log: Option<Log>,
    /// The rest of the script.
    pub(crate) script: Mutex<VecDeque<Conduct>>,
    /// True if calls that were held back are answered.
    pub(crate) released: watch::Sender<bool>,
}

impl Shared {
    /// Answers requests until the client disconnects or the connection must be closed.
    ///
    /// # Errors
    /// Fails if the connection breaks, or the client does not speak HTTP.
    pub(crate) async fn serve(&self, mut wire: impl Wire) -> io::Result<()> {
        self.observed.connected();
        let mut incoming = Incoming::default();
        while let Some(frame) = incoming.next(&mut wire).await? {
            let mut headers = no_headers();
            let request = incoming.request(frame, &mut headers)?;
            let then = self.answer(&mut wire, &request).await?;
            let asks_to_close = request.header("connection").is_some_and(is_close);
            if then == Then::Close || asks_to_close || !request.keep_alive {
                break;
            }
            incoming.done(frame);
        }
        Ok(())
    }

    async fn answer(&self, wire: &mut impl Wire, request: &Request<'_>) -> io::Result<Then> {
        match request.path() {
            STATS => {
                let content = Content::json(200, self.stats());
                return delivery::send(wire, &Conduct::default(), &content, 0).await;
            }
            LOOP => {
                let content = Content::json(307, "");
                return delivery::send(wire, &Step::Redirect.into(), &content, 0).await;
            }
            _ => {}
        }
        let protocol = Protocol::of(request);
        let asked = ModelRequest::of(protocol, request);
        let (arrival, _in_flight) = self.observed.arrived(request, &asked.message);
        if let Some(log) = &self.log {
            log.note(request.target, &asked.message)?;
        }
        let conduct = self.conduct(&asked.message, arrival);
        self.held(arrival.number).await;
        self.wait(arrival.number, conduct.delay).await;
        let source = Source {
            behaviour: &self.behaviour,
            protocol,
            request,
            asked: &asked,
            number: arrival.number,
        };
        let content = source.content(&conduct.step);
        delivery::send(wire, &conduct, &content, arrival.number).await
    }

    /// Returns the conduct for a request, by the first rule that covers it.
    fn conduct(&self, message: &str, arrival: Arrival) -> Conduct {
        let behaviour = &self.behaviour;
        if let Some(conduct) = self.next_of_script() {
            return conduct;
        }
        if behaviour.words
            && let Some(conduct) = Conduct::asked_in(message)
        {
            return conduct.unless_over(arrival.of_case);
        }
        if let Some((calls, conduct)) = &behaviour.fail_first
            && arrival.of_case <= *calls
        {
            return conduct.clone();
        }
        if behaviour
            .at_most
            .is_some_and(|most| arrival.in_flight > most)
        {
            return Step::Status(429).into();
        }
        behaviour.always.clone().unless_over(arrival.of_case)
    }

    fn next_of_script(&self) -> Option<Conduct> {
        if self.behaviour.script.is_empty() {
            return None;
        }
        let script = self.script.lock();
        script.unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Waits until the call with this number may be answered.
    async fn held(&self, number: u64) {
        if self
            .behaviour
            .hold_after
            .is_some_and(|calls| number > calls)
        {
            let mut released = self.released.subscribe();
            // The sender lives as long as the server.
            let _ = released.wait_for(|released| *released).await;
        }
    }

    async fn wait(&self, number: u64, delay: Duration) {
        let Behaviour {
            latency, jitter, ..
        } = self.behaviour;
        let most = u64::try_from(jitter.as_micros()).unwrap_or(u64::MAX);
        let more = match most {
            0 => 0,
            _ => Random::of_item(0, number).between(0, most),
        };
        let wait = latency + Duration::from_micros(more) + delay;
        if !wait.is_zero() {
            sleep(wait).await;
        }
    }

    fn stats(&self) -> String {
        let calls = self.observed.calls();
        let stats = json!({
            "total": calls.total,
            "in_flight": calls.in_flight,
            "most_in_flight": calls.most_in_flight,
            "cases": calls.cases,
            "connections": calls.connections,
        });
        stats.to_string()
    }
}

impl Conduct {
    /// Returns a proper answer if the conduct only applied to earlier calls of the case.
    fn unless_over(self, of_case: u64) -> Conduct {
        match self.first {
            Some(first) if of_case > first => Conduct::default(),
            _ => self,
        }
    }
}

fn is_close(connection: &str) -> bool {
    connection.eq_ignore_ascii_case("close")
}
