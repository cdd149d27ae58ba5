//! Protected connections, as an ordinary client sees them.

use agentv_testkit::model::{Behaviour, ModelServer, Step, Tls};
use reqwest::{Certificate, Client};
use serde_json::Value;

use crate::client::{CHAT, PATIENCE, chat_body, start};

async fn ask(server: &ModelServer, trusted: Option<&str>) -> reqwest::Result<Value> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let roots = trusted.map(|pem| Certificate::from_pem(pem.as_bytes()).unwrap());
    let client = Client::builder()
        .timeout(PATIENCE)
        .tls_certs_only(roots)
        .build()?;
    let url = format!("{}{CHAT}", server.url());
    let response = client.post(url).body(chat_body("hi")).send().await?;
    response.json().await
}

#[tokio::test]
async fn a_certificate_of_its_own_is_refused_until_it_is_trusted() {
    let server = start(Behaviour::echo().tls(Tls::SelfSigned));
    let error = ask(&server, None).await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    assert_eq!(server.calls().total, 0);
    let answer = ask(&server, server.certificate()).await.unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "hi");
}

#[tokio::test]
async fn a_server_that_refuses_tls_answers_in_plain_text() {
    let server = start(Behaviour::echo().tls(Tls::Refused));
    assert!(server.url().starts_with("https://"));
    let error = ask(&server, None).await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
}

#[tokio::test]
async fn a_protected_connection_can_be_reset_too() {
    let behaviour = Behaviour::echo().tls(Tls::SelfSigned);
    let server = start(behaviour.always(Step::Reset));
    let error = ask(&server, server.certificate()).await.unwrap_err();
    assert!(!error.is_connect() && !error.is_timeout(), "{error:?}");
    assert_eq!(server.calls().total, 1);
}
