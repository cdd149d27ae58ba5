//! Reading a response within bounds.

use agentv_core::{Cause, ProviderError};
use reqwest::Response;

use crate::network::network_error;

/// The most that an answer may have.
const LARGEST: usize = 64 << 20;
/// What of an error's page is worth reading.
const BEGINNING: usize = 8 << 10;

/// The whole text of a response.
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
            return Err(unusable(format!("the response has more than {most} MiB")));
        }
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        unusable(format!("the response is not UTF-8 from byte {at} on"))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The beginning of a response, as much as comes.
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
