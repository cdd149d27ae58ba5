//! Building a script from the options of an evaluator.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_syntax::shape::{TEXT, TEXTS};
use agentv_syntax::{Field, Form, Shape, Text};
use serde_json::Value;
use thiserror::Error;

use super::command::{Command, Script};
use super::interpreter;
use super::surroundings::ScriptEnvironment;
use crate::builder::{BuildContext, Builder};
use crate::error::BuildError;
use crate::files;
use crate::options::Options;

/// The default time limit of a script.
const USUAL_DEADLINE: Duration = Duration::from_secs(60);

pub(crate) const TIMEOUT: Field = Field {
    name: "timeout_seconds",
    shape: &SECONDS,
    doc: "The time limit for the script, in seconds (default: 60). After that, it is stopped with all processes that it started.",
};

pub(crate) const PASS_ENV: Field = Field {
    name: "pass_env",
    shape: &TEXTS,
    doc: "The names of variables of your environment that the command gets, besides `PATH`, the locale, the settings of proxies and certificates, and the folders of installed tools. For a `code_judge` outside a sandbox, the default is all variables. Only for trials with a workspace.",
};

pub(crate) const SANDBOX: Field = Field {
    name: "sandbox",
    shape: &SANDBOX_SHAPE,
    doc: "The sandbox in which the command runs in a workspace: that of the `target` (default), or `none`.",
};

static SANDBOX_SHAPE: Shape = Shape {
    expected: "target or none",
    forms: &[Form::Text(Text::OneOf(&["target", "none"]))],
};

static SECONDS: Shape = Shape {
    expected: "a number of seconds that is 0.001 or more",
    forms: &[Form::Number {
        min: 0.001,
        max: f64::MAX,
        integer: false,
    }],
};

pub(crate) static FOLDER: Shape = Shape {
    expected: "the path of a folder",
    forms: &[Form::Text(Text::Folder)],
};

pub(crate) static SCRIPT: Shape = Shape {
    expected: "a command (an array of strings, or a string for the shell)",
    forms: &[
        Form::List {
            items: &TEXT,
            at_least: 1,
        },
        Form::Text(Text::Filled),
    ],
};

impl Script {
    /// Builds the script of `script`, `cwd` and `timeout_seconds`. Errors call it `noun`.
    pub(crate) fn of(
        options: &Options<'_>,
        builder: &Builder,
        noun: &'static str,
    ) -> Result<Script, BuildError> {
        let command = match options.required("script")? {
            Value::String(line) if !line.trim().is_empty() => Command::Line(line.clone()),
            Value::Array(_) => {
                let words = options.texts("script")?.unwrap_or_default();
                Command::Words(words.into_iter().map(OsString::from).collect())
            }
            _ => Command::Words(Vec::new()),
        };
        if matches!(&command, Command::Words(words) if words.is_empty()) {
            let expected = "expected a command (an array of strings, or a string for the shell)";
            return Err(options.invalid("script", expected));
        }
        Script::new(command, options, builder, noun)
    }

    /// Builds the command of the option `field`, whose words are paths in a workspace, with
    /// `timeout_seconds`.
    pub(crate) fn of_words(
        field: &str,
        options: &Options<'_>,
        builder: &Builder,
        noun: &'static str,
    ) -> Result<Script, BuildError> {
        let words = options.texts(field)?.unwrap_or_default();
        if words.is_empty() {
            return Err(options.invalid(field, "expected a command (an array of strings)"));
        }
        let command = Command::Words(words.into_iter().map(OsString::from).collect());
        let script = Script::new(command, options, builder, noun)?;
        Ok(Script {
            is_of_workspace: true,
            script_environment: match script.script_environment {
                ScriptEnvironment::Inherited => ScriptEnvironment::Clean(Vec::new()),
                clean => clean,
            },
            ..script
        })
    }

