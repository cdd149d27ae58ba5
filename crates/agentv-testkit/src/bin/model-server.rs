//! Serves the protocols of the model vendors on 127.0.0.1, and misbehaves on request.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agentv_testkit::model::{
    self, Answer, Behaviour, Conduct, ModelServer, Play, Tls, UnknownWord, Usage,
};
use clap::{Parser, ValueEnum};
use serde_json::{Map, Value};

/// Serve OpenAI's, Anthropic's and Gemini's protocols, and plain JSON, until killed.
///
/// The first line on stdout is the address: `listening on http://127.0.0.1:PORT`. Words in the last
/// user message, such as `!status=429! !retry-after=2!` or `!reset!`, choose the behaviour for that
/// request. `GET /-/stats` returns the number of calls.
#[derive(Parser)]
struct Arguments {
    /// The port; 0 chooses a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The latency of every answer
    #[arg(long, value_name = "MS", default_value_t = 0)]
    latency_ms: u64,
    /// The largest random addition to the latency
    #[arg(long, value_name = "MS", default_value_t = 0)]
    jitter_ms: u64,
    /// The text of every answer (default: the last user message)
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    /// A JSON object that maps a text in the last user message to an answer; takes precedence over
    /// `--answer`
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// A play: steps of tool calls, for agents (see `agentv_testkit::model::Play`)
    #[arg(long, value_name = "FILE")]
    play: Option<PathBuf>,
    /// The tokens that every answer reports: `INPUT,OUTPUT,CACHED`
    #[arg(long, value_name = "TOKENS", value_parser = usage)]
    usage: Option<Usage>,
    /// Append one JSON line per request to this file: time, path, last user message
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The behaviour for the first requests: `status=429 retry-after=1, reset, ok`
    #[arg(long, value_name = "STEPS", value_parser = script)]
    script: Option<Script>,
    /// The behaviour for requests that do not choose one themselves: `status=503`
    #[arg(long, value_name = "WORDS", default_value = "ok")]
    behaviour: Conduct,
    /// Apply `--behaviour` only to the first N calls of each case, then answer
    #[arg(long, value_name = "N")]
    fail_first: Option<u64>,
    /// Answer 429 if more requests than this are in flight
    #[arg(long, value_name = "N")]
    at_most: Option<usize>,
    /// Treat the words in messages as text
    #[arg(long)]
    no_words: bool,
    /// The protection of the connection
    #[arg(long, value_enum, default_value_t = TlsName::None)]
    tls: TlsName,
    /// The file for the certificate of `--tls self-signed`
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// The number of threads
    #[arg(long, value_name = "N", default_value_t = processors())]
    threads: usize,
}

#[derive(Clone)]
struct Script(Vec<Conduct>);

fn script(text: &str) -> Result<Script, UnknownWord> {
    model::script(text).map(Script)
}

fn usage(text: &str) -> Result<Usage, String> {
    let counts: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
    match counts.as_deref() {
        Ok(&[input, output, cached]) => Ok(Usage {
            input,
            output,
            cached,
        }),
        _ => Err("expected three numbers, such as `1000,50,200`".to_owned()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum TlsName {
    /// No protection
    None,
    /// A self-signed certificate
    SelfSigned,
    /// The address says `https`, but the server answers in plain text
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
    if let Some(play) = arguments.play {
        let play: Play = fs::read_to_string(play)?
            .parse()
            .map_err(io::Error::other)?;
        behaviour = behaviour.play(play);
    }
    if let Some(usage) = arguments.usage {
        behaviour = behaviour.usage(usage);
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
