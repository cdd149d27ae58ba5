//! The tools that a model is offered, and the calls that it makes.

use std::sync::OnceLock;

use agentv_core::{
    BoxFuture, Cause, OfferedTool, ProviderError, Request, Secrets, ToolCall, ToolOutput, Toolbox,
};
use futures_util::future::{join_all, try_join_all};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::command;
use super::entries::{Entries, Entry, Source, wrong};
use super::mcp::Server;
use super::{CallOutput, ToolFailure};
use crate::target::{SettingError, Settings};
use crate::wire::{Tool, ToolChoice};

/// The number of requests that a trial may make by default.
const MAX_STEPS: u64 = 10;

/// The tools of a target.
pub(in crate::model) struct Tools {
    entries: Vec<Entry>,
    servers: Vec<Server>,
    max_steps: u32,
    /// Known once all servers are connected.
    offered: OnceLock<Offered>,
    /// The values that an error must not repeat.
    secrets: Secrets,
}

/// The tools that a model is offered, and the origins of their results in the same order.
struct Offered {
    tools: Vec<Tool>,
    sources: Vec<Source>,
}

impl Tools {
    /// Reads the tools of a target. Nothing is connected yet.
    ///
    /// # Errors
    /// If an entry is wrong, or two tools have the same name.
    pub(in crate::model) fn of(settings: &Settings) -> Result<Tools, SettingError> {
        let entries = Entries::of(settings)?;
        let max_steps = settings.count("max_steps")?.unwrap_or(MAX_STEPS);
        let servers = entries.servers.into_iter().map(Server::new);
        let tools = Tools {
            entries: entries.list,
            servers: servers.collect(),
            max_steps: u32::try_from(max_steps).unwrap_or(u32::MAX).max(1),
            offered: OnceLock::new(),
            secrets: settings.secret_values().secrets,
        };
        // The tools of the file alone are known now, and their names must differ.
        let own = tools.combine(&[]).map_err(|problem| wrong(&problem))?;
        if tools.servers.is_empty() {
            let _ = tools.offered.set(own);
        }
        Ok(tools)
    }

    /// Checks that the tool which the model must call is one of these. The tools of servers are not known
    /// yet.
    ///
    /// # Errors
    /// If there is no such tool, or none at all.
    pub(in crate::model) fn check_choice(
        &self,
        choice: Option<&ToolChoice>,
    ) -> Result<(), SettingError> {
        let (Some(choice), true) = (choice, self.servers.is_empty()) else {
            return Ok(());
        };
        let offered = self.offered();
        let name = match choice {
            _ if offered.is_empty() => {
                let hint = "remove it, or give the target `tools`";
                return Err(SettingError::of("tool_choice", "there are no `tools`").hint(hint));
            }
            ToolChoice::Named(name) => name,
            ToolChoice::Auto | ToolChoice::None | ToolChoice::Required => return Ok(()),
        };
        if offered.iter().any(|tool| tool.name == *name) {
            return Ok(());
        }
        let problem = format!("there is no tool `{name}`");
        let known = names(offered);
        let hint = format!("write `auto`, `none`, `required`, or a tool: {known}");
        Err(SettingError::of("tool_choice", problem).hint(hint))
    }

    /// Connects the servers, unless that was done before.
    ///
    /// # Errors
    /// If a server cannot be reached, or lacks a tool.
    pub(in crate::model) async fn connect(
        &self,
        cancel: &CancellationToken,
    ) -> Result<(), ProviderError> {
        if self.offered.get().is_some() {
            return Ok(());
        }
        let lists = self.servers.iter().map(|server| server.tools(cancel));
        let lists = try_join_all(lists).await;
        let lists = lists.map_err(|error| self.without_secrets(error))?;
        let offered = self.combine(&lists);
        let offered = offered.map_err(|problem| ProviderError::new(Cause::Setup, problem))?;
        let _ = self.offered.set(offered);
        Ok(())
    }

    /// Ends the servers, and waits for them.
    pub(in crate::model) async fn end(&self) {
        join_all(self.servers.iter().map(Server::end)).await;
    }

    /// Returns the tools for the request. Those of servers are missing before they are connected.
    pub(in crate::model) fn offered(&self) -> &[Tool] {
        self.offered.get().map_or(&[], |offered| &offered.tools)
    }

    /// Returns true if the tools of all servers are known.
    pub(in crate::model) fn is_connected(&self) -> bool {
        self.offered.get().is_some()
    }

