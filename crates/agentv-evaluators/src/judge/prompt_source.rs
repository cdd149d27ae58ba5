//! The sources of a judge's prompt.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use agentv_core::Subject;
use agentv_syntax::TemplateError;
use serde_json::Value;
use thiserror::Error;

use super::fence::Fence;
use super::script::PromptScript;
use super::template::Template;
use crate::builder::{BuildContext, Builder};
use crate::error::BuildError;
use crate::files::{self, FileError};
use crate::options::Options;
use crate::script::{self, Script, ScriptError};

/// The default prompt.
const USUAL: &str = "\
{% if expected_outcome %}What a good answer achieves:
{{ expected_outcome }}

{% endif %}The question:
{{ question }}
{% if reference_answer is defined %}
A reference answer, which is right but need not be matched word by word:
{{ reference_answer }}
{% endif %}
The answer to grade:
{{ candidate_answer }}{% if file_changes %}

The changes that were made to the files, as a part of the answer:
{{ file_changes }}{% endif %}";

static USUAL_TEMPLATE: LazyLock<Result<Template, TemplateError>> =
    LazyLock::new(|| Template::parse(USUAL));

/// The reason why there is no prompt for an answer.
#[derive(Debug, Error)]
pub(super) enum PromptError {
    #[error("cannot fill in the prompt: {0}")]
    Template(TemplateError),
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// The reason why the option `prompt` cannot be used.
#[derive(Debug, Error)]
enum BrokenPrompt {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{0}")]
    Template(TemplateError),
    #[error("`{file}`: {reason}")]
    TemplateInFile { file: String, reason: TemplateError },
}

/// The source of a judge's prompt.
#[derive(Debug)]
pub(crate) enum PromptSource {
    /// The default template.
    Usual,
    /// A template written by the user.
    Template(Arc<Template>),
    /// A script that prints the prompt.
    Script(Box<PromptScript>),
}

impl PromptSource {
    pub(crate) fn of(options: &Options<'_>, builder: &Builder) -> Result<PromptSource, BuildError> {
        match options.get("prompt") {
            None => Ok(PromptSource::Usual),
            Some(written @ Value::String(text)) => {
                let template = builder.templates.get_or_make(written, || {
                    let (source, file) = source_of(text, builder.context())?;
                    let template = Template::parse(&source).map_err(|reason| match file {
                        Some(file) => BrokenPrompt::TemplateInFile {
                            file: file.to_owned(),
                            reason,
                        },
                        None => BrokenPrompt::Template(reason),
                    })?;
                    Ok::<_, BrokenPrompt>(Arc::new(template))
                });
                let template = template.map_err(|problem| options.invalid("prompt", problem))?;
                Ok(PromptSource::Template(template))
            }
            Some(_) => Ok(PromptSource::Script(Box::new(prompt_script(
                options, builder,
            )?))),
        }
    }

    /// Renders the prompt. `results` are those of other evaluators, if the judge combines them.
    pub(super) async fn render(
        &self,
        subject: &Subject<'_>,
        fence: &Fence,
        results: Option<&str>,
    ) -> Result<String, PromptError> {
        let template = match self {
            PromptSource::Usual => match &*USUAL_TEMPLATE {
                Ok(template) => template,
                Err(reason) => return Err(PromptError::Template(reason.clone())),
            },
            PromptSource::Template(template) => template,
            PromptSource::Script(script) => return Ok(script.run(subject, fence).await?),
        };
        let filled = template.fill(subject, fence, results);
        filled.map_err(PromptError::Template)
    }
}

/// Returns the template in a resolved case, or the one in the file that it names, with the file's
/// path from the root.
fn source_of<'t>(
    text: &'t str,
    context: &BuildContext,
) -> Result<(String, Option<&'t str>), FileError> {
    if is_path(text) {
        Ok((files::read_text(text, context)?, Some(text)))
    } else {
        Ok((text.to_owned(), None))
    }
}

fn is_path(prompt: &str) -> bool {
    prompt.starts_with('/') && !prompt.contains(['\n', '{'])
}

/// Returns true if a script prints the prompt.
pub(crate) fn runs_prompt_script(options: &Options<'_>) -> bool {
    options.get("prompt").is_some_and(Value::is_object)
}

/// Returns the file of the prompt, or the files that its script names.
pub(crate) fn prompt_files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    match options.get("prompt") {
        Some(written @ Value::String(text)) if is_path(text) => {
            files::named(written, root).into_iter().collect()
        }
        Some(Value::Object(_)) => match options.object("prompt") {
            Ok(Some(prompt)) => script_files(&prompt, root),
            Ok(None) | Err(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn script_files(prompt: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let mut found = script::files(prompt, root);
    if let Some(config) = prompt.get("config") {
        files::collect(config, root, &mut found);
    }
    found
}

fn prompt_script(options: &Options<'_>, builder: &Builder) -> Result<PromptScript, BuildError> {
    let Some(prompt) = options.object("prompt")? else {
        return Err(options.invalid("prompt", "missing"));
    };
    let config = prompt.object("config")?;
    let config = config.map(|config| config.values().clone());
    Ok(PromptScript {
        script: Script::of(&prompt, builder, "prompt script")?,
        config: config.unwrap_or_default(),
        root: builder.context().root.clone(),
    })
}
