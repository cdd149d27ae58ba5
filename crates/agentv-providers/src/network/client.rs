//! The client that all requests of the program share.

use std::sync::LazyLock;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, StatusCode, Url};

use crate::settings::SettingError;

/// How long may pass until a server takes the connection; the answer may take longer.
const CONNECT: Duration = Duration::from_secs(30);

static CLIENT: LazyLock<Result<Client, String>> = LazyLock::new(|| {
    // Another part of the program may have chosen one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let trusting = builder().build();
    // A machine without any certificates can still reach servers that need none.
    let client = trusting.or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| error.to_string())
});

/// The client, with as many connections as there are requests. It follows the proxy variables and
/// `SSL_CERT_FILE` of the environment.
///
/// # Errors
/// When the system gives it nothing to work with.
pub(crate) fn http_client() -> Result<Client, SettingError> {
    let client = CLIENT.as_ref();
    client
        .cloned()
        .map_err(|reason| SettingError::new(format!("no HTTP client can be made: {reason}")))
}

fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("agentv/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        // A thousandth of an answer could ask for all the memory that there is.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .redirect(Policy::custom(redirected))
}

/// Follows only what keeps the request as it is and sends its headers, and the keys in them, to the
/// same server. Any other redirect is the answer.
fn redirected(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    const MOST: usize = 5;
    let kept = matches!(
        attempt.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let before = attempt.previous().last();
    let same = before.is_some_and(|from| is_same_server(from, attempt.url()));
    if kept && same && attempt.previous().len() <= MOST {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// Whether what is sent to one address may be sent to another: the same host, and the same port or the
/// secured one.
fn is_same_server(from: &Url, to: &Url) -> bool {
    let is_secured = from.scheme() == "http" && to.scheme() == "https";
    let is_same_port = from.scheme() == to.scheme() && from.port() == to.port();
    from.host() == to.host() && (is_same_port || is_secured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_takes_keys_to_the_same_server_only() {
        let same = |from: &str, to: &str| {
            is_same_server(&Url::parse(from).unwrap(), &Url::parse(to).unwrap())
        };
        assert!(same("http://a:8080/v1", "http://a:8080/v2"));
        assert!(same("https://a/v1", "https://a:443/v2"));
        assert!(same("http://a/v1", "https://a/v1"));
        for other in [
            "http://a/v1",
            "http://a:8081/v1",
            "http://b:8080/v1",
            "ftp://a:8080/v1",
        ] {
            assert!(!same("http://a:8080/v1", other), "{other}");
        }
        assert!(!same("https://a/v1", "http://a/v1"));
    }
}
