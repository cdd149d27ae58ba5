//! Connections that cannot be protected.

use agentv_core::Cause;
use agentv_testkit::model::{Behaviour, Tls};

use crate::stage::{KEY, Stage, TARGETS};

async fn refused(tls: Tls, words: &str) {
    let stage = Stage::with(Behaviour::echo().tls(tls));
    for target in TARGETS {
        let error = stage.ask(target, "hello").await.unwrap_err();
        assert_eq!(error.cause, Cause::Network, "{target}: {error}");
        assert!(error.message.contains(words), "{target}: {error}");
        assert!(!format!("{error:?}").contains(KEY));
    }
    assert_eq!(stage.server.calls().total, 0);
}

#[tokio::test]
async fn an_untrusted_certificate_is_refused_before_anything_is_sent() {
    refused(
        Tls::SelfSigned,
        "this machine does not trust the issuer of its certificate",
    )
    .await;
}

#[tokio::test]
async fn a_server_without_tls_is_named_as_such() {
    refused(
        Tls::Refused,
        "it does not speak TLS; should the URL start with `http://`?",
    )
    .await;
}
