//! The reasons why an engine cannot be used.

/// The reason why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The address is wrong.
    #[error("`{address}` is not the address of an engine: {reason}")]
    Address {
        /// The address, without passwords.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The name of the engine is wrong.
    #[error("`{0}` is not the name of an engine: use letters, digits, `-` and `_`, at most 32")]
    Name(String),
    /// The file with credentials cannot be used.
    #[error("`{path}` cannot be used as credentials: {reason}")]
    Credentials {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// One of two variables that belong together is missing.
    #[error("`{set}` is set, but not `{missing}`: set both, or neither")]
    HalfSet {
        /// The variable that is set.
        set: &'static str,
        /// The variable that is missing.
        missing: &'static str,
    },
    /// No server answers.
    #[error(
        "no NATS server answers at `{address}`: {reason}; correct `--engine`, or start a server with \
         `nats-server -js -sd FOLDER`"
    )]
    NotConnected {
        /// The address, without passwords.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The server has no JetStream.
    #[error(
        "the NATS server at `{address}` has no JetStream: start it with `nats-server -js -sd FOLDER`"
    )]
    NoJetStream {
        /// The address, without passwords.
        address: String,
    },
    /// The server refused a request.
    #[error("the NATS server cannot {what}: {reason}")]
    Server {
        /// The request.
        what: &'static str,
        /// The reason.
        reason: String,
    },
    /// Another process coordinates the same run.
    #[error("run `{run}` is coordinated by another process ({by}): wait until it ends, or stop it")]
    Busy {
        /// The run.
        run: String,
        /// The other process.
        by: String,
    },
}

impl ClusterError {
    /// Returns a function that makes an error of the server.
    pub(crate) fn server<E: std::fmt::Display>(
        what: &'static str,
    ) -> impl FnOnce(E) -> ClusterError {
        move |error| ClusterError::Server {
            what,
            reason: error.to_string(),
        }
    }
}
