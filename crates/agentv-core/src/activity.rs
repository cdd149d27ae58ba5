//! Reports of running targets, for people who watch a run.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Something that a target is doing while it works on its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// The tool that it calls; `None` if it says something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The essence of the arguments, such as a command or a path, or the beginning of the text.
    pub detail: String,
}

/// The place where a provider reports what its target is doing. It may drop reports, and it is free to
/// call at any time.
#[derive(Clone, Default)]
pub struct ActivityChannel(Option<Arc<dyn Fn(Activity) + Send + Sync>>);

impl ActivityChannel {
    /// Makes a channel to `receive`.
    pub fn new(receive: impl Fn(Activity) + Send + Sync + 'static) -> ActivityChannel {
        ActivityChannel(Some(Arc::new(receive)))
    }

    /// Reports the call of a tool.
    pub fn tool(&self, tool: impl Into<String>, detail: impl Into<String>) {
        self.send(|| Activity {
            tool: Some(tool.into()),
            detail: detail.into(),
        });
    }

    /// Reports a text of the target.
    pub fn text(&self, text: impl Into<String>) {
        self.send(|| Activity {
            tool: None,
            detail: text.into(),
        });
    }

    fn send(&self, activity: impl FnOnce() -> Activity) {
        if let Some(receive) = &self.0 {
            receive(activity());
        }
    }
}

/// Always equal: a channel does not change a request.
impl PartialEq for ActivityChannel {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for ActivityChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "ActivityChannel(open)",
            None => "ActivityChannel(closed)",
        })
    }
}
