//! Connections are shared, and a request to stop ends the wait on them.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Cause, Request};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{KEY, ask, chat_answer, exchange, failure, made};
use crate::model::server::{Reply, Server};

#[tokio::test]
async fn targets_share_their_connections() {
    let server = Server::start(Reply::json(200, &[], &chat_answer())).await;
    for model in ["a", "b", "c"] {
        let fields = json!({"model": model, "base_url": server.url});
        let provider = made("openai", fields, &[]).unwrap();
        ask(provider.as_ref()).await.unwrap();
    }
    assert_eq!(server.received().len(), 3);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_stop_ends_the_wait_for_an_answer() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let provider = made("openai", json!({"model": "m", "base_url": base_url}), &[]).unwrap();
    let folder: Arc<Path> = Arc::from(Path::new("/"));
    let request = Request::of_text("Hi", folder, Duration::from_secs(60));
    let cancel = CancellationToken::new();
    let asking = provider.answer(&request, &cancel);
    let stopping = async {
        let connection = listener.accept().await.unwrap();
        cancel.cancel();
        connection
    };
    let (answer, _connection) = tokio::join!(asking, stopping);
    assert_eq!(answer.unwrap_err().cause, Cause::Cancelled);
}

#[tokio::test]
async fn compressed_responses_are_not_requested_but_unpacked() {
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": "4"}}]});
    let fields = || json!({"model": "m", "api_key": KEY});
    let (received, _) = exchange("openai", fields(), Reply::json(200, &[], &answer)).await;
    assert_eq!(received.headers.get("accept-encoding"), None);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(answer.to_string().as_bytes()).unwrap();
    let headers = [("content-encoding", "gzip")];
    let reply = Reply::bytes(200, "application/json", &headers, &gzip.finish().unwrap());
    let (_, answered) = exchange("openai", fields(), reply).await;
    assert_eq!(answered.answer(), "4");
    // The beginning of a gzip stream.
    let packed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xed, 0xc1];
    let reply = Reply::bytes(200, "application/json", &headers, &packed);
    let error = failure("openai", fields(), reply).await;
    assert_eq!(error.cause, Cause::Answer);
}
