//! `agentv demo`: shows the commands of a user at work, without a network.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use agentv_project::ProjectError;

use crate::arguments::DemoArguments;
use crate::exit::{CommandError, Exit};
use crate::new_files::{NewFile, create};
use crate::output;

/// The files of the project.
const FILES: &[NewFile] = &[
    (
        "evals/support.yaml",
        include_str!("../../templates/demo/support.yaml"),
    ),
    (
        ".agentv/targets.yaml",
        include_str!("../../templates/demo/targets.yaml"),
    ),
    (
        ".agentv/judge.sh",
        include_str!("../../templates/demo/judge.sh"),
    ),
    (
        ".agentv/.gitignore",
        include_str!("../../templates/gitignore"),
    ),
];

/// A command of the story.
struct Scene {
    /// A sentence before the command.
    says: &'static str,
    arguments: &'static [&'static str],
    exit: i32,
}

const STORY: &[Scene] = &[
    Scene {
        says: "An assistant answers eight questions of customers. The evaluators check a fact, and a judge grades the tone.",
        arguments: &["run", "evals", "--target", "old"],
        exit: 1,
    },
    Scene {
        says: "The run failed: here is the worst answer, and what the judge says about it.",
        arguments: &["show", "latest", "broken-lamp"],
        exit: 0,
    },
    Scene {
        says: "A new version of the assistant answers the same questions.",
        arguments: &["run", "evals", "--target", "new"],
        exit: 0,
    },
    Scene {
        says: "Is it better? The comparison says by how much, and how certain that is.",
        arguments: &["compare", "latest~1", "latest"],
        exit: 0,
    },
    Scene {
        says: "Both runs as one page that works without a server.",
        arguments: &["report", "latest~1", "latest", "-o", "change.html"],
        exit: 0,
    },
];

pub(crate) fn run(arguments: &DemoArguments) -> Result<Exit, CommandError> {
    let folder = &arguments.folder;
    let shown = folder.display();
    if folder.exists() {
        let message = format!("`{shown}` already exists");
        let hint = "remove it, or name a folder that does not exist: `agentv demo FOLDER`";
        return Err(ProjectError::with_hint(message, Some(hint.to_owned())).into());
    }
    for (path, content) in FILES {
        if let Err(error) = create(&folder.join(path), content) {
            output::error(&format!("cannot write `{shown}/{path}`: {error}"), None);
            return Ok(Exit::NotWritten);
        }
    }
    for scene in STORY {
        play(scene, folder)?;
    }
    let quoted = agentv_process::quote_os(folder.as_os_str());
    say(&format!(
        "\nOpen `{shown}/change.html` in a browser, or serve the runs: `cd {quoted} && agentv view`.\n\
         The project is two files: `evals/support.yaml` and `.agentv/targets.yaml`. `agentv init` starts your own.\n"
    ))?;
    Ok(Exit::Success)
}

/// Runs one command of the story in the folder of the demo.
fn play(scene: &Scene, folder: &Path) -> Result<(), CommandError> {
    let command = scene.arguments.join(" ");
    say(&format!("\n# {}\n$ agentv {command}\n", scene.says))?;
    let program = std::env::current_exe();
    let status = program.and_then(|program| {
        let mut command = Command::new(program);
        command.args(scene.arguments).current_dir(folder).status()
    });
    let status = status.map_err(ProjectError::from_error)?;
    if status.code() == Some(scene.exit) {
        return Ok(());
    }
    let message = format!("`agentv {command}` ended with {status}");
    let hint = format!("the files are in `{}`", folder.display());
    Err(ProjectError::with_hint(message, Some(hint)).into())
}

fn say(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
