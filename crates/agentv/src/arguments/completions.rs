//! The command line of `agentv completions`.

use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv completions bash > ~/.local/share/bash-completion/completions/agentv
  agentv completions zsh > ~/.zfunc/_agentv
  agentv completions fish > ~/.config/fish/completions/agentv.fish")]
pub(crate) struct CompletionsArguments {
    /// Name of the shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}
