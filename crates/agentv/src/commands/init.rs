//! `agentv init`: creates a project with a first eval that runs at once.

use std::io::{self, Write};

use crate::arguments::{InitArguments, TemplateName};
use crate::exit::{CommandError, Exit};
use crate::new_files::{NewFile, create};
use crate::output;

/// Returns the file of a template.
macro_rules! file {
    ($path:literal, $template:literal) => {
        ($path, include_str!(concat!("../../templates/", $template)))
    };
}

const FIRST: &[NewFile] = &[
    file!("evals/first.yaml", "first.yaml"),
    file!(".agentv/targets.yaml", "targets.yaml"),
];

const CHAT: &[NewFile] = &[
    file!("evals/chat.yaml", "chat/chat.yaml"),
    file!(".agentv/targets.yaml", "chat/targets.yaml"),
];

const AGENT: &[NewFile] = &[
    file!("evals/agent.yaml", "agent/agent.yaml"),
    file!("agent.sh", "agent/agent.sh"),
    file!("fixture/greet.sh", "agent/fixture/greet.sh"),
    file!("fixture/check.sh", "agent/fixture/check.sh"),
    file!(".agentv/targets.yaml", "agent/targets.yaml"),
];

const RAG: &[NewFile] = &[
    file!("evals/questions.jsonl", "rag/questions.jsonl"),
    file!("evals/questions.yaml", "rag/questions.yaml"),
    file!(".agentv/targets.yaml", "rag/targets.yaml"),
];

const CI: &[NewFile] = &[
    file!("evals/smoke.yaml", "ci/smoke.yaml"),
    file!(".github/workflows/evals.yml", "ci/evals.yml"),
    file!(".agentv/targets.yaml", "ci/targets.yaml"),
];

/// The files of every new project.
const COMMON: &[NewFile] = &[
    file!(".agentv/.gitignore", "gitignore"),
    file!(".env.example", "env.example"),
    (".gitignore", ".env\n"),
];

impl TemplateName {
    fn files(self) -> &'static [NewFile] {
        match self {
            TemplateName::First => FIRST,
            TemplateName::Chat => CHAT,
            TemplateName::Agent => AGENT,
            TemplateName::Rag => RAG,
            TemplateName::Ci => CI,
        }
    }

    /// Returns the answer to "what does the first run call?", a clause about "it".
    fn first_run(self) -> &'static str {
        match self {
            TemplateName::First | TemplateName::Ci => "calls a mock target",
            TemplateName::Chat | TemplateName::Rag => "calls a mock target and a mock judge",
            TemplateName::Agent => "runs a script in place of an agent",
        }
    }
}

pub(crate) fn run(arguments: &InitArguments) -> Result<Exit, CommandError> {
    let mut text = String::new();
    let template = arguments.template;
    for (path, content) in template.files().iter().chain(COMMON) {
        let file = arguments.folder.join(path);
        let file = file.strip_prefix(".").unwrap_or(&file);
        match create(file, content) {
            Ok(true) => text.push_str(&format!("wrote {}\n", file.display())),
            Ok(false) => text.push_str(&format!("kept  {} (already exists)\n", file.display())),
            Err(error) => {
                output::error(&format!("cannot write `{}`: {error}", file.display()), None);
                return Ok(Exit::NotWritten);
            }
        }
    }
    let evals = arguments.folder.join("evals");
    let evals = evals.strip_prefix(".").unwrap_or(&evals);
    let evals = agentv_process::quote_os(evals.as_os_str());
    let calls = template.first_run();
    let instead = match template {
        TemplateName::Agent => "To run an agent instead",
        _ => "To call a model instead",
    };
    text.push_str(&format!(
        "\nRun the first eval with `agentv run {evals}`. It {calls} and needs no API key.\n\
         {instead}, see `.agentv/targets.yaml`.\n"
    ));
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(Exit::Success)
}
