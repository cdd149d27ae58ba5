//! The entries of the field `tools`.

use agentv_core::Extra;
use serde_json::Value;

use super::mcp::ServerSpec;
use crate::target::{SettingError, Settings};
use crate::wire::Tool;

/// The entries of the field `tools`, and the servers that they name, each once.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) list: Vec<Entry>,
    pub(super) servers: Vec<ServerSpec>,
}

/// An entry of the field `tools`.
pub(super) enum Entry {
    /// A tool that the file defines.
    Own { tool: Tool, source: Source },
    /// Tools of the server at this place of the list.
    Server {
        server: usize,
        /// The names of the chosen tools; `None` for all.
        only: Option<Vec<String>>,
    },
}

/// The origin of a tool's results.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// There is none: a call ends the trial.
    Nothing,
    /// Outputs for certain arguments, and one for all others.
    Fixed {
        by_input: Vec<(Value, Value)>,
        otherwise: Option<Value>,
    },
    /// The program that runs each call, and its arguments.
    Command(Vec<String>),
    /// The server at this place of the list.
    Server(usize),
}

impl Entries {
    /// Reads the tools of a target.
    ///
    /// # Errors
    /// If an entry is wrong.
    pub(super) fn of(settings: &Settings) -> Result<Entries, SettingError> {
        let mut entries = Entries::default();
        let Some(written) = settings.value("tools") else {
            return Ok(entries);
        };
        let items = written.as_array();
        let items = items.ok_or_else(|| wrong("expected an array of tools"))?;
        for item in items {
            let fields = item.as_object();
            let fields = fields.ok_or_else(|| wrong("expected an array of objects"))?;
            let entry = match fields.get("mcp").filter(|value| !value.is_null()) {
                Some(server) => entries.server(settings, fields, server)?,
                None => own(fields)?,
            };
            entries.list.push(entry);
        }
        Ok(entries)
    }

    /// Reads an entry with tools of a server. Entries with the same server share it.
    fn server(
        &mut self,
        settings: &Settings,
        fields: &Extra,
        written: &Value,
    ) -> Result<Entry, SettingError> {
        let excluded = ["output", "outputs", "command", "description", "parameters"];
        if let Some(name) = excluded.iter().find(|name| fields.contains_key(**name)) {
            let problem = format!("`mcp` and `{name}` exclude each other");
            return Err(wrong(&problem));
        }
        let (spec, mut only) = ServerSpec::of(settings, written)?;
        if let Some(name) = fields.get("name").and_then(Value::as_str) {
            only.get_or_insert_default().push(name.to_owned());
        }
        let known = self.servers.iter().position(|known| *known == spec);
        let server = known.unwrap_or_else(|| {
            self.servers.push(spec);
            self.servers.len() - 1
        });
        Ok(Entry::Server { server, only })
    }
}

/// Returns the error of an entry.
pub(super) fn wrong(problem: &str) -> SettingError {
    SettingError::of("tools", problem)
}

/// Reads an entry that defines a tool.
fn own(fields: &Extra) -> Result<Entry, SettingError> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let name = text("name").ok_or_else(|| wrong("a tool has no `name`"))?;
    Ok(Entry::Own {
        tool: Tool {
            name: name.to_owned(),
            description: text("description").map(str::to_owned),
            parameters: Tool::schema(match fields.get("parameters") {
                Some(Value::Object(parameters)) => parameters.clone(),
                _ => Extra::new(),
            }),
        },
        source: source(name, fields)?,
    })
}

fn source(name: &str, fields: &Extra) -> Result<Source, SettingError> {
    let wrong = |problem: &str| wrong(&format!("tool `{name}`: {problem}"));
    let by_input = fields.get("outputs").and_then(Value::as_array);
    let otherwise = fields.get("output").cloned();
    let is_fixed = by_input.is_some() || otherwise.is_some();
    match fields.get("command") {
        None if is_fixed => Ok(Source::Fixed {
            by_input: by_input.into_iter().flatten().map(pair).collect(),
            otherwise,
        }),
        None => Ok(Source::Nothing),
        Some(_) if is_fixed => Err(wrong("`command` and `output` exclude each other")),
        Some(words) => {
            let words = argv(words).ok_or_else(|| wrong("`command` needs a program"))?;
            Ok(Source::Command(words))
        }
    }
}

/// Returns the words of a command; `None` if it has no program.
pub(super) fn argv(written: &Value) -> Option<Vec<String>> {
    let words = written.as_array().into_iter().flatten();
    let words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    words
        .first()
        .is_some_and(|program| !program.is_empty())
        .then_some(words)
}

fn pair(entry: &Value) -> (Value, Value) {
    let field = |name: &str| entry.get(name).cloned().unwrap_or_default();
    (field("input"), field("output"))
}
