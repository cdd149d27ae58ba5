//! The removal of containers that killed runs have left behind.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::owner::{LABEL, Owner};
use crate::{CommandSpec, Runner};

/// The time that an engine has to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Removes the containers of processes that have ended. One that cannot be removed stays until the next run.
pub(super) async fn remove(engine: &str, runner: &Runner, cancel: &CancellationToken) {
    let run = async |words: &[&str]| {
        let spec = CommandSpec::program(engine).args(words).deadline(PATIENCE);
        let finished = runner.run(spec, cancel).await.ok()?;
        let is_success = finished.status.success();
        is_success.then(|| finished.stdout.text().into_owned())
    };
    let filter = format!("label={LABEL}");
    let Some(ids) = run(&["ps", "--all", "--quiet", "--filter", &filter]).await else {
        return;
    };
    let format = format!("{{{{index .Config.Labels \"{LABEL}\"}}}}");
    for id in ids.split_whitespace() {
        let Some(label) = run(&["inspect", "--format", &format, id]).await else {
            continue;
        };
        if Owner::read(label.trim()).is_some_and(|owner| owner.has_ended()) {
            run(&["rm", "--force", id]).await;
        }
    }
}
