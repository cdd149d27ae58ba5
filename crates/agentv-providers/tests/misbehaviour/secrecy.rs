//! Keys are never shown, even if a server repeats them.

use agentv_core::Secrets;
use agentv_testkit::Random;

use crate::stage::{KEY, Stage, TARGETS};

#[tokio::test]
async fn a_key_that_the_server_repeats_is_not_in_the_error() {
    let stage = Stage::new();
    for target in TARGETS {
        for status in [400, 401, 403, 404, 429, 500, 503] {
            let error = stage.ask(target, &format!("!echo-key={status}!")).await;
            let error = error.unwrap_err();
            let told = format!("{error} {error:?} {error:#?}");
            assert!(!told.contains(KEY), "{target} at {status}: {told}");
            assert!(
                told.contains(Secrets::REPLACEMENT),
                "{target} at {status}: {told}"
            );
        }
    }
    let sent = stage.server.requests();
    let with_key = sent.iter().filter(|request| {
        let mut values = request.headers.iter().map(|(_, value)| value);
        values.any(|value| value.contains(KEY))
    });
    assert_eq!(with_key.count(), sent.len(), "the key was sent each time");
}

/// Returns a key of this length. No eight characters of it occur anywhere else.
fn long_key(length: usize) -> String {
    let mut random = Random::new(7);
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    (0..length)
        .map(|_| char::from(random.pick(letters)))
        .collect()
}

#[tokio::test]
async fn no_part_of_a_long_key_is_left_where_an_error_is_cut() {
    let key = long_key(1_500);
    let stage = Stage::new().with_key(&key);
    for target in TARGETS {
        for word in ["!echo-key=401!", "!echo-key=500!", "!error-in-success!"] {
            let error = stage.ask(target, word).await.unwrap_err().message;
            let parts = key.as_bytes().windows(8);
            let told = parts.map(|part| str::from_utf8(part).unwrap());
            let leaked = told.filter(|part| error.contains(part)).count();
            assert_eq!(leaked, 0, "{target} at {word}: {error}");
        }
    }
}

#[tokio::test]
async fn a_key_that_the_model_says_is_known_as_a_secret() {
    let stage = Stage::new();
    for target in TARGETS {
        let answer = stage.ask(target, "!echo-key=200!").await.unwrap().answer();
        assert!(answer.contains(KEY), "{target}: {answer}");
        let secrets = stage.target(target).secrets;
        let redacted = secrets.redact(&answer).into_owned();
        assert!(!redacted.contains(KEY), "{target}: {redacted}");
    }
}

#[test]
fn a_key_is_not_shown_for_debugging() {
    let stage = Stage::new();
    for target in TARGETS {
        let shown = format!("{:#?}", stage.target(target));
        assert!(!shown.contains(KEY), "{shown}");
    }
}
