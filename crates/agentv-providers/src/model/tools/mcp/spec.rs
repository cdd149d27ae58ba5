//! A server of tools, as the user describes it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::excerpt::excerpt;
use crate::model::tools::entries::{argv, wrong};
use crate::target::{SettingError, Settings};

/// The time that a server has to be ready, and to answer a call, by default.
const USUAL_TIMEOUT: Duration = Duration::from_secs(60);

/// A server of tools.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::model::tools) struct ServerSpec {
    pub(super) place: ServerPlace,
    /// The longest that it may take to be ready, and to answer a call.
    pub(super) timeout: Duration,
}

/// The way to a server.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ServerPlace {
    /// A command that reads and writes messages, one per line.
    Command {
        argv: Vec<String>,
        folder: PathBuf,
        /// The variables on top of the inherited environment.
        variables: Vec<(String, String)>,
    },
    /// An address that takes messages as requests.
    Address { url: Url, headers: HeaderMap },
}

impl ServerSpec {
    /// Reads the field `mcp` of a tool. Returns the names of the chosen tools, too, if the user chose.
    ///
    /// # Errors
    /// If the server has no place, or two.
    pub(in crate::model::tools) fn of(
        settings: &Settings,
        written: &Value,
    ) -> Result<(ServerSpec, Option<Vec<String>>), SettingError> {
        let field = |name: &str| written.get(name).filter(|value| !value.is_null());
        let place = match (field("command"), field("url").and_then(Value::as_str)) {
            (None, None) => return Err(wrong("`mcp` needs `command` or `url`")),
            (Some(_), Some(_)) => {
                return Err(wrong("`command` and `url` exclude each other in `mcp`"));
            }
            (Some(words), None) => command(settings, written, words)?,
            (None, Some(url)) => address(written, url)?,
        };
        let spec = ServerSpec {
            place,
            timeout: timeout(field("timeout_seconds"))?,
        };
        let names = field("tools").and_then(Value::as_array);
        let names = names.map(|names| names.iter().filter_map(Value::as_str));
        Ok((spec, names.map(|names| names.map(str::to_owned).collect())))
    }

    /// Returns the words of the command, if the server is one. A word that is a file in the server's folder
    /// is the path of the file.
    pub(super) fn command(&self) -> Option<Vec<String>> {
        let ServerPlace::Command { argv, folder, .. } = &self.place else {
            return None;
        };
        let words = argv.iter().map(|word| {
            let file = folder.join(word);
            match file.to_str().filter(|_| file.is_file()) {
                Some(path) => path.to_owned(),
                None => word.clone(),
            }
        });
        Some(words.collect())
    }
}

/// Writes ``the MCP server `npx server` ``. An address is shown without a password and a query.
impl fmt::Display for ServerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.place {
            ServerPlace::Command { argv, .. } => argv.join(" "),
            ServerPlace::Address { url, .. } => {
                let mut url = url.clone();
                url.set_query(None);
                // These fail only for addresses without a host, which are refused.
                let _ = url.set_username("");
                let _ = url.set_password(None);
                url.to_string()
            }
        };
        write!(f, "the MCP server `{}`", excerpt(&name))
    }
}

fn command(
    settings: &Settings,
    written: &Value,
    words: &Value,
) -> Result<ServerPlace, SettingError> {
    let argv = argv(words).ok_or_else(|| wrong("`command` of `mcp` needs a program"))?;
    let folder = &settings.surroundings().folder;
    let cwd = written.get("cwd").and_then(Value::as_str);
    let added = settings.environment().added();
    let added = added.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let own = written.get("env").and_then(Value::as_object);
    let own = own.into_iter().flatten();
    let own = own.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Ok(ServerPlace::Command {
        argv,
        folder: folder.join(cwd.unwrap_or_default()),
        variables: added.chain(own).collect(),
    })
}

fn address(written: &Value, url: &str) -> Result<ServerPlace, SettingError> {
    let parsed = Url::parse(url).ok();
    let parsed = parsed.filter(|url| matches!(url.scheme(), "http" | "https"));
    let wrong_url = || wrong("`url` of `mcp` must begin with `http://` or `https://`");
    let mut headers = HeaderMap::new();
    let given = written.get("headers").and_then(Value::as_object);
    for (name, value) in given.into_iter().flatten() {
        let parsed_name = HeaderName::from_bytes(name.as_bytes()).ok();
        let value = value.as_str().map(HeaderValue::from_str);
        let (Some(key), Some(Ok(value))) = (parsed_name, value) else {
            let problem = format!("`headers` of `mcp`: `{name}` is not a valid header");
            return Err(wrong(&problem));
        };
        headers.insert(key, value);
    }
    Ok(ServerPlace::Address {
        url: parsed.ok_or_else(wrong_url)?,
        headers,
    })
}

fn timeout(written: Option<&Value>) -> Result<Duration, SettingError> {
    let Some(written) = written else {
        return Ok(USUAL_TIMEOUT);
    };
    let seconds = match written {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        other => other.as_f64(),
    };
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    timeout
        .filter(|timeout| !timeout.is_zero())
        .ok_or_else(|| wrong("`timeout_seconds` of `mcp` must be a number of seconds"))
}
