//! The content of a reply.

use crate::model::bodies::{self, Call, End, Form, Said};
use crate::model::http::Request;
use crate::model::play::{Next, Scene};
use crate::model::protocol::{ModelRequest, Protocol};
use crate::model::{Behaviour, Step, Usage};

/// The marker in a text for bytes that are not text.
const GAP: &str = "=GAP=";
const JSON: &str = "application/json";

/// The content of a reply.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Vec<u8>,
    /// The position in the body at which this many more bytes are inserted.
    pub(crate) gap: Option<(usize, u64)>,
}

impl Content {
    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Content {
        Content {
            status,
            kind: JSON,
            body: body.into(),
            gap: None,
        }
    }

    fn of_kind(kind: &'static str, body: impl Into<Vec<u8>>) -> Content {
        Content {
            kind,
            ..Content::json(200, body)
        }
    }

    /// Returns the length of the body, including the inserted bytes.
    pub(crate) fn length(&self) -> u64 {
        self.body.len() as u64 + self.gap.map_or(0, |(_, bytes)| bytes)
    }
}

/// The inputs of a reply.
pub(crate) struct Source<'a> {
    pub(crate) behaviour: &'a Behaviour,
    pub(crate) protocol: Protocol,
    pub(crate) request: &'a Request<'a>,
    pub(crate) asked: &'a ModelRequest,
    pub(crate) number: u64,
}

