//! The command line of `agentv schema`.

use clap::{Args, ValueEnum};

/// Print the JSON Schema of a file format, for editors
///
/// The schemas are generated from the definitions that `agentv validate` uses.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv schema eval > eval.schema.json
  agentv schema targets

In an editor with the YAML language server, add this line to the top of a suite:
  # yaml-language-server: $schema=eval.schema.json")]
pub(crate) struct SchemaArguments {
    /// Kind of file
    #[arg(value_enum)]
    pub(crate) file: SchemaName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// A YAML suite
    Eval,
    /// The YAML file beside a JSONL file
    Sidecar,
    /// targets.yaml
    Targets,
    /// .agentv/config.yaml
    Config,
    /// A suite of AgentV 4
    #[value(name = "agentv-4")]
    Agentv4,
    /// A suite of AgentV 5
    #[value(name = "agentv-5")]
    Agentv5,
    /// A configuration of promptfoo
    Promptfoo,
}
