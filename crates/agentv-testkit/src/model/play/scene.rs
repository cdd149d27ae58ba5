//! The part of a request that decides the next step: the tools offered, and the results so far.

use serde_json::Value;

use crate::model::protocol::Protocol;

/// The state of an agent's conversation.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    pub(crate) tools: Vec<OfferedTool>,
    /// The number of results of tools.
    pub(crate) results: usize,
    /// The body of the request, in which a play finds its prompt.
    pub(crate) text: String,
    /// The folder that the agent works in, if it says so.
    pub(crate) folder: Option<String>,
}

/// A tool that the agent offers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    /// The schema of its arguments; `None` if it takes a text in a format of its own.
    pub(crate) schema: Option<Value>,
}

impl Scene {
    pub(crate) fn of(protocol: Protocol, body: &[u8]) -> Scene {
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        let (tools, results) = match protocol {
            Protocol::OpenAiChat => (chat_tools(&request), chat_results(&request)),
            Protocol::OpenAiResponses => (responses_tools(&request), responses_results(&request)),
            Protocol::Anthropic => (anthropic_tools(&request), anthropic_results(&request)),
            Protocol::Gemini => (gemini_tools(&request), gemini_results(&request)),
            Protocol::Converse | Protocol::Plain => (Vec::new(), 0),
        };
        let mut text = String::new();
        gather(&request, &mut text);
        Scene {
            tools,
            results,
            folder: folder_in(&text),
            text,
        }
    }

    /// Returns the first of these tools that the agent offers.
    pub(crate) fn tool(&self, names: &[&str]) -> Option<&OfferedTool> {
        names
            .iter()
            .find_map(|name| self.tools.iter().find(|tool| tool.name == *name))
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn offered(name: &Value, schema: Option<&Value>) -> Option<OfferedTool> {
    Some(OfferedTool {
        name: name.as_str()?.to_owned(),
        schema: schema.cloned(),
    })
}

fn chat_tools(request: &Value) -> Vec<OfferedTool> {
    let tools = items(&request["tools"]).map(|tool| &tool["function"]);
    tools
        .filter_map(|tool| offered(&tool["name"], Some(&tool["parameters"])))
        .collect()
}

fn chat_results(request: &Value) -> usize {
    let messages = items(&request["messages"]);
    messages.filter(|message| message["role"] == "tool").count()
}

fn responses_tools(request: &Value) -> Vec<OfferedTool> {
    let tools = items(&request["tools"]).filter_map(|tool| match tool["type"].as_str()? {
        "function" => offered(&tool["name"], Some(&tool["parameters"])),
        "custom" => offered(&tool["name"], None),
        _ => None,
    });
    tools.collect()
}

fn responses_results(request: &Value) -> usize {
    let kinds = items(&request["input"]).filter_map(|item| item["type"].as_str());
    kinds.filter(|kind| kind.ends_with("_call_output")).count()
}

fn anthropic_tools(request: &Value) -> Vec<OfferedTool> {
    items(&request["tools"])
        .filter_map(|tool| offered(&tool["name"], Some(&tool["input_schema"])))
        .collect()
}

fn anthropic_results(request: &Value) -> usize {
    let blocks = items(&request["messages"]).flat_map(|message| items(&message["content"]));
    blocks
        .filter(|block| block["type"] == "tool_result")
        .count()
}

fn gemini_tools(request: &Value) -> Vec<OfferedTool> {
    let tools = items(&request["tools"]).flat_map(|tool| items(&tool["functionDeclarations"]));
    tools
        .filter_map(|tool| {
            let schema = tool.get("parametersJsonSchema");
            offered(&tool["name"], Some(schema.unwrap_or(&tool["parameters"])))
        })
        .collect()
}

fn gemini_results(request: &Value) -> usize {
    let parts = items(&request["contents"]).flat_map(|content| items(&content["parts"]));
    parts
        .filter(|part| part.get("functionResponse").is_some())
        .count()
}

/// Appends all texts in a value, each on a line of its own.
fn gather(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => {
            text.push_str(string);
            text.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, text)),
        Value::Object(fields) => fields.values().for_each(|field| gather(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Finds the folder in the words of the agents, such as `Working directory: /work`.
fn folder_in(text: &str) -> Option<String> {
    const WORDS: &[&str] = &[
        "orking directory: ",
        "orking directory is: ",
        "current working directory: ",
        "<cwd>",
        "working in the directory: ",
        "workspace directories:\n  - ",
        "Workspace Directories:**\n  - ",
    ];
    let mut found = WORDS.iter().filter_map(|words| {
        let (_, after) = text.split_once(words)?;
        let end = after.find(['\n', '<', '`'])?;
        let folder = after[..end].trim();
        folder.starts_with('/').then(|| folder.to_owned())
    });
    found.next()
}
