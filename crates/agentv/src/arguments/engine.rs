//! The command line of `agentv worker` and `agentv engine`, and the engine of `agentv run`.

use std::path::PathBuf;
use std::time::Duration;

use agentv_cluster::{EngineAddress, EngineName};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Args, Subcommand};

use super::values::{duration, from_one};

/// Reads the address of an engine. Unlike others, its errors do not repeat the value, which may hold a password.
#[derive(Debug, Clone)]
pub(super) struct EngineAddressParser;

impl TypedValueParser for EngineAddressParser {
    type Value = EngineAddress;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<EngineAddress, clap::Error> {
        let parsed: Result<EngineAddress, _> = value.to_string_lossy().parse();
        parsed.map_err(|error| {
            let message = format!("{error}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

/// The server that hands out trials.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct EngineArguments {
    /// NATS server, such as `nats://HOST:4222`; secrets may come from `NATS_USER` and `NATS_PASSWORD`,
    /// `NATS_TOKEN` or `NATS_CREDS`
    #[arg(long, value_name = "URL", value_parser = EngineAddressParser)]
    pub(crate) engine: EngineAddress,
    /// Name of the engine, if several share the server (default: `default`)
    #[arg(long, value_name = "NAME", default_value_t, hide_default_value = true)]
    pub(crate) engine_name: EngineName,
}

/// Execute trials of runs on other machines
///
/// Connects to a NATS server and executes trials of every run that was started with `agentv run --engine`,
/// until it is stopped. It needs no files of the project. Keys come from the environment of this machine,
/// and from a `.env` file in the working folder. On SIGTERM or Ctrl-C it takes no further trials, gives those
/// in flight some time, and hands back the rest; a second signal hands them back at once.
///
/// Exit codes: 0 it was stopped, 2 the command line is invalid or the server cannot be used.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv worker --engine nats://10.0.0.5:4222
  agentv worker --engine nats://10.0.0.5:4222 --slots 8")]
pub(crate) struct WorkerArguments {
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    /// Work on N trials at a time (default: 4)
    #[arg(long, value_name = "N", value_parser = from_one::<u32>)]
    pub(crate) slots: Option<u32>,
    /// File that defines the targets, instead of those of each run
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// Time that trials in flight get when the worker is stopped (default: 20s)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
}

/// Show or clean the engine that runs and workers share
#[derive(Debug, Args)]
pub(crate) struct EngineCommandArguments {
    #[command(subcommand)]
    pub(crate) action: EngineAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EngineAction {
    /// List the workers with their work, and the runs
    Status {
        #[command(flatten)]
        engine: EngineArguments,
    },
    /// Remove what crashed runs left on the server
    Clean {
        #[command(flatten)]
        engine: EngineArguments,
    },
}
