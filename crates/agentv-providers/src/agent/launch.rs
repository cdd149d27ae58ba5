//! The start of an agent for one trial.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agentv_core::WorkspaceFolders;

use super::settings::AgentSettings;
use crate::model::Price;

/// The name under which agents find the API in a configuration that we write. They do not know it, so that
/// none of their own facts about a vendor apply.
pub(crate) const OWN_PROVIDER: &str = "agentv";
/// The variable that such a configuration names for the key.
pub(crate) const OWN_KEY: &str = "AGENTV_AGENT_KEY";

/// One trial for an agent.
pub(crate) struct Assignment<'a> {
    pub(crate) settings: &'a AgentSettings,
    pub(crate) folders: &'a WorkspaceFolders,
    /// The address of the model's API: our proxy, or the one that the user set. `None` for the agent's
    /// own default.
    pub(crate) base_url: Option<&'a str>,
    /// The key to present there.
    pub(crate) api_key: Option<&'a str>,
    /// The cache that programs of this user share.
    pub(crate) shared_cache: Option<&'a Path>,
    /// True if this program runs as root.
    pub(crate) is_root: bool,
}

impl Assignment<'_> {
    /// Returns the prices of a million tokens: input, output, cached, written to the cache. An agent
    /// reports a cost of 0 if they are unknown.
    pub(crate) fn prices(&self) -> [f64; 4] {
        let price = self.settings.price.or(self.settings.listed_price);
        price.as_ref().map(Price::per_million).unwrap_or_default()
    }

    /// Returns a path below the home folder of the agent.
    pub(crate) fn home(&self, path: &str) -> PathBuf {
        self.folders.home.join(path)
    }
}

/// The command line, the variables and the files with which an agent starts.
#[derive(Debug, Default)]
pub(crate) struct Launch {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(String, OsString)>,
    /// The files to write first, below the home folder.
    pub(crate) files: Vec<(PathBuf, String)>,
    /// The folders to create first.
    pub(crate) folders: Vec<PathBuf>,
}

impl Launch {
    /// Starts with these arguments.
    pub(crate) fn with<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Launch {
        Launch::default().args(arguments)
    }

    /// Adds arguments.
    pub(crate) fn args<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Launch {
        self.arguments
            .extend(arguments.into_iter().map(OsString::from));
        self
    }

    /// Adds a path as an argument.
    pub(crate) fn path(mut self, path: &Path) -> Launch {
        self.arguments.push(path.as_os_str().to_owned());
        self
    }

    /// Adds an option with its value, if there is one.
    pub(crate) fn option(self, name: &str, value: Option<&str>) -> Launch {
        match value {
            Some(value) => self.args([name, value]),
            None => self,
        }
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Launch {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Sets a variable, if there is a value.
    pub(crate) fn env_if(self, name: &str, value: Option<&str>) -> Launch {
        match value {
            Some(value) => self.env(name, value),
            None => self,
        }
    }

    /// Adds a file to write first.
    pub(crate) fn file(mut self, path: PathBuf, content: impl Into<String>) -> Launch {
        self.files.push((path, content.into()));
        self
    }

    /// Adds a folder to create first.
    pub(crate) fn folder(mut self, path: PathBuf) -> Launch {
        self.folders.push(path);
        self
    }

    /// Writes the files and creates the folders.
    ///
    /// # Errors
    /// If one cannot be written.
    pub(crate) fn prepare(&self) -> std::io::Result<()> {
        for folder in &self.folders {
            std::fs::create_dir_all(folder)?;
        }
        for (path, content) in &self.files {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(path, content)?;
        }
        Ok(())
    }
}