    /// Returns the tools with the origins of their results.
    pub(in crate::model) fn profile(&self) -> Vec<OfferedTool> {
        let Some(offered) = self.offered.get() else {
            return Vec::new();
        };
        let tools = offered.tools.iter().zip(&offered.sources);
        let tools = tools.map(|(tool, source)| OfferedTool {
            name: tool.name.clone(),
            source: match source {
                Source::Nothing => None,
                Source::Fixed { .. } => Some("output".to_owned()),
                Source::Command(_) => Some("command".to_owned()),
                Source::Server(server) => Some(self.servers[*server].to_string()),
            },
        });
        tools.collect()
    }

    /// Returns true if some tool has a result, so that the model may continue.
    pub(in crate::model) fn has_results(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| match entry {
            Entry::Own { source, .. } => *source != Source::Nothing,
            Entry::Server { .. } => true,
        })
    }

    /// Returns the commands that the tools run.
    pub(in crate::model) fn commands(&self) -> Vec<Vec<String>> {
        let own = self.entries.iter().filter_map(|entry| match entry {
            Entry::Own {
                source: Source::Command(argv),
                ..
            } => Some(argv.clone()),
            Entry::Own { .. } | Entry::Server { .. } => None,
        });
        let servers = self.servers.iter().filter_map(Server::command);
        own.chain(servers).collect()
    }

    /// Combines the tools of the file with the lists of the servers. Without a list, a server offers
    /// nothing.
    fn combine(&self, lists: &[Vec<Tool>]) -> Result<Offered, String> {
        let mut offered = Offered {
            tools: Vec::new(),
            sources: Vec::new(),
        };
        for entry in &self.entries {
            match entry {
                Entry::Own { tool, source } => offered.add(tool.clone(), source.clone())?,
                Entry::Server { server, only } => {
                    let Some(list) = lists.get(*server) else {
                        continue;
                    };
                    let chosen = chosen(list, only.as_deref());
                    let chosen = chosen.map_err(|name| {
                        let server = &self.servers[*server];
                        format!("{server} has no tool `{name}`; it has {}", names(list))
                    })?;
                    for tool in chosen {
                        offered.add(tool.clone(), Source::Server(*server))?;
                    }
                }
            }
        }
        Ok(offered)
    }

    /// Runs a call. The model gets the inner error.
    async fn run(
        &self,
        call: &ToolCall,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Result<CallOutput, ToolFailure>, ProviderError> {
        match self.source(&call.tool) {
            None | Some(Source::Nothing) => {
                Ok(Err(format!("there is no tool `{}`", call.tool).into()))
            }
            Some(Source::Fixed {
                by_input,
                otherwise,
            }) => {
                let input = call.input.as_ref().unwrap_or(&Value::Null);
                let known = by_input.iter().find(|(given, _)| holds(input, given));
                let output = known.map(|(_, output)| output).or(otherwise.as_ref());
                let missing = || ToolFailure::from("there is no output for these arguments");
                Ok(output.cloned().map(CallOutput::from).ok_or_else(missing))
            }
            Some(Source::Command(_)) if matches!(call.input, Some(Value::String(_))) => {
                Ok(Err("the arguments are not a JSON object".into()))
            }
            Some(Source::Command(argv)) => {
                let printed = command::run(argv, call, request, cancel).await?;
                Ok(printed.map(CallOutput::from))
            }
            Some(Source::Server(server)) => {
                let server = &self.servers[*server];
                let answered = server.call(call, request.timeout, cancel).await;
                answered.map_err(|error| self.without_secrets(error))
            }
        }
    }

    /// Removes secrets from the words of a server.
    fn without_secrets(&self, error: ProviderError) -> ProviderError {
        ProviderError {
            message: self.secrets.redact(&error.message).into_owned(),
            ..error
        }
    }

    fn source(&self, tool: &str) -> Option<&Source> {
        let offered = self.offered.get()?;
        let place = offered.tools.iter().position(|known| known.name == tool)?;
        offered.sources.get(place)
    }
}

impl Offered {
    fn add(&mut self, tool: Tool, source: Source) -> Result<(), String> {
        if self.tools.iter().any(|known| known.name == tool.name) {
            return Err(format!(
                "two tools are called `{}`; choose the tools of a server with `tools` of its `mcp`",
                tool.name
            ));
        }
        self.tools.push(tool);
        self.sources.push(source);
        Ok(())
    }
}

/// Returns the chosen tools of a list, or the name of one that it lacks.
fn chosen<'l, 'n>(list: &'l [Tool], only: Option<&'n [String]>) -> Result<Vec<&'l Tool>, &'n str> {
    let Some(only) = only else {
        return Ok(list.iter().collect());
    };
    let named = only.iter().map(|name| {
        let tool = list.iter().find(|tool| tool.name == *name);
        tool.ok_or(name.as_str())
    });
    named.collect()
}

