//! Where the prompt of a judge comes from.

use std::sync::{Arc, LazyLock};

use agentv_core::Subject;
use serde_json::Value;

use super::fence::Fence;
use super::script::PromptScript;
use super::template::Template;
use crate::builder::{BuildContext, Builder};
use crate::error::BuildError;
use crate::files;
use crate::options::Options;
use crate::script::Script;

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
    Script(Box<PromptScript>),
}

impl PromptSource {
    pub(crate) fn of(options: &Options<'_>, builder: &Builder) -> Result<PromptSource, BuildError> {
        match options.get("prompt") {
            None => Ok(PromptSource::Usual),
            Some(written @ Value::String(text)) => {
                let template = builder.templates.get_or_make(written, || {
                    let (source, file) = source_of(text, builder.context())?;
                    let broken = |reason| match file {
                        Some(file) => format!("`{file}`: {reason}"),
                        None => reason,
                    };
                    Template::parse(&source).map(Arc::new).map_err(broken)
                });
                let template = template.map_err(|problem| options.invalid("prompt", problem))?;
                Ok(PromptSource::Template(template))
            }
            Some(_) => Ok(PromptSource::Script(Box::new(script(options, builder)?))),
        }
    }

    /// What the judge is shown; `results` are those of other evaluators, where it joins them.
    pub(super) async fn render(
        &self,
        subject: &Subject<'_>,
        fence: &Fence,
        results: Option<&str>,
    ) -> Result<String, String> {
        let fill = |template: &Template| template.fill(subject, fence, results);
        let unfilled = |reason| format!("the prompt cannot be filled: {reason}");
        match self {
            PromptSource::Usual => match &*USUAL_TEMPLATE {
                Some(template) => fill(template).map_err(unfilled),
                None => Err(unfilled("the usual template is broken".to_owned())),
            },
            PromptSource::Template(template) => fill(template).map_err(unfilled),
            PromptSource::Script(script) => script.run(subject, fence).await,
        }
    }
}

/// The template that a resolved case holds, or the one in the file that it names by a path from the
/// root, with that path.
fn source_of<'t>(
    text: &'t str,
    context: &BuildContext,
) -> Result<(String, Option<&'t str>), String> {
    let is_path = text.starts_with('/') && !text.contains(['\n', '{']);
    match is_path {
        true => Ok((files::read_text(text, context)?, Some(text))),
        false => Ok((text.to_owned(), None)),
    }
}

fn script(options: &Options<'_>, builder: &Builder) -> Result<PromptScript, BuildError> {
    let Some(prompt) = options.object("prompt")? else {
        return Err(options.invalid("prompt", "it is missing"));
    };
    let config = prompt.object("config")?;
    let config = config.map(|config| config.values().clone());
    Ok(PromptScript {
        script: Script::of(&prompt, builder, "prompt script")?,
        config: config.unwrap_or_default(),
        root: builder.context().root.clone(),
    })
}
