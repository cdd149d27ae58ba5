//! The surroundings of a script: the variables, the folder and the wall that it gets.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agentv_core::{Subject, TargetSandbox, WorkspaceFolders};
use agentv_process::{CommandSpec, SandboxSpec};
use agentv_workspace::{clean_variables, environment, tool_variables};

/// The environment of a script.
#[derive(Clone)]
pub(super) enum ScriptEnvironment {
    /// Everything that this program has. In a sandbox, nothing but what programs need.
    Inherited,
    /// The variables that programs need, and those with these names.
    Clean(Vec<String>),
}

impl ScriptEnvironment {
    /// Returns the names of the variables that a script gets in a clean environment; `None` if it inherits
    /// all.
    fn passed(&self, is_walled: bool) -> Option<&[String]> {
        match self {
            ScriptEnvironment::Clean(passed) => Some(passed),
            ScriptEnvironment::Inherited if is_walled => Some(&[]),
            ScriptEnvironment::Inherited => None,
        }
    }
}

/// The workspace that a script runs in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inside<'s> {
    workspace: &'s WorkspaceFolders,
    /// The folder of the eval file.
    eval_folder: &'s Path,
    /// The sandbox of the target.
    sandbox: Option<&'s TargetSandbox>,
}

impl<'s> Inside<'s> {
    /// Describes the workspace of a trial.
    pub(crate) fn of(subject: &Subject<'s>, workspace: &'s WorkspaceFolders) -> Inside<'s> {
        Inside {
            workspace,
            eval_folder: subject.folder,
            sandbox: subject.sandbox,
        }
    }

    /// Removes the wall.
    pub(super) fn unwalled(self) -> Inside<'s> {
        Inside {
            sandbox: None,
            ..self
        }
    }

    /// Returns true if the script runs in a container.
    pub(super) fn is_container(&self) -> bool {
        self.sandbox.is_some_and(TargetSandbox::is_container)
    }

    /// Gives a command the workspace as its folder, and the variables of the script. `added` are the
    /// variables of this program that its own environment lacks.
    pub(super) fn furnish(
        &self,
        spec: CommandSpec,
        script_environment: &ScriptEnvironment,
        added: &[(OsString, OsString)],
    ) -> CommandSpec {
        let value = |name: &str| {
            let mut added = added.iter().filter(|(known, _)| known == name);
            let added = added.next().map(|(_, value)| value.clone());
            added.or_else(|| std::env::var_os(name))
        };
        let spec = spec.current_dir(&self.workspace.work);
        let in_container = self.is_container();
        let spec = match script_environment.passed(self.sandbox.is_some()) {
            None => spec.envs(added.iter().cloned()),
            Some(passed) => {
                let tools = tool_variables().filter(|_| !in_container);
                let names = clean_variables(in_container).chain(tools);
                let names = names.chain(passed.iter().map(String::as_str));
                let known = names.filter_map(|name| Some((name, value(name)?)));
                spec.clean_environment().envs(known)
            }
        };
        // A container has no tools of this machine.
        let outer = |name: &str| std::env::var_os(name).filter(|_| !in_container);
        spec.envs(environment(self.workspace, Some(self.eval_folder), outer))
    }

    /// Puts a command behind the wall of the target. It can read the project and the folder of its eval file,
    /// and reach this port.
    pub(super) fn wall(&self, spec: CommandSpec, root: &Path, port: Option<u16>) -> CommandSpec {
        let Some(sandbox) = self.sandbox else {
            return spec;
        };
        let readable = [root, self.eval_folder].map(PathBuf::from);
        let readable = readable.into_iter().filter(|folder| folder.exists());
        let mut readable: Vec<PathBuf> = readable.collect();
        readable.dedup();
        spec.sandbox(SandboxSpec::around(
            self.workspace,
            sandbox,
            readable,
            port.into_iter().collect(),
        ))
    }
}
