//! The HTTP client that all requests share.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, StatusCode, Url};

use super::certificates::tls_settings;
use crate::target::SettingError;

/// The time within which a server must accept the connection. The answer may take longer.
const CONNECT: Duration = Duration::from_secs(30);

static CLIENT: LazyLock<Result<Client, reqwest::Error>> = LazyLock::new(|| {
    let provider = rustls::crypto::ring::default_provider();
    // Fails if another part of the program has installed a provider, which is just as good.
    let _ = provider.clone().install_default();
    match tls_settings(Arc::new(provider)) {
        Ok(settings) => builder().tls_backend_preconfigured(settings).build(),
        // Connections without TLS remain.
        Err(_) => builder().tls_certs_only([]).build(),
    }
});

/// Returns the client. It uses the proxy variables and `SSL_CERT_FILE` of the environment.
///
/// # Errors
/// If the client cannot be built on this system.
pub(crate) fn http_client() -> Result<Client, SettingError> {
    let client = CLIENT.as_ref();
    client
        .cloned()
        .map_err(|error| SettingError::new(format!("cannot create an HTTP client: {error}")))
}

fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("agentv/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        // A small compressed answer could unpack to more than the memory holds.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .redirect(Policy::custom(redirected))
}

/// Follows a redirect only if it keeps the request unchanged and leads to the same server, since the
/// headers hold keys. Any other redirect is the answer.
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

/// Checks whether a request to one address may be sent to another: same host, and the same port or
/// HTTPS instead of HTTP.
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
