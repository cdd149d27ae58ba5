//! One server, and one target of each protocol that asks it.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Provider, ProviderError, Request, Transcript};
use agentv_providers::{Environment, ResolvedTarget, Surroundings, Targets};
use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer};
use tokio_util::sync::CancellationToken;

/// The default key of every target, which must never be shown.
pub(crate) const KEY: &str = "sk-very-secret-0123456789";

/// The time after which a test counts as hanging.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The targets, by the protocol that they speak. The answers of those that end in `-whole` are not
/// streamed.
pub(crate) const TARGETS: &[&str] = &[
    "chat",
    "responses",
    "anthropic",
    "gemini",
    "bedrock",
    "chat-whole",
    "responses-whole",
    "anthropic-whole",
    "gemini-whole",
    "bedrock-whole",
    "http",
];

/// A server, and targets that ask it.
pub(crate) struct Stage {
    pub(crate) server: ModelServer,
    project: Project,
    key: String,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        Stage::with(Behaviour::echo())
    }

    pub(crate) fn with(behaviour: Behaviour) -> Stage {
        let server = ModelServer::start(behaviour).unwrap();
        let file = targets_file(&server.url());
        let project = Project::new(&[("targets.yaml", &file)]).unwrap();
        Stage {
            server,
            project,
            key: KEY.to_owned(),
        }
    }

    /// Replaces the key.
    pub(crate) fn with_key(self, key: &str) -> Stage {
        Stage {
            key: key.to_owned(),
            ..self
        }
    }

    /// Returns a target of the file.
    pub(crate) fn target(&self, name: &str) -> ResolvedTarget {
        let folder = self.project.root().to_owned();
        let surroundings = Surroundings {
            folder: folder.clone(),
            root: folder.clone(),
            working_dir: folder,
        };
        let path = self.project.path("targets.yaml");
        let targets = Targets::read(&path, &Arc::from("targets.yaml"), &surroundings).unwrap();
        let variables = [("SECRET_KEY".to_owned(), self.key.clone())];
        targets.resolve(name, &Environment::new(variables)).unwrap()
    }

    /// Asks a target once, without cancelling.
    pub(crate) async fn ask(&self, name: &str, message: &str) -> Result<Transcript, ProviderError> {
        let target = self.target(name).target;
        let (provider, cancel) = (target.provider, CancellationToken::new());
        let asking = answer(provider.as_ref(), message, &cancel);
        let answered = tokio::time::timeout(PATIENCE, asking).await;
        answered.unwrap_or_else(|_| panic!("{name} hangs at {message}"))
    }
}

/// Asks a provider with a message.
pub(crate) async fn answer(
    provider: &dyn Provider,
    message: &str,
    cancel: &CancellationToken,
) -> Result<Transcript, ProviderError> {
    let request = Request::of_text(message, std::path::Path::new("/").into(), PATIENCE);
    provider.answer(&request, cancel).await
}

fn targets_file(url: &str) -> String {
    let mut models = String::new();
    for (suffix, stream) in [("", true), ("-whole", false)] {
        for (name, fields) in [
            ("chat", "provider: openai"),
            ("responses", "provider: openai, api: responses"),
            ("anthropic", "provider: anthropic"),
            ("gemini", "provider: gemini"),
            ("bedrock", "provider: bedrock"),
        ] {
            models.push_str(&format!(
                "  - {{name: {name}{suffix}, {fields}, model: m, stream: {stream}, \
                 api_key: \"${{{{ SECRET_KEY }}}}\", base_url: \"{url}\"}}\n"
            ));
        }
    }
    format!(
        r#"targets:
{models}  - name: http
    provider: http
    url: "{url}/ask"
    headers: {{Authorization: "Bearer ${{{{ SECRET_KEY }}}}"}}
    body: {{question: "{{{{ question }}}}"}}
    response_path: answer
"#
    )
}
