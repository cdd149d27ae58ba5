//! The ids by which promptfoo names providers, such as `openai:chat:gpt-5` and `exec:./agent`.

use serde_json::{Value, json};

use crate::kinds;

/// The target that an id means.
pub(crate) struct Meaning {
    pub(crate) provider: &'static str,
    pub(crate) fields: Vec<(&'static str, Value)>,
    /// The meaning of settings that are not options of the provider.
    pub(crate) settings: Settings,
}

/// The meaning of settings that are not options of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settings {
    /// They have none.
    Unknown,
    /// They are parameters of the request to a model.
    Parameters,
    /// They describe an HTTP request and where its response has the answer.
    Request,
}

/// Other names of vendors.
const VENDORS: [(&str, &str); 7] = [
    ("google", "gemini"),
    ("palm", "gemini"),
    ("azureopenai", "azure"),
    ("togetherai", "together"),
    ("fireworksai", "fireworks"),
    ("mistralai", "mistral"),
    ("llama.cpp", "llama_cpp"),
];

/// The words between vendor and model that name the usual API.
const APIS: [&str; 5] = ["chat", "messages", "completion", "converse", "gemini"];

/// The words between vendor and model that name something other than a chat.
const NOT_CHATS: [&str; 12] = [
    "embedding",
    "embeddings",
    "image",
    "moderation",
    "assistant",
    "realtime",
    "transcription",
    "speech",
    "tts",
    "live",
    "video",
    "agents",
];

/// Returns the meaning of an id; `None` if it has none that we know.
pub(crate) fn meaning(id: &str) -> Option<Meaning> {
    let plain = |provider: &'static str, fields: Vec<(&'static str, Value)>| {
        let settings = Settings::Unknown;
        Some(Meaning {
            provider,
            fields,
            settings,
        })
    };
    match id {
        "echo" => return plain("echo", Vec::new()),
        "http" | "https" => return Some(request(Vec::new())),
        "anthropic:claude-agent-sdk" | "anthropic:claude-code" => {
            return plain("claude-code", Vec::new());
        }
        "openai:codex-sdk" | "openai:codex" => return plain("codex", Vec::new()),
        _ if id.starts_with("http://") || id.starts_with("https://") => {
            return Some(request(vec![("url", json!(id))]));
        }
        _ => {}
    }
    if let Some(command) = id.strip_prefix("exec:") {
        let line = format!("{} {{PROMPT}}", command.trim());
        return plain("cli", vec![("command_template", json!(line))]);
    }
    if let Some(file) = python_file(id) {
        return plain("cli", vec![("command", python_command(file))]);
    }
    model(id)
}

