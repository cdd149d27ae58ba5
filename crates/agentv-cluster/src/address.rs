//! The address of an engine, and the connection to it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use agentv_core::BoxFuture;
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, ServerAddr};

use crate::error::ClusterError;

/// The address of a NATS server: `nats://HOST:PORT` or `tls://HOST:PORT`, perhaps with a user and a password,
/// or with a token. It is shown without them.
#[derive(Clone, PartialEq, Eq)]
pub struct EngineAddress {
    shown: String,
    login: Option<Login>,
}

/// The secret part of an address.
#[derive(Clone, PartialEq, Eq)]
enum Login {
    User { name: String, password: String },
    Token(String),
}

impl Login {
    /// Reads the part of an address before the `@`: `USER:PASSWORD`, or a token.
    fn of(text: &str) -> Login {
        match text.split_once(':') {
            Some((name, password)) => Login::User {
                name: decoded(name),
                password: decoded(password),
            },
            None => Login::Token(decoded(text)),
        }
    }
}

/// Returns a text in which `%` and two digits stand for a byte.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The longest time that connecting may take.
const PATIENCE: Duration = Duration::from_secs(10);

impl fmt::Display for EngineAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for EngineAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineAddress({})", self.shown)
    }
}

impl FromStr for EngineAddress {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<EngineAddress, ClusterError> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("nats", text));
        let (login, host) = match rest.rsplit_once('@') {
            Some((login, host)) => (Some(Login::of(login)), host),
            None => (None, rest),
        };
        let shown = format!("{scheme}://{host}");
        let refuse = |reason: &str| ClusterError::Address {
            address: shown.clone(),
            reason: reason.to_owned(),
        };
        if !matches!(scheme, "nats" | "tls") {
            return Err(refuse("expected `nats://HOST:PORT` or `tls://HOST:PORT`"));
        }
        if host.is_empty() {
            return Err(refuse("the host is missing"));
        }
        let parsed: Result<ServerAddr, _> = shown.parse();
        parsed.map_err(|error| refuse(&error.to_string()))?;
        Ok(EngineAddress { shown, login })
    }
}

