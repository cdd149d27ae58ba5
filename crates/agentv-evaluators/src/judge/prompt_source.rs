//! Where the prompt of a judge comes from.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use agentv_core::Subject;
use agentv_process::Runner;
use serde_json::Value;

use super::fence::Fence;
use super::script::PromptScript;
use super::template::Template;
use crate::builder::{BuildContext, Builder};
use crate::error::BuildError;
use crate::files;
use crate::options::Options;

/// What a judge is shown where the user does not say.
const USUAL: &str = "\
{% if expected_outcome %}What a good answer achieves:
{{ expected_outcome }}

{% endif %}The question:
{{ question }}
{% if reference_answer %}
A reference answer, which is right but need not be matched word by word:
{{ reference_answer }}
{% endif %}
The answer to grade:
{{ candidate_answer }}";

static USUAL_TEMPLATE: LazyLock<Option<Template>> = LazyLock::new(|| Template::parse(USUAL).ok());

/// Where the prompt of a judge comes from.
#[derive(Debug)]
pub(crate) enum PromptSource {
    /// Our own template.
    Usual,
    /// The user's.
    Template(Arc<Template>),
    /// A script that prints it.
    Script(PromptScript),
}

impl PromptSource {
    pub(crate) fn of(options: &Options<'_>, builder: &Builder) -> Result<PromptSource, BuildError> {
        match options.get("prompt") {
            None => Ok(PromptSource::Usual),
            Some(written @ Value::String(text)) => {
                let template = builder.templates.get_or_make(written, || {
                    let source = source_of(text, builder.context())?;
                    Template::parse(&source).map(Arc::new)
                });
                let template = template.map_err(|problem| options.invalid("prompt", problem))?;
                Ok(PromptSource::Template(template))
            }
            Some(_) => script(options, builder.context()).map(PromptSource::Script),
        }
    }

    /// What the judge is shown.
    pub(super) async fn render(
        &self,
        subject: &Subject<'_>,
        fence: &Fence,
    ) -> Result<String, String> {
        let unfilled = |reason| format!("the prompt cannot be filled: {reason}");
        match self {
            PromptSource::Usual => match &*USUAL_TEMPLATE {
                Some(template) => template.fill(subject, fence).map_err(unfilled),
                None => Err(unfilled("the usual template is broken".to_owned())),
            },
            PromptSource::Template(template) => template.fill(subject, fence).map_err(unfilled),
            PromptSource::Script(script) => script.run(subject, fence).await,
        }
    }
}

/// The template that a resolved case holds, or the one in the file that it names by a path from the
/// root.
fn source_of(text: &str, context: &BuildContext) -> Result<String, String> {
    let is_path = text.starts_with('/') && !text.contains(['\n', '{']);
    match is_path {
        true => files::read_text(text, context),
        false => Ok(text.to_owned()),
    }
}

fn script(options: &Options<'_>, context: &BuildContext) -> Result<PromptScript, BuildError> {
    let Some(prompt) = options.object("prompt")? else {
        return Err(options.invalid("prompt", "it is missing"));
    };
    let arguments = prompt.texts("script")?.unwrap_or_default();
    if arguments.is_empty() {
        return Err(prompt.invalid("script", "expected a command"));
    }
    let config = prompt.object("config")?;
    let folder = match prompt.text("cwd")? {
        Some(folder) => folder_of(folder, &context.root),
        None => context.root.clone(),
    };
    Ok(PromptScript {
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        config: config
            .map(|config| config.values().clone())
            .unwrap_or_default(),
        folder,
        runner: Runner::of_this_program(),
    })
}

/// A folder that a resolved case names: from the root, or one outside of it.
fn folder_of(folder: &str, root: &Path) -> PathBuf {
    let from_root = root.join(folder.trim_start_matches('/'));
    match from_root.is_dir() {
        true => from_root,
        false => PathBuf::from(folder),
    }
}
