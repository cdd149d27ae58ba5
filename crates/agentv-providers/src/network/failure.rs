//! Errors of requests that got no answer.

use std::error::Error;
use std::io;

use agentv_core::{Cause, ProviderError};
use reqwest::Url;
use rustls::CertificateError;

/// Describes why a request got no complete answer, without secrets and without the address's query.
pub(crate) fn network_error(error: &reqwest::Error, url: &str) -> ProviderError {
    let place = ShownAddress::of(url);
    let chain = Chain::of(error);
    if error.is_builder() {
        let reason = chain.last().to_string();
        let message = format!("cannot make a request to `{}`: {reason}", place.address);
        return ProviderError::new(Cause::Setup, message);
    }
    if let Some(tls) = chain.find::<rustls::Error>() {
        return network(of_tls(tls, &place));
    }
    if error.is_timeout() {
        let message = if error.is_connect() {
            format!("`{}` did not accept the connection in time", place.server)
        } else {
            format!("`{}` did not answer in time", place.server)
        };
        return ProviderError::new(Cause::Timeout, message);
    }
    network(of_connection(error, &chain, &place))
}

fn network(message: String) -> ProviderError {
    ProviderError::new(Cause::Network, message)
}

fn of_connection(error: &reqwest::Error, chain: &Chain<'_>, place: &ShownAddress) -> String {
    let ShownAddress { server, host, .. } = place;
    if chain.says("dns error") {
        return format!("host `{host}` not found: check the URL and the network's DNS server");
    }
    if chain.says("tunnel error") || chain.says("proxy") {
        let reason = chain.last();
        return format!("cannot reach `{server}` through the proxy: {reason}; check `HTTPS_PROXY`");
    }
    let kind = chain.find::<io::Error>().map(io::Error::kind);
    if error.is_connect() && chain.says("tls handshake eof") {
        return format!(
            "cannot connect securely to `{server}`: it does not speak TLS; should the URL start with \
             `http://`?"
        );
    }
    if error.is_connect() {
        return match kind {
            Some(io::ErrorKind::ConnectionRefused) => format!(
                "`{server}` refused the connection: is the server running, and is this its port?"
            ),
            Some(io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => {
                format!("cannot reach `{server}`: check the network")
            }
            _ => format!("cannot connect to `{server}`: {}", chain.last()),
        };
    }
    if error.is_body() || error.is_decode() {
        return format!("the connection to `{server}` was lost in the middle of its answer");
    }
    let broke = matches!(
        kind,
        Some(
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
        )
    );
    if broke || chain.says("connection closed") || chain.says("connection error") {
        return format!("`{server}` closed the connection before it answered");
    }
    format!("no answer from `{server}`: {}", chain.last())
}

fn of_tls(error: &rustls::Error, place: &ShownAddress) -> String {
    let ShownAddress { server, host, .. } = place;
    let reason = match error {
        rustls::Error::InvalidCertificate(reason) => match reason {
            CertificateError::UnknownIssuer => {
                "this machine does not trust the issuer of its certificate; to trust more \
                 issuers, set `SSL_CERT_FILE` to a file with their certificates"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet; is the clock right?"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                return format!(
                    "cannot connect securely to `{server}`: its certificate is not for `{host}`"
                );
            }
            _ => "its certificate is not valid",
        },
        rustls::Error::InvalidMessage(_) => {
            "it does not speak TLS; should the URL start with `http://`?"
        }
        _ => return format!("cannot connect securely to `{server}`: {error}"),
    };
    format!("cannot connect securely to `{server}`: {reason}")
}

/// The parts of an address that an error may show.
struct ShownAddress {
    /// The address without user, password, query and fragment.
    address: String,
    host: String,
    /// The host and the port.
    server: String,
}

impl ShownAddress {
    fn of(url: &str) -> ShownAddress {
        let Ok(mut url) = Url::parse(url) else {
            let end = url.find(['?', '#']).unwrap_or(url.len());
            let address = url[..end].to_owned();
            return ShownAddress {
                host: address.clone(),
                server: address.clone(),
                address,
            };
        };
        url.set_query(None);
        url.set_fragment(None);
        // These only fail for addresses that have no user and password.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let host = url.host_str().unwrap_or_default().to_owned();
        let server = match url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        };
        ShownAddress {
            address: url.to_string(),
            host,
            server,
        }
    }
}

/// An error and its sources.
struct Chain<'e>(Vec<&'e (dyn Error + 'static)>);

impl<'e> Chain<'e> {
    fn of(error: &'e (dyn Error + 'static)) -> Chain<'e> {
        let mut chain = vec![error];
        while let Some(source) = chain.last().and_then(|error| cause(*error)) {
            chain.push(source);
        }
        Chain(chain)
    }

    fn find<T: Error + 'static>(&self) -> Option<&'e T> {
        self.0.iter().rev().find_map(|error| error.downcast_ref())
    }

    fn says(&self, words: &str) -> bool {
        // The first is the client's own error, which holds the address.
        let mut causes = self.0.iter().skip(1);
        causes.any(|error| error.to_string().contains(words))
    }

    fn last(&self) -> &'e (dyn Error + 'static) {
        self.0[self.0.len() - 1]
    }
}

/// Returns the source of an error. For an I/O error that is the error inside it.
fn cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let inner = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match inner {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_possible_secrets() {
        let place = ShownAddress::of("https://user:password@api.test/v1/x?api_key=secret#part");
        assert_eq!(place.address, "https://api.test/v1/x");
        assert_eq!(place.server, "api.test:443");
        assert_eq!(
            ShownAddress::of("api.test/x?key=secret").address,
            "api.test/x"
        );
    }

    #[test]
    fn a_problem_with_a_certificate_is_explained() {
        let place = ShownAddress::of("https://api.test");
        for (reason, expected) in [
            (CertificateError::UnknownIssuer, "set `SSL_CERT_FILE` to"),
            (CertificateError::Expired, "its certificate has expired"),
            (
                CertificateError::NotValidForName,
                "its certificate is not for `api.test`",
            ),
            (CertificateError::Revoked, "its certificate is not valid"),
        ] {
            let told = of_tls(&rustls::Error::InvalidCertificate(reason), &place);
            assert!(
                told.starts_with("cannot connect securely to `api.test:443`: "),
                "{told}"
            );
            assert!(told.contains(expected), "{told}");
        }
    }
}
