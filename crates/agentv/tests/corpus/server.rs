//! The model server that commands of the corpus call. It misbehaves if the prompt says so.

use std::sync::OnceLock;

use agentv_testkit::model::{Behaviour, ModelServer};
use libtest_mimic::Failed;

static SERVER: OnceLock<ModelServer> = OnceLock::new();

/// Returns the address of the server, which runs as long as the tests do.
pub(crate) fn model_server() -> Result<String, Failed> {
    if let Some(server) = SERVER.get() {
        return Ok(server.url());
    }
    let server = ModelServer::start(Behaviour::echo())?;
    Ok(SERVER.get_or_init(|| server).url())
}