/// Returns the names of tools for a message.
fn names(list: &[Tool]) -> String {
    if list.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = list.iter().map(|tool| format!("`{}`", tool.name)).collect();
    names.join(", ")
}

impl Toolbox for Tools {
    fn answers(&self, tool: &str) -> bool {
        self.source(tool) != Some(&Source::Nothing)
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolOutput, ProviderError>> {
        Box::pin(async move {
            Ok(match self.run(call, request, cancel).await? {
                Ok(CallOutput { output, blocks }) => ToolOutput {
                    output,
                    blocks,
                    is_error: false,
                },
                Err(failure) => ToolOutput {
                    output: Value::String(failure.to_string()),
                    blocks: Vec::new(),
                    is_error: true,
                },
            })
        })
    }

    fn max_steps(&self) -> u32 {
        self.max_steps
    }
}

/// Checks that `value` has everything of `part`: every field of an object, and equal values elsewhere.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => part.iter().all(|(name, part)| {
            let value = value.get(name);
            value.is_some_and(|value| holds(value, part))
        }),
        (value, part) => value == part,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Environment;

    #[test]
    fn an_output_is_found_by_the_arguments_that_it_names() {
        assert!(holds(
            &json!({"a": {"b": 1, "c": 2}}),
            &json!({"a": {"b": 1}})
        ));
        assert!(!holds(&json!({"a": 1}), &json!({"a": 2})));
        assert!(!holds(&json!({"a": 1}), &json!({"b": 1})));
        assert!(holds(&json!({"a": 1}), &json!({})));
    }

    fn tools(written: Value) -> Result<Tools, String> {
        let settings = Settings::of_test(json!({"tools": written}), Environment::default());
        Tools::of(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn an_entry_that_cannot_be_used_is_an_error_that_says_why() {
        for (written, problem) in [
            (
                json!([{"name": "a"}, {"name": "a"}]),
                "two tools are called `a`",
            ),
            (json!([{"mcp": {}}]), "`mcp` needs `command` or `url`"),
            (
                json!([{"mcp": {"command": ["x"], "url": "http://h"}}]),
                "`command` and `url` exclude each other",
            ),
            (
                json!([{"mcp": {"command": []}}]),
                "`command` of `mcp` needs a program",
            ),
            (
                json!([{"mcp": {"url": "ftp://h"}}]),
                "`url` of `mcp` must begin with `http://` or `https://`",
            ),
            (
                json!([{"mcp": {"command": ["x"]}, "output": 1}]),
                "`mcp` and `output` exclude each other",
            ),
        ] {
            let error = tools(written.clone()).err().unwrap_or_default();
            assert!(error.contains(problem), "{written}: {error}");
        }
    }

    #[test]
    fn entries_with_the_same_server_share_it() {
        let server = |tools: Value| json!({"mcp": {"command": ["x"], "tools": tools}});
        let written =
            json!([server(json!(["a"])), server(json!(["b"])), {"mcp": {"command": ["y"]}}]);
        let tools = tools(written).unwrap();
        assert_eq!(tools.servers.len(), 2);
        assert_eq!(tools.commands(), [["x"], ["y"]]);
        assert!(tools.has_results());
    }

    #[test]
    fn chosen_tools_are_those_that_are_named_and_a_missing_one_is_an_error() {
        let tool = |name: &str| Tool {
            name: name.to_owned(),
            description: None,
            parameters: json!({}),
        };
        let list = vec![tool("a"), tool("b")];
        let written = json!([{"name": "own"}, {"mcp": {"command": ["x"], "tools": ["b"]}}]);
        let some = tools(written).unwrap();
        let offered = some.combine(std::slice::from_ref(&list)).unwrap();
        let names: Vec<&str> = offered
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(names, ["own", "b"]);
        let lacking = tools(json!([{"name": "c", "mcp": {"command": ["x"]}}])).unwrap();
        let error = lacking
            .combine(std::slice::from_ref(&list))
            .err()
            .unwrap_or_default();
        assert_eq!(error, "the MCP server `x` has no tool `c`; it has `a`, `b`");
        let twice = tools(json!([{"name": "a"}, {"mcp": {"command": ["x"]}}])).unwrap();
        let error = twice.combine(&[list]).err().unwrap_or_default();
        assert!(error.starts_with("two tools are called `a`"), "{error}");
    }
}
