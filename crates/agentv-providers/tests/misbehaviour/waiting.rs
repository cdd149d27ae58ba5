//! Answers that never arrive: the caller can stop waiting at any time.

use std::time::{Duration, Instant};

use agentv_core::Cause;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::stage::{PATIENCE, Stage, TARGETS, answer};

/// Returns the words after which a target waits forever.
fn endless(target: &str) -> &'static [&'static str] {
    match target {
        // A stream of spaces is not one of frames.
        "bedrock" => &["!hang!", "!hang-body!"],
        _ => &["!hang!", "!hang-body!", "!endless!"],
    }
}

/// Waits until the server has no connections.
async fn all_gone(stage: &Stage) {
    let until = Instant::now() + PATIENCE;
    while stage.server.calls().in_flight > 0 {
        assert!(Instant::now() < until, "{:?}", stage.server.calls());
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn an_attempt_ends_when_it_is_cancelled() {
    let stage = Stage::new();
    let mut calls = 0;
    for target in TARGETS {
        for word in endless(target) {
            let provider = stage.target(target).target.provider;
            let cancel = CancellationToken::new();
            calls += 1;
            let asking = answer(provider.as_ref(), word, &cancel);
            let cancelling = async {
                let until = Instant::now() + PATIENCE;
                while stage.server.calls().total < calls && Instant::now() < until {
                    sleep(Duration::from_millis(1)).await;
                }
                cancel.cancel();
            };
            let both = async { tokio::join!(asking, cancelling) };
            let (answered, ()) = timeout(PATIENCE, both).await.unwrap();
            let error = answered.unwrap_err();
            assert_eq!(error.cause, Cause::Cancelled, "{target} at {word}: {error}");
        }
    }
    all_gone(&stage).await;
}

#[tokio::test]
async fn an_attempt_that_is_given_up_leaves_no_request_behind() {
    let stage = Stage::new();
    for target in TARGETS {
        for word in endless(target) {
            let provider = stage.target(target).target.provider;
            let cancel = CancellationToken::new();
            let asking = answer(provider.as_ref(), word, &cancel);
            let given_up = timeout(Duration::from_millis(100), asking).await;
            assert!(given_up.is_err(), "{target} at {word}: {given_up:?}");
        }
    }
    all_gone(&stage).await;
}