/// The variables that hold secrets or certificates, as other programs for NATS name them.
struct Variables {
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
    credentials: Option<PathBuf>,
    nkey: Option<String>,
    ca: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl Variables {
    fn of_process() -> Variables {
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name: &str| text(name).map(PathBuf::from);
        Variables {
            user: text("NATS_USER"),
            password: text("NATS_PASSWORD"),
            token: text("NATS_TOKEN"),
            credentials: path("NATS_CREDS"),
            nkey: text("NATS_NKEY"),
            ca: path("NATS_CA"),
            certificate: path("NATS_CERT"),
            key: path("NATS_KEY"),
        }
    }

    async fn options(self) -> Result<ConnectOptions, ClusterError> {
        let mut options = ConnectOptions::new();
        let names = ["NATS_USER", "NATS_PASSWORD"];
        if let Some((user, password)) = both(names, self.user, self.password)? {
            options = options.user_and_password(user, password);
        }
        if let Some(token) = self.token {
            options = options.token(token);
        }
        if let Some(nkey) = self.nkey {
            options = options.nkey(nkey);
        }
        if let Some(path) = self.credentials {
            let shown = path.display().to_string();
            let read = options.credentials_file(path).await;
            options = read.map_err(|error| ClusterError::Credentials {
                path: shown,
                reason: error.to_string(),
            })?;
        }
        if let Some(ca) = self.ca {
            options = options.add_root_certificates(ca).require_tls(true);
        }
        let names = ["NATS_CERT", "NATS_KEY"];
        if let Some((certificate, key)) = both(names, self.certificate, self.key)? {
            options = options
                .add_client_certificate(certificate, key)
                .require_tls(true);
        }
        Ok(options)
    }
}

/// Returns the values of two variables of which one is useless without the other.
fn both<T>(
    [first, second]: [&'static str; 2],
    one: Option<T>,
    other: Option<T>,
) -> Result<Option<(T, T)>, ClusterError> {
    let half = |set, missing| Err(ClusterError::HalfSet { set, missing });
    match (one, other) {
        (Some(one), Some(other)) => Ok(Some((one, other))),
        (Some(_), None) => half(first, second),
        (None, Some(_)) => half(second, first),
        (None, None) => Ok(None),
    }
}

impl EngineAddress {
    /// Connects to the server. Secrets come from the address or from the environment (`NATS_USER` and
    /// `NATS_PASSWORD`, `NATS_TOKEN`, `NATS_CREDS`, `NATS_NKEY`; `NATS_CA`, `NATS_CERT`, `NATS_KEY`). The
    /// connection is restored by itself if it breaks later.
    ///
    /// # Errors
    /// If no server answers, or if it refuses the connection.
    pub fn connect<'c>(&'c self, name: &'c str) -> BoxFuture<'c, Result<Client, ClusterError>> {
        // Boxed: every caller would compile the whole future again.
        Box::pin(self.connect_as(name))
    }

    async fn connect_as(&self, name: &str) -> Result<Client, ClusterError> {
        let mut variables = Variables::of_process();
        match self.login.clone() {
            Some(Login::User { name, password }) => {
                (variables.user, variables.password) = (Some(name), Some(password));
                variables.token = None;
            }
            Some(Login::Token(token)) => {
                (variables.user, variables.password) = (None, None);
                variables.token = Some(token);
            }
            None => {}
        }
        let options = variables.options().await?;
        let options = options
            .name(name)
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(Duration::from_secs(10))
            .subscription_capacity(64 << 10)
            .client_capacity(16 << 10)
            .reconnect_delay_callback(delay_before);
        let connected = options.connect(self.shown.as_str()).await;
        connected.map_err(|error| ClusterError::NotConnected {
            address: self.shown.clone(),
            reason: chain(&error),
        })
    }
}

/// Returns the delay before an attempt to connect: none before the first, at most 3.2 seconds before others.
fn delay_before(attempt: usize) -> Duration {
    match u32::try_from(attempt.min(7)).unwrap_or(7) {
        0 | 1 => Duration::ZERO,
        later => Duration::from_millis(50) * 2_u32.pow(later - 1),
    }
}

/// Returns the JetStream of a server.
///
/// # Errors
/// If the server has none.
pub(crate) async fn jetstream_of(
    client: &Client,
    address: &EngineAddress,
) -> Result<Context, ClusterError> {
    let jetstream = jetstream::new(client.clone());
    // Any answer will do: older servers describe their accounts in another way.
    let looked = jetstream.get_stream("agentv").await;
    let is_missing = looked.is_err_and(|error| {
        let text = chain(&error);
        text.contains("no responders") || text.contains("not enabled") || text.contains("timed out")
    });
    if is_missing {
        Err(ClusterError::NoJetStream {
            address: address.to_string(),
        })
    } else {
        Ok(jetstream)
    }
}

/// Returns an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let address: EngineAddress = "nats://ann:s3cret@host:4222".parse().unwrap();
        assert_eq!(address.to_string(), "nats://host:4222");
        assert!(!format!("{address:?}").contains("s3cret"));
        let coded: EngineAddress = "nats://ann:p%40ss%3aword@host".parse().unwrap();
        let password = "p@ss:word".to_owned();
        let name = "ann".to_owned();
        assert!(coded.login == Some(Login::User { name, password }));
        let short: EngineAddress = "localhost".parse().unwrap();
        assert_eq!(short.to_string(), "nats://localhost");
    }

    #[test]
    fn a_variable_that_needs_another_is_refused_without_it() {
        let names = ["NATS_CERT", "NATS_KEY"];
        assert_eq!(both(names, Some(1), Some(2)).unwrap(), Some((1, 2)));
        assert_eq!(both::<u8>(names, None, None).unwrap(), None);
        let refused = both(names, None, Some(2)).unwrap_err().to_string();
        assert_eq!(
            refused,
            "`NATS_KEY` is set, but not `NATS_CERT`: set both, or neither"
        );
    }

    #[test]
    fn the_first_attempt_to_connect_is_made_at_once() {
        let delays = [0, 1, 2, 3, 7, 8, 1_000].map(delay_before);
        let expected = [0, 0, 100, 200, 3_200, 3_200, 3_200].map(Duration::from_millis);
        assert_eq!(delays, expected);
    }

    #[test]
    fn other_addresses_are_refused_by_name() {
        let refused = |text: &str| text.parse::<EngineAddress>().unwrap_err().to_string();
        assert!(refused("http://host").contains("expected `nats://HOST:PORT`"));
        assert!(refused("nats://").contains("the host is missing"));
        assert!(!refused("redis://ann:s3cret@host").contains("s3cret"));
    }
}
