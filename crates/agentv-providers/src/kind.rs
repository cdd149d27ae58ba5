//! An entry of the list of providers, and the facts that it states about its kind.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::{Kind, Problem};

use crate::target::{SettingError, Settings};
use crate::targets_file::WrittenTarget;

/// One kind of provider: its name and options, its limits, its facts, and the function that builds
/// it.
#[derive(Debug)]
pub(crate) struct ProviderKind {
    /// The entry of the registry.
    pub(crate) kind: &'static Kind,
    /// The limits of a target that sets none.
    pub(crate) limits: &'static Limits,
    /// Everything that the rest of the program needs to know about targets of this kind.
    pub(crate) facts: &'static Facts,
    /// A list of targets, as YAML, that together set every option of the kind. The reference page
    /// shows it, and tests check it.
    pub(crate) example: &'static str,
    /// Builds a provider from the fields of a target.
    pub(crate) build: Build,
}

/// Builds a provider from the fields of a target. It makes no request.
pub(crate) type Build = fn(&Settings) -> Result<Arc<dyn Provider>, SettingError>;

/// Facts about the targets of one kind of provider, stated in the kind's own file.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Facts {
    /// The target reads the files of a case itself: the prompt names their paths instead of
    /// embedding their content.
    pub reads_files: bool,
    /// The target runs commands from the targets file, which `--no-scripts` forbids.
    pub runs_commands: bool,
    /// File descriptors that this process has open during one request.
    pub open_files: usize,
    /// The target can be used by the name of its kind, without a targets file.
    pub is_built_in: bool,
    /// The target can be used as `VENDOR:MODEL` without a targets file. It has an option `model`.
    pub is_vendor: bool,
    /// The target only knows the answers of an earlier run: any other question is unanswered, and
    /// that is no defect of the target.
    pub is_recording: bool,
    /// The target makes its answers in this process: an answer that is lost can be had again for nothing.
    pub is_free: bool,
    /// The options that name the model. The first that is set is listed.
    pub(crate) model_options: &'static [&'static str],
    /// Checks what the shape of a target cannot say.
    pub(crate) check: Check,
}

/// Checks a target in a targets file, and adds its problems.
pub(crate) type Check = fn(&WrittenTarget<'_>, &mut Vec<Problem>);

impl Facts {
    /// Facts about a provider that answers in this process.
    pub(crate) const LOCAL: Facts = Facts {
        reads_files: false,
        runs_commands: false,
        open_files: 0,
        is_built_in: false,
        is_vendor: false,
        is_recording: false,
        is_free: true,
        model_options: &["model"],
        check: |_, _| {},
    };

    /// Facts about a provider that makes HTTP requests: a connection and an address lookup are open.
    pub(crate) const API: Facts = Facts {
        open_files: 2,
        is_free: false,
        ..Facts::LOCAL
    };

    /// Facts about the API of a vendor of models.
    pub(crate) const VENDOR: Facts = Facts {
        is_vendor: true,
        ..Facts::API
    };

    /// Facts about an agent. It does not see the project, so a prompt holds the content of files. The
    /// connections of its proxy are open too.
    pub(crate) const AGENT: Facts = Facts {
        reads_files: false,
        open_files: agentv_process::OPEN_FILES_PER_COMMAND + 12,
        ..Facts::COMMAND
    };

    /// Facts about a provider that runs a command.
    pub(crate) const COMMAND: Facts = Facts {
        reads_files: true,
        runs_commands: true,
        open_files: agentv_process::OPEN_FILES_PER_COMMAND,
        is_free: false,
        ..Facts::LOCAL
    };
}
