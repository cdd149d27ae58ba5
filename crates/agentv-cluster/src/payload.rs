//! Messages as bytes: a large one is stored, and the message names it.

use async_nats::jetstream::object_store::ObjectStore;
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use crate::error::ClusterError;

/// The largest message that is sent as it is. Servers usually accept 1 MiB.
const LARGEST: usize = 256 << 10;

/// The beginning of a message that names a stored one.
const MARK: &[u8] = b"{\"stored\":";

/// The name of a stored message.
#[derive(Serialize, Deserialize)]
struct Stored {
    stored: String,
}

/// Returns the bytes of a message. A large one is stored under `name` before.
pub(crate) async fn pack<T: Serialize>(
    store: &ObjectStore,
    name: impl FnOnce() -> String,
    message: &T,
) -> Result<Bytes, ClusterError> {
    let bytes = serde_json::to_vec(message).map_err(ClusterError::server("encode a message"))?;
    if bytes.len() <= LARGEST {
        return Ok(bytes.into());
    }
    let name = name();
    let stored = store.put(name.as_str(), &mut bytes.as_slice()).await;
    stored.map_err(ClusterError::server("store a large message"))?;
    let named = serde_json::to_vec(&Stored { stored: name });
    let named = named.map_err(ClusterError::server("encode a message"))?;
    Ok(named.into())
}

/// Returns the message of some bytes, and the name of its store object, if it was stored.
pub(crate) async fn unpack<T: DeserializeOwned>(
    store: &ObjectStore,
    bytes: &[u8],
) -> Result<(T, Option<String>), ClusterError> {
    let decode = ClusterError::server;
    if bytes.starts_with(MARK)
        && let Ok(Stored { stored }) = serde_json::from_slice::<Stored>(bytes)
    {
        let mut object = store
            .get(&stored)
            .await
            .map_err(ClusterError::server("find a large message"))?;
        let mut bytes = Vec::new();
        let read = object.read_to_end(&mut bytes).await;
        read.map_err(ClusterError::server("send a large message"))?;
        let message = serde_json::from_slice(&bytes).map_err(decode("decode a message"))?;
        return Ok((message, Some(stored)));
    }
    let message = serde_json::from_slice(bytes).map_err(decode("decode a message"))?;
    Ok((message, None))
}
