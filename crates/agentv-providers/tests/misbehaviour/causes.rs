//! The result of each misbehaviour, for each protocol.

use std::time::Duration;

use agentv_core::{Cause, ProviderError, Transcript};
use agentv_testkit::model::WORDS;

use crate::stage::{KEY, Stage, TARGETS};

/// The expected result of a word.
#[derive(Debug)]
enum Expected {
    /// The message itself is the answer.
    Echo,
    /// The answer has this length.
    Length(usize),
    /// The answer is empty, and that is not an error.
    Nothing,
    /// A tool is called.
    Tool,
    /// A failure of this kind, with these words in its message.
    Failure(Cause, &'static str),
    /// No answer arrives: see `waiting`.
    Never,
}

use Expected::{Echo, Failure, Length, Never, Nothing, Tool};

fn expected(word: &str, target: &str) -> Expected {
    let is_streamed = target != "http" && !target.ends_with("-whole");
    let target = target.strip_suffix("-whole").unwrap_or(target);
    match (word, target) {
        ("ok" | "length" | "no-usage" | "close" | "http10" | "slow=1", _) => Echo,
        ("cut-json" | "cut-stream", _) if is_streamed => {
            Failure(Cause::Network, "ended in the middle of its answer")
        }
        ("no-choices", "gemini") if is_streamed => {
            Failure(Cause::Network, "ended in the middle of its answer")
        }
        ("stream-error", "http") => Failure(Cause::Answer, "answer"),
        // An answer of Bedrock that comes at once has no code of the error.
        ("stream-error", "bedrock") if !is_streamed => {
            Failure(Cause::Answer, "could not be reached")
        }
        ("stream-error", _) => Failure(Cause::Status(500), "could not be reached"),
        ("wrong-type", "http") => Echo,
        // The first word shows that it is a stream.
        ("wrong-type", target) if is_streamed && target != "bedrock" => Echo,
        ("wrong-type", _) => Failure(Cause::Answer, "expected JSON, found `text/plain`"),
        ("tool=search", "http") => Failure(Cause::Answer, "answer"),
        ("tool=search", _) => Tool,
        ("huge=1MB", _) => Length(1_000_000),
        ("no-choices", "responses" | "anthropic" | "bedrock") => Nothing,
        ("no-choices", _) => Failure(Cause::Answer, ""),
        ("status=500", "http") => Failure(Cause::Status(500), "the server failed"),
        ("status=500", _) => Failure(Cause::Status(500), "failed (500)"),
        ("quota", "chat" | "responses") => Failure(Cause::Setup, "the quota at OpenAI is used up"),
        ("quota", "anthropic") => Failure(Cause::Status(400), "credit balance is too low"),
        ("quota", "bedrock") => Failure(Cause::Status(429), "Too many tokens"),
        ("quota", "gemini") => Failure(Cause::Status(429), "exceeded your current quota"),
        ("quota", _) => Failure(Cause::Status(402), "no credit left"),
        ("error-in-success", "http") => Failure(Cause::Answer, "answer"),
        ("error-in-success", "bedrock") => Failure(Cause::Answer, "could not be reached"),
        ("error-in-success", _) => Failure(Cause::Status(500), "could not be reached"),
        ("echo-key=401", "http") => {
            Failure(Cause::Status(401), "the API key is missing or was refused")
        }
        ("echo-key=401", _) => Failure(Cause::Status(401), "refused the key (401)"),
        ("redirect", _) => Failure(Cause::Status(307), "the URL has moved to `/-/loop`"),
        ("reset" | "truncate" | "chunked-cut", _) => {
            Failure(Cause::Network, "was lost in the middle of its answer")
        }
        ("reset-early", _) => Failure(Cause::Network, "closed the connection before it answered"),
        ("garbage", _) => Failure(Cause::Network, "no answer from"),
        ("endless", "bedrock") if is_streamed => Failure(Cause::Network, "is damaged"),
        ("endless" | "hang" | "hang-body", _) => Never,
        ("html", "http") => Failure(Cause::Answer, "the response is not JSON"),
        ("html", _) => Failure(Cause::Answer, "Sign in"),
        ("wrong-shape", "http") => Failure(Cause::Answer, "answer"),
        ("empty" | "not-json" | "cut-json" | "cut-stream" | "deep", "http") => {
            Failure(Cause::Answer, "the response is not JSON")
        }
        ("empty" | "not-json" | "cut-json" | "cut-stream" | "deep" | "wrong-shape", _) => {
            Failure(Cause::Answer, "cannot read the answer")
        }
        ("bad-utf8", "http") => Failure(Cause::Answer, "the response is not valid UTF-8"),
        ("bad-utf8", _) => Length("caf\u{fffd} \u{fffd}\u{fffd}".len()),
        (word, _) => panic!("what is expected of `{word}`?"),
    }
}

fn check(
    word: &str,
    target: &str,
    result: &Result<Transcript, ProviderError>,
) -> Result<(), String> {
    let message = format!("!{word}!");
    let expected = expected(word, target);
    let holds = match (&expected, result) {
        (Echo, Ok(transcript)) => transcript.answer() == message,
        (Length(bytes), Ok(transcript)) => transcript.answer().len() == *bytes,
        (Nothing, Ok(transcript)) => {
            transcript.answer().is_empty() && transcript.finish_reason.is_some()
        }
        (Tool, Ok(transcript)) => transcript.tool_calls().any(|call| call.tool == "search"),
        (Failure(cause, words), Err(error)) => {
            error.cause == *cause && error.message.contains(words) && error.retry_after.is_none()
        }
        _ => false,
    };
    if holds {
        return Ok(());
    }
    let shown: String = format!("{result:?}").chars().take(300).collect();
    Err(format!(
        "{target} at {word}: expected {expected:?}, got {shown}"
    ))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_misbehaviour_is_an_answer_or_a_clear_error() {
    let stage = Stage::new();
    let mut wrong = Vec::new();
    for word in WORDS {
        for target in TARGETS {
            if matches!(expected(word, target), Never) {
                continue;
            }
            let mut result = stage.ask(target, &format!("!{word}!")).await;
            // A kept connection that the server closes just as it is taken up again fails, and is
            // asked again by the runner; so it is here.
            let is_lost = |error: &ProviderError| error.cause == Cause::Network;
            if *word == "close" && result.as_ref().is_err_and(is_lost) {
                result = stage.ask(target, &format!("!{word}!")).await;
            }
            assert!(!format!("{result:?}").contains(KEY), "{target} at {word}");
            wrong.extend(check(word, target, &result).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_status_is_the_cause_of_its_failure() {
    let stage = Stage::new();
    for status in [
        400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529,
    ] {
        for target in TARGETS {
            let error = stage.ask(target, &format!("!status={status}!")).await;
            let error = error.unwrap_err();
            assert_eq!(error.cause, Cause::Status(status), "{target}: {error}");
            assert_eq!(error.is_rate_limit(), matches!(status, 429 | 529));
            let message = &error.message;
            assert!(message.contains(&status.to_string()), "{target}: {message}");
            assert!(message.chars().count() < 600, "{target}: {message}");
            assert!(!message.contains('\n'), "{target}: {message}");
        }
    }
}

#[tokio::test]
async fn the_delay_that_a_server_requests_is_reported() {
    let stage = Stage::new();
    for target in TARGETS {
        let wait = async |words: &str| {
            let error = stage.ask(target, words).await.unwrap_err();
            assert!(error.is_rate_limit(), "{target} at {words}: {error}");
            error.retry_after
        };
        let seconds = wait("!status=429! !retry-after=7!").await;
        assert_eq!(seconds, Some(Duration::from_secs(7)), "{target}");
        let date = wait("!status=529! !retry-date=90!").await.unwrap();
        assert!((30..=90).contains(&date.as_secs()), "{target}: {date:?}");
        assert_eq!(wait("!status=429!").await, None, "{target}");
        for odd in ["soon", "", "-5"] {
            let words = format!("!status=429! !retry-after={odd}!");
            assert_eq!(wait(&words).await, None, "{target} at {words}");
        }
    }
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_into_memory() {
    let stage = Stage::new();
    let error = stage.ask("http", "!huge=80MB!").await.unwrap_err();
    assert_eq!(error.cause, Cause::Answer);
    assert!(error.message.contains("larger than 64 MiB"), "{error}");
}

#[tokio::test]
async fn an_answer_of_a_model_may_be_no_larger_than_that_of_any_target() {
    let stage = Stage::new();
    for target in ["chat", "chat-whole"] {
        let error = stage.ask(target, "!huge=68MB!").await.unwrap_err();
        assert_eq!(error.cause, Cause::Answer);
        assert!(error.message.contains("larger than 64 MiB"), "{error}");
    }
}

#[tokio::test]
async fn a_target_answers_after_every_misbehaviour() {
    let stage = Stage::new();
    for target in TARGETS {
        for word in [
            "reset",
            "truncate",
            "close",
            "http10",
            "chunked-cut",
            "not-json",
            "ok",
        ] {
            let _ = stage.ask(target, &format!("!{word}!")).await;
            // A server may close a connection just when it is used again: that is worth a retry.
            let mut answer = stage.ask(target, "hello").await;
            if answer
                .as_ref()
                .is_err_and(|error| error.cause == Cause::Network)
            {
                answer = stage.ask(target, "hello").await;
            }
            assert_eq!(answer.unwrap().answer(), "hello", "{target} after {word}");
        }
    }
}
