//! The page on a run, served while the run is in progress.

use std::io::{self, IsTerminal};
use std::thread;

use agentv_journal::RunFolder;
use agentv_project::ProjectError;
use agentv_view::Runs;

use crate::output;
use crate::page_server::{self, PageServer};
use crate::signals::StopRequests;

/// A page on a run, served until the process ends.
pub(crate) struct RunView {
    address: String,
}

impl RunView {
    /// Serves the runs beside a run, and opens its page in the browser.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub(crate) fn start(run: &RunFolder) -> Result<RunView, ProjectError> {
        let results = run.path().parent().unwrap_or(run.path());
        let runs = || Runs::of_folder(results).with_user(&page_server::user_name());
        let PageServer { runtime, server } = PageServer::on_usual_port(&runs)?;
        let address = format!("{}run/{}", server.address(), run.id());
        thread::spawn(move || runtime.block_on(server.run()));
        output::note(&format!("the run is shown at {address}"));
        if !page_server::opens(&address) {
            output::note("no browser could be started: open the address yourself");
        }
        Ok(RunView { address })
    }

    /// Serves the page until Ctrl-C, if somebody sits at a terminal.
    pub(crate) fn stay(&self) {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return;
        }
        if let Ok(mut requests) = StopRequests::take_over() {
            output::note(&format!(
                "{} stays open: press Ctrl-C to stop",
                self.address
            ));
            requests.next();
        }
    }
}
