//! Responses, read with a limit.

use agentv_core::{Cause, ProviderError};
use reqwest::Response;

use crate::network::network_error;

/// The most bytes that an answer may have.
const LARGEST: usize = 64 << 20;
/// The number of bytes that are read of an error page.
const BEGINNING: usize = 8 << 10;

/// Reads the whole text of a response.
///
/// # Errors
/// If the connection breaks, or the response is too large or not text.
pub(super) async fn text(response: &mut Response, url: &str) -> Result<String, ProviderError> {
    let unusable = |message: String| ProviderError::new(Cause::Answer, message);
    let mut bytes = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let Some(chunk) = chunk.map_err(|error| network_error(&error, url))? else {
            break;
        };
        if bytes.len() + chunk.len() > LARGEST {
            let most = LARGEST >> 20;
            return Err(unusable(format!("the response is larger than {most} MiB")));
        }
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        unusable(format!("the response is not valid UTF-8 at byte {at}"))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Reads the beginning of a response, as far as it arrives.
pub(super) async fn beginning(response: &mut Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= BEGINNING {
            bytes.truncate(BEGINNING);
            break;
        }
    }
    bytes
}