    /// Builds a program with its arguments, with `timeout_seconds`. Errors call it `noun`.
    pub(crate) fn of_program<'w>(
        words: impl Iterator<Item = &'w str>,
        options: &Options<'_>,
        builder: &Builder,
        noun: &'static str,
    ) -> Result<Script, BuildError> {
        let command = Command::Words(words.map(OsString::from).collect());
        Script::new(command, options, builder, noun)
    }

    /// Builds the script in the file that `path` names, or the shell line in it, with `cwd` and
    /// `timeout_seconds`.
    pub(crate) fn of_file(
        options: &Options<'_>,
        builder: &Builder,
        noun: &'static str,
    ) -> Result<Script, BuildError> {
        let path = options.required_text("path")?;
        if is_line(path, builder.context()) {
            return Script::new(Command::Line(path.to_owned()), options, builder, noun);
        }
        let file = files::find(path, builder.context());
        let file = file.map_err(|problem| options.invalid("path", problem))?;
        let words = interpreter::words(path, &file);
        let words = words.map_err(|problem| options.invalid("path", problem))?;
        Script::new(Command::Words(words), options, builder, noun)
    }

    fn new(
        command: Command,
        options: &Options<'_>,
        builder: &Builder,
        noun: &'static str,
    ) -> Result<Script, BuildError> {
        let context = builder.context();
        if !context.allow_scripts {
            let mut fields = ["path", "command"].into_iter();
            let field = fields.find(|field| options.get(field).is_some());
            let field = field.unwrap_or("script");
            return Err(options.invalid(
                field,
                "it would run a command, which `--no-scripts` forbids",
            ));
        }
        let folder = match options.text("cwd")? {
            Some(folder) => {
                folder_of(folder, context).map_err(|problem| options.invalid("cwd", problem))?
            }
            None => context.root.clone(),
        };
        Ok(Script {
            command,
            folder,
            deadline: deadline(options)?,
            noun,
            is_of_workspace: false,
            script_environment: match options.texts(PASS_ENV.name)? {
                Some(names) => {
                    ScriptEnvironment::Clean(names.into_iter().map(Into::into).collect())
                }
                None => ScriptEnvironment::Inherited,
            },
            is_walled: options.text(SANDBOX.name)? != Some("none"),
            root: context.root.clone(),
            environment: context.environment.clone(),
            runner: context.runner.clone(),
            places: context.scripts.clone(),
        })
    }
}

/// Returns true if a text is a line for the shell. A resolved path starts at the root, and a path may
/// contain spaces, too.
fn is_line(path: &str, context: &BuildContext) -> bool {
    let is_path = path.starts_with('/');
    let has_words = path.trim().contains(char::is_whitespace);
    !is_path || has_words && files::find(path, context).is_err()
}

fn deadline(options: &Options<'_>) -> Result<Duration, BuildError> {
    let Some(seconds) = options.amount(TIMEOUT.name)? else {
        return Ok(USUAL_DEADLINE);
    };
    let deadline = Duration::try_from_secs_f64(seconds).ok();
    let deadline = deadline.filter(|deadline| !deadline.is_zero());
    deadline.ok_or_else(|| options.invalid(TIMEOUT.name, format!("expected {}", SECONDS.expected)))
}

/// Finds a folder named by a resolved case: inside the root, or outside of it if that is allowed.
fn folder_of(folder: &str, context: &BuildContext) -> Result<PathBuf, NoFolder> {
    let from_root = context.root.join(folder.trim_start_matches('/'));
    if from_root.is_dir() {
        return Ok(from_root);
    }
    if context.allow_outside_root && Path::new(folder).is_dir() {
        Ok(PathBuf::from(folder))
    } else {
        Err(NoFolder {
            folder: folder.to_owned(),
            root: context.root.clone(),
        })
    }
}

/// The folder of a script does not exist.
#[derive(Debug, Error)]
#[error("folder `{folder}` not found in the project `{}`", root.display())]
struct NoFolder {
    folder: String,
    root: PathBuf,
}
