//! A self-signed certificate.

use std::io;
use std::sync::Arc;

use rcgen::generate_simple_self_signed;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

/// A certificate of this server, and the acceptor that uses it.
pub(crate) struct SelfSigned {
    pub(crate) pem: String,
    pub(crate) acceptor: TlsAcceptor,
}

impl SelfSigned {
    pub(crate) fn new() -> io::Result<SelfSigned> {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = generate_simple_self_signed(names).map_err(io::Error::other)?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(
                vec![made.cert.der().clone()],
                key.map_err(io::Error::other)?,
            )
            .map_err(io::Error::other)?;
        Ok(SelfSigned {
            pem: made.cert.pem(),
            acceptor: TlsAcceptor::from(Arc::new(config)),
        })
    }
}