impl Source<'_> {
    /// Returns the content of `step`, independent of its delivery.
    pub(crate) fn content(&self, step: &Step) -> Content {
        match step {
            Step::Tool(name) => self.answer(Form::Calls(&[Call::fixed(name)])),
            Step::Length => self.answer(Form::Cut),
            Step::NoChoices => self.answer(Form::Nothing),
            Step::NoUsage => self.streamed_or_not(&self.said(Form::Text, self.text(), None)),
            Step::Status(status) => self.error(*status, &problem(*status)),
            Step::Quota => {
                let (status, body) = bodies::quota(self.protocol);
                Content::json(status, body)
            }
            Step::ErrorInSuccess => self.error_in_success(),
            Step::CutStream if self.asked.streamed => self.ending(End::Cut),
            Step::CutStream => self.cut(),
            Step::StreamError if self.asked.streamed => {
                let message = self.unreachable();
                self.ending(End::Error(&message))
            }
            Step::StreamError => self.error_in_success(),
            Step::EchoKey(200) => self.saying(&self.request.keys()),
            Step::EchoKey(status) => {
                self.error(*status, &self.with_keys("Incorrect API key provided:"))
            }
            Step::Redirect => Content::json(307, ""),
            Step::WrongType => Content {
                kind: "text/plain",
                ..self.answer(Form::Text)
            },
            Step::Huge(bytes) => self.with_gap(*bytes),
            Step::Empty => Content::json(200, ""),
            Step::NotJson => Content::json(200, "I am no JSON: {answer: 42"),
            Step::CutJson => self.cut(),
            Step::WrongShape => Content::json(200, "42"),
            Step::Deep => Content::json(200, ["[".repeat(100_000), "]".repeat(100_000)].concat()),
            Step::Html => Content::of_kind("text/html", PAGE),
            Step::BadUtf8 => self.not_utf8(),
            Step::Answer
            | Step::Close
            | Step::Http10
            | Step::Slow(_)
            | Step::Reset
            | Step::ResetEarly
            | Step::Truncate
            | Step::ChunkedCut
            | Step::Endless
            | Step::Hang
            | Step::HangBody
            | Step::Garbage => self.proper(),
        }
    }

    /// Returns the next step of the play, or the usual answer.
    fn proper(&self) -> Content {
        let Some(play) = &self.behaviour.play else {
            return self.answer(Form::Text);
        };
        let scene = Scene::of(self.protocol, self.request.body);
        match play.next(&scene) {
            Next::Text(text) => self.saying(text),
            Next::Calls(text, calls) => self.calling(text, &calls),
        }
    }

    fn text(&self) -> &str {
        self.behaviour.answer.to(&self.asked.message)
    }

    fn usage(&self, text: &str) -> Option<Usage> {
        let counted = Usage::of(&self.asked.message, text);
        Some(self.behaviour.usage.unwrap_or(counted))
    }

    fn said<'a>(&'a self, form: Form<'a>, text: &'a str, usage: Option<Usage>) -> Said<'a> {
        Said {
            number: self.number,
            model: &self.asked.model,
            text,
            form,
            usage,
        }
    }

    /// Returns the answer, as a stream of events if the client asked for one.
    fn answer(&self, form: Form<'_>) -> Content {
        let text = self.text();
        let said = match form {
            Form::Calls(_) => "",
            Form::Text | Form::Cut | Form::Nothing => text,
        };
        self.streamed_or_not(&self.said(form, said, self.usage(text)))
    }

    fn streamed_or_not(&self, said: &Said<'_>) -> Content {
        let stream = if self.asked.streamed {
            bodies::stream(self.protocol, said, End::Whole)
        } else {
            None
        };
        match stream {
            Some((kind, stream)) => Content::of_kind(kind, stream),
            None => Content::json(200, bodies::answer(self.protocol, said)),
        }
    }

    /// Returns a stream that ends before the answer does.
    fn ending(&self, end: End<'_>) -> Content {
        let text = self.text();
        let said = self.said(Form::Text, text, self.usage(text));
        match bodies::stream(self.protocol, &said, end) {
            Some((kind, stream)) => Content::of_kind(kind, stream),
            None => self.cut(),
        }
    }

    /// Returns calls of tools, after a text if it is not empty.
    fn calling(&self, text: &str, calls: &[Call]) -> Content {
        let said = self.said(Form::Calls(calls), text, self.usage(text));
        self.streamed_or_not(&said)
    }

    fn saying(&self, text: &str) -> Content {
        self.streamed_or_not(&self.said(Form::Text, text, self.usage(text)))
    }

    fn error_in_success(&self) -> Content {
        Content {
            status: 200,
            ..self.error(500, &self.unreachable())
        }
    }

    fn unreachable(&self) -> String {
        self.with_keys("the model could not be reached with")
    }

    fn with_keys(&self, words: &str) -> String {
        format!("{words} {}", self.request.keys())
    }

    fn error(&self, status: u16, message: &str) -> Content {
        // These steps have no body.
        if matches!(status, 204 | 304) {
            return Content::json(status, "");
        }
        Content::json(status, bodies::error(self.protocol, status, message))
    }

    fn cut(&self) -> Content {
        let mut content = self.answer(Form::Text);
        content.body.truncate(content.body.len() / 2);
        content
    }

    fn with_gap(&self, bytes: u64) -> Content {
        let said = self.said(Form::Text, GAP, self.usage(GAP));
        let whole = || Content::json(200, bodies::answer(self.protocol, &said));
        let content = match self.protocol {
            // A frame states its length.
            Protocol::Converse => whole(),
            _ => self.streamed_or_not(&said),
        };
        let body = String::from_utf8(content.body).unwrap_or_default();
        // Some streams say a text twice: only the last time counts.
        let (before, after) = body.rsplit_once(GAP).unwrap_or(("", &body));
        let before = before.replace(GAP, "");
        Content {
            gap: Some((before.len(), bytes)),
            body: [before.as_str(), after].concat().into_bytes(),
            ..content
        }
    }

    fn not_utf8(&self) -> Content {
        let content = self.with_gap(0);
        let (before, after) = content.body.split_at(content.gap.map_or(0, |(at, _)| at));
        Content {
            body: [before, b"caf\xe9 \xff\xfe", after].concat(),
            gap: None,
            ..content
        }
    }
}

fn problem(status: u16) -> String {
    match status {
        401 => "Incorrect API key provided.".to_owned(),
        403 => "You have no access to this model.".to_owned(),
        404 => "The model does not exist.".to_owned(),
        429 => "Too many requests.".to_owned(),
        529 => "Overloaded.".to_owned(),
        other => format!("The server was told to answer with {other}."),
    }
}

const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\
    <body><h1>Please sign in to this network</h1></body></html>\n";
