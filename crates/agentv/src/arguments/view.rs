//! The command line of `agentv view`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

/// Show runs on a page in the browser
///
/// Starts a server on this machine and prints its address. The page lists the runs of the project and
/// shows their trials, also while a run is in progress. Only this machine can reach it, unless you set
/// `--host`. Press Ctrl-C to stop the server.
///
/// People can label answers on the page: `.agentv/labels.jsonl` gets a line per answer, which
/// `agentv judge calibrate` reads.
///
/// An index of each run that you open is kept in `.agentv/view`. You can delete it at any time. Nothing
/// else is written.
///
/// `--bundle DIR` starts no server: it writes the runs to a folder as a static site.
///
/// Exit codes: 0 the bundle was written, 2 the command line is invalid or the address is in use, 5 the
/// bundle could not be written, 130 interrupted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv view                     the runs of the project
  agentv view --open              and open the browser
  agentv view latest              the newest run only
  agentv view ../other-project
  agentv view --port 8080
  agentv view --bundle site       a static site for any web server")]
pub(crate) struct ViewArguments {
    /// A project, a results folder, a run folder, a run id or `latest` (default: this project)
    pub(crate) path: Option<String>,
    /// Listen on port N; 0 for any free port (default: 7333, or a free port if that is in use)
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Listen on ADDRESS instead of 127.0.0.1; requests then need the token in the printed address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<IpAddr>,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Name in the labels that are written on the page (default: the user of the system)
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Write the runs to DIR as a static site, instead of serving them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "host", "open", "user"])]
    pub(crate) bundle: Option<PathBuf>,
}
