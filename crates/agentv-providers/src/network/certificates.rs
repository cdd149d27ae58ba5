//! The certificates of the system, which are read when the first server shows its own.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// Returns the settings of TLS connections: the certificates of the system, HTTP/2 or HTTP/1.1.
///
/// # Errors
/// If the provider supports no version of TLS.
pub(super) fn tls_settings(provider: Arc<CryptoProvider>) -> Result<ClientConfig, Error> {
    let certificates = SystemCertificates {
        provider: Arc::clone(&provider),
        verifier: OnceLock::new(),
    };
    let settings = ClientConfig::builder_with_provider(provider);
    let settings = settings.with_safe_default_protocol_versions()?.dangerous();
    let settings = settings.with_custom_certificate_verifier(Arc::new(certificates));
    let mut settings = settings.with_no_client_auth();
    settings.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(settings)
}

/// The verifier of the system, made for the first server that is verified. To read all certificates takes longer
/// than the rest of a start, and many servers on this machine need none.
#[derive(Debug)]
struct SystemCertificates {
    provider: Arc<CryptoProvider>,
    verifier: OnceLock<Result<Verifier, Error>>,
}

impl ServerCertVerifier for SystemCertificates {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let make = || Verifier::new(Arc::clone(&self.provider));
        let verifier = self.verifier.get_or_init(make);
        let verifier = verifier.as_ref().map_err(Clone::clone)?;
        verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
