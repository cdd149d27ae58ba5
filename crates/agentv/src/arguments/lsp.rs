//! The command line of `agentv lsp`.

use clap::Args;

/// Serve an editor: diagnostics, completion, hover, navigation and quick fixes for eval files
///
/// Speaks the language server protocol on standard input and output. Editors start it: see the guide
/// `editors.md` for the settings of VS Code, Neovim, Helix, Zed and Emacs.
///
/// Exit codes: 0 the editor shut the server down, 2 the editor violated the protocol.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv lsp                              an editor starts this command")]
pub(crate) struct LspArguments {
    /// Accepted for editors that add it; standard input and output are always used
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}