/// Returns the meaning of an id that stands for HTTP requests.
fn request(fields: Vec<(&'static str, Value)>) -> Meaning {
    Meaning {
        provider: "http",
        fields,
        settings: Settings::Request,
    }
}

/// Returns the file of a provider written in Python, with its function.
fn python_file(id: &str) -> Option<&str> {
    let file = id.strip_prefix("python:").or_else(|| {
        let file = id.strip_prefix("file://")?;
        (file.ends_with(".py") || file.contains(".py:")).then_some(file)
    })?;
    Some(file.strip_prefix("file://").unwrap_or(file))
}

/// The program that calls a provider written in Python and prints its answer. It has no braces, because
/// those of a command are placeholders.
const CALL: &str = "\
import asyncio, importlib.util, inspect, json, os, sys
out, sys.stdout = sys.stdout, sys.stderr
path, name, prompt = sys.argv[1:4]
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
spec = importlib.util.spec_from_file_location('provider', path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
answer = getattr(module, name)(prompt, dict(config=dict()), dict(vars=dict()))
answer = asyncio.run(answer) if inspect.isawaitable(answer) else answer
if answer.get('error'): sys.exit(str(answer['error']))
output, usage = answer.get('output'), answer.get('tokenUsage') or dict()
printed = dict(text=output if isinstance(output, str) else json.dumps(output))
if usage: printed['token_usage'] = dict(input=usage.get('prompt') or 0, output=usage.get('completion') or 0)
if answer.get('cost') is not None: printed['cost_usd'] = answer['cost']
out.write(json.dumps(printed))
";

fn python_command(file: &str) -> Value {
    let (path, function) = match file.rsplit_once(':') {
        Some((path, function)) if path.ends_with(".py") => (path, function),
        _ => (file, "call_api"),
    };
    json!(["python3", "-c", CALL, path, function, "{PROMPT}"])
}

/// Returns the model of `VENDOR:MODEL` or `VENDOR:API:MODEL`.
fn model(id: &str) -> Option<Meaning> {
    let (vendor, rest) = id.split_once(':')?;
    let known = VENDORS.iter().find(|(theirs, _)| *theirs == vendor);
    let vendor = known.map_or(vendor, |(_, ours)| *ours);
    let kind = kinds::named(vendor).filter(|kind| kind.facts.is_vendor)?;
    let (api, model) = match rest.split_once(':') {
        Some((api, model)) if APIS.contains(&api) || api == "responses" => (Some(api), model),
        Some((word, _)) if NOT_CHATS.contains(&word) => return None,
        _ if NOT_CHATS.contains(&rest) => return None,
        _ => (None, rest),
    };
    let mut fields = vec![("model", json!(model))];
    if api == Some("responses") && kind.kind.options.field("api").is_some() {
        fields.push(("api", json!("responses")));
    }
    Some(Meaning {
        provider: kind.kind.name,
        fields,
        settings: Settings::Parameters,
    })
}

/// Returns the path that an expression such as `json.choices[0].text` takes from a response; `None` if the
/// expression is more than a path.
pub(crate) fn path_of_expression(expression: &str) -> Option<String> {
    let expression = expression.trim();
    let expression = ["(json) =>", "json =>", "(json, text) =>"]
        .into_iter()
        .find_map(|start| expression.strip_prefix(start))
        .unwrap_or(expression)
        .trim();
    if expression == "text" {
        return Some(String::new());
    }
    let rest = expression.strip_prefix("json")?;
    let path = rest.replace("?.", ".");
    let path = path.strip_prefix('.').unwrap_or(&path);
    let is_plain = path
        .chars()
        .all(|letter| letter.is_alphanumeric() || "_.[]-".contains(letter));
    (is_plain && !path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_models_name_vendor_api_and_model() {
        for (id, expected) in [
            ("openai:gpt-5", Some(("openai", "gpt-5"))),
            ("openai:chat:gpt-5", Some(("openai", "gpt-5"))),
            (
                "anthropic:messages:claude-sonnet-4-5",
                Some(("anthropic", "claude-sonnet-4-5")),
            ),
            ("google:gemini-2.5-pro", Some(("gemini", "gemini-2.5-pro"))),
            ("ollama:chat:llama3:8b", Some(("ollama", "llama3:8b"))),
            (
                "bedrock:us.amazon.nova-lite-v1:0",
                Some(("bedrock", "us.amazon.nova-lite-v1:0")),
            ),
            ("openai:embedding:text-embedding-3-large", None),
            ("replicate:meta/llama", None),
        ] {
            let found = meaning(id);
            let found = found
                .as_ref()
                .map(|it| (it.provider, it.fields[0].1.as_str().unwrap()));
            assert_eq!(found, expected, "{id}");
        }
        let responses = meaning("openai:responses:gpt-5").unwrap();
        assert_eq!(responses.fields[1], ("api", json!("responses")));
    }

    #[test]
    fn commands_files_and_addresses_are_providers() {
        let provider = |id| meaning(id).map(|it| it.provider);
        assert_eq!(provider("exec: ./agent --fast"), Some("cli"));
        assert_eq!(provider("file://agent.py:answer"), Some("cli"));
        assert_eq!(provider("https://example.com/answer"), Some("http"));
        assert_eq!(provider("file://agent.js"), None);
        let words = python_command("a/b.py:ask");
        assert_eq!((&words[3], &words[4]), (&json!("a/b.py"), &json!("ask")));
        assert!(!CALL.contains(['{', '}']));
    }

    #[test]
    fn expressions_that_are_paths_are_paths() {
        for (expression, path) in [
            (
                "json.choices[0].message.content",
                Some("choices[0].message.content"),
            ),
            ("json => json?.answer", Some("answer")),
            ("text", Some("")),
            ("json.a + json.b", None),
            ("file://parser.js", None),
        ] {
            assert_eq!(
                path_of_expression(expression).as_deref(),
                path,
                "{expression}"
            );
        }
    }
}
