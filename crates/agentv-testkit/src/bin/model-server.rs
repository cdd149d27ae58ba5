//! Serves the protocols of the model vendors on 127.0.0.1, and misbehaves when it is told to.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agentv_testkit::model::{self, Answer, Behaviour, Conduct, ModelServer, Tls, UnknownWord};
use clap::{Parser, ValueEnum};
use serde_json::{Map, Value};

/// Serve OpenAI's, Anthropic's and Gemini's protocols, and plain JSON, until killed.
///
/// The first line on stdout says where: `listening on http://127.0.0.1:PORT`. Words in the last user
/// message, such as `!status=429! !retry-after=2!` or `!reset!`, tell what to do with that request.
/// `GET /-/stats` tells how often it was called.
#[derive(Parser)]
struct Arguments {
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// How long every answer takes.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    latency_ms: u64,
    /// By how much an answer may take longer.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    jitter_ms: u64,
    /// What is said; the last user message, unless given.
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    /// A JSON object of answers by a text that the last user message contains, before `--answer`.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Add one JSON line a request to this file: time, path, last user message.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// What to do with the first requests: `status=429 retry-after=1, reset, ok`.
    #[arg(long, value_name = "STEPS", value_parser = script)]
    script: Option<Script>,
    /// What to do with all requests that say nothing of it themselves: `status=503`.
    #[arg(long, value_name = "WORDS", default_value = "ok")]
    behaviour: Conduct,
    /// Do what `--behaviour` says with the first N calls of each case only, then answer.
    #[arg(long, value_name = "N")]
    fail_first: Option<u64>,
    /// Answer 429 when more requests than this are in flight.
    #[arg(long, value_name = "N")]
    at_most: Option<usize>,
    /// Take the words in messages for text.
    #[arg(long)]
    no_words: bool,
    /// How the connection is protected.
    #[arg(long, value_enum, default_value_t = TlsName::None)]
    tls: TlsName,
    /// Where to write the certificate of `--tls self-signed`.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// How many threads serve.
    #[arg(long, value_name = "N", default_value_t = processors())]
    threads: usize,
}

#[derive(Clone)]
struct Script(Vec<Conduct>);

fn script(text: &str) -> Result<Script, UnknownWord> {
    model::script(text).map(Script)
}

#[derive(Clone, Copy, ValueEnum)]
enum TlsName {
    /// Not at all.
    None,
    /// With a certificate that nobody has reason to trust.
    SelfSigned,
    /// The address says `https`, the server answers in plain text.
    Refused,
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn main() -> ExitCode {
    match serve(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: Arguments) -> io::Result<()> {
    let certificate = arguments.certificate.clone();
    let server = ModelServer::start(behaviour(arguments)?)?;
    if let (Some(file), Some(pem)) = (certificate, server.certificate()) {
        fs::write(file, pem)?;
    }
    writeln!(io::stdout(), "listening on {}", server.url())?;
    server.serve_forever();
    Ok(())
}

fn behaviour(arguments: Arguments) -> io::Result<Behaviour> {
    let mut behaviour = Behaviour::default()
        .answer(answer(arguments.answer, arguments.answers.as_deref())?)
        .port(arguments.port)
        .latency(Duration::from_millis(arguments.latency_ms))
        .jitter(Duration::from_millis(arguments.jitter_ms))
        .script(arguments.script.map_or_else(Vec::new, |script| script.0))
        .keep(0)
        .threads(arguments.threads)
        .tls(match arguments.tls {
            TlsName::None => Tls::None,
            TlsName::SelfSigned => Tls::SelfSigned,
            TlsName::Refused => Tls::Refused,
        });
    behaviour = match arguments.fail_first {
        Some(calls) => behaviour.fail_first(calls, arguments.behaviour),
        None => behaviour.always(arguments.behaviour),
    };
    if let Some(most) = arguments.at_most {
        behaviour = behaviour.at_most(most);
    }
    if arguments.no_words {
        behaviour = behaviour.without_words();
    }
    if let Some(log) = arguments.log {
        behaviour = behaviour.log(log);
    }
    Ok(behaviour)
}

fn answer(fixed: Option<String>, answers: Option<&Path>) -> io::Result<Answer> {
    let Some(file) = answers else {
        return Ok(fixed.map_or(Answer::Echo, Answer::Fixed));
    };
    let map: Map<String, Value> = serde_json::from_str(&fs::read_to_string(file)?)?;
    let answers = map.into_iter().map(|(text, answer)| match answer {
        Value::String(answer) => (text, answer),
        other => (text, other.to_string()),
    });
    Ok(Answer::ByMessage {
        answers: answers.collect(),
        otherwise: fixed.unwrap_or_default(),
    })
}
