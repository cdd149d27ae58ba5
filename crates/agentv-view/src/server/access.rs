//! The check of each request: who is asking, through which address, from which page.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::serve::Shared;

/// The policy of every page: its own style and script, and requests to its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The only path to which something is written.
const WRITES: &str = "/api/labels";
/// The name of the cookie that carries the token.
const COOKIE: &str = "agentv-view";

/// The address to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The address of the interface.
    pub host: IpAddr,
    /// The port; 0 for any free one.
    pub port: u16,
    /// The token that every request needs. It is required unless the host is a loopback address.
    pub token: Option<String>,
}

impl Binding {
    /// Returns the loopback address with a port.
    pub fn loopback(port: u16) -> Binding {
        Binding {
            host: Ipv4Addr::LOCALHOST.into(),
            port,
            token: None,
        }
    }
}

/// The rules that requests are checked with.
#[derive(Debug)]
pub(super) struct Access {
    address: SocketAddr,
    token: Option<String>,
}

/// The reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Method,
    Host,
    Origin,
    Site,
    Form,
    Token,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Method => "this method is not allowed",
            Refusal::Host => "the request names another host: open the address that agentv printed",
            Refusal::Origin => "the request comes from another origin",
            Refusal::Site => "the request comes from another site",
            Refusal::Form => {
                "the request must be `application/json`, which a form of another page cannot send"
            }
            Refusal::Token => "the token is missing or wrong: open the address that agentv printed",
        })
    }
}

impl Access {
    pub(super) fn new(address: SocketAddr, token: Option<String>) -> Access {
        Access { address, token }
    }

    /// Checks a request.
    pub(super) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Refusal> {
        let is_write = method == Method::POST && uri.path() == WRITES;
        if method != Method::GET && method != Method::HEAD && !is_write {
            return Err(Refusal::Method);
        }
        let host = only(headers, &header::HOST).ok_or(Refusal::Host)?;
        if !self.is_host(host) || uri.authority().is_some_and(|named| named.as_str() != host) {
            return Err(Refusal::Host);
        }
        let is_same_origin = |origin: &HeaderValue| {
            let origin = origin.to_str().ok();
            origin.and_then(|origin| origin.strip_prefix("http://")) == Some(host)
        };
        if !headers.get_all(header::ORIGIN).iter().all(is_same_origin) {
            return Err(Refusal::Origin);
        }
        // Every browser names the origin of a request that may write.
        if is_write && only(headers, &header::ORIGIN).is_none() {
            return Err(Refusal::Origin);
        }
        if is_write && only(headers, &header::CONTENT_TYPE) != Some("application/json") {
            return Err(Refusal::Form);
        }
        if !is_own_site(uri, headers) {
            return Err(Refusal::Site);
        }
        self.check_token(uri, headers)
    }

    /// Checks that a `Host` names this server, and nothing else that resolves to it.
    fn is_host(&self, host: &str) -> bool {
        let is_address =
            |address: IpAddr| host == SocketAddr::new(address, self.address.port()).to_string();
        let is_local = || host == format!("localhost:{}", self.address.port());
        let ip = self.address.ip();
        if ip.is_unspecified() {
            // Any of our addresses, but no name: names can be made to resolve to us.
            let named = host.parse::<SocketAddr>();
            return is_local() || named.is_ok_and(|named| named.port() == self.address.port());
        }
        is_address(ip) || (ip.is_loopback() && is_local())
    }

    fn check_token(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let given = [token_in_query(uri), token_in_cookies(headers)];
        let is_right =
            |given: &Option<String>| given.as_deref().is_some_and(|given| is_equal(given, token));
        if given.iter().any(is_right) {
            Ok(())
        } else {
            Err(Refusal::Token)
        }
    }

    /// Returns the cookie that replaces a token in the address.
    fn cookie(&self, uri: &Uri) -> Option<HeaderValue> {
        let token = self
            .token
            .as_ref()
            .filter(|token| token_in_query(uri).as_ref() == Some(*token))?;
        let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
        HeaderValue::from_str(&cookie).ok()
    }
}

/// Returns the value of a header that must occur exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Checks what the browser says about the page that asks. A link from another site may lead to a page of
/// the view, but nothing else of it may be loaded from there.
fn is_own_site(uri: &Uri, headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_navigation = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    let is_top = headers
        .get("sec-fetch-dest")
        .is_none_or(|place| place == "document");
    let path = uri.path();
    let is_page = path == "/"
        || path == "/compare"
        || path.starts_with("/run/")
        || path.starts_with("/label/");
    match site {
        None | Some(b"same-origin" | b"none") => true,
        Some(_) => is_navigation && is_top && is_page,
    }
}

fn token_in_query(uri: &Uri) -> Option<String> {
    let mut pairs = uri.query()?.split('&');
    pairs.find_map(|pair| pair.strip_prefix("token=").map(str::to_owned))
}

fn token_in_cookies(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut cookies = cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|text| text.split(';'));
    cookies.find_map(|cookie| {
        let value = cookie.trim().strip_prefix(COOKIE)?.strip_prefix('=')?;
        Some(value.to_owned())
    })
}

/// Compares two texts in a time that does not depend on where they differ.
fn is_equal(one: &str, other: &str) -> bool {
    let differences = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// Answers a request only if it passes all checks, and adds the headers that protect the answer.
pub(super) async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let access = shared.access();
    let refused = access.check(request.method(), request.uri(), request.headers());
    let cookie = access.cookie(request.uri());
    let mut response = match refused {
        Ok(()) => next.run(request).await,
        Err(Refusal::Method) => {
            (StatusCode::METHOD_NOT_ALLOWED, Refusal::Method.to_string()).into_response()
        }
        Err(Refusal::Token) => {
            (StatusCode::UNAUTHORIZED, Refusal::Token.to_string()).into_response()
        }
        Err(refusal) => (StatusCode::FORBIDDEN, refusal.to_string()).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    if let Some(cookie) = cookie {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}
