//! `agentv schema`: the JSON Schema of a file format.

use std::io::{self, Write};

use agentv_dataset::shapes;
use agentv_syntax::schema;

use super::DEFINITIONS;
use crate::arguments::{SchemaArguments, SchemaName};
use crate::exit::{Exit, OutputError};

pub(crate) fn run(arguments: &SchemaArguments) -> Result<Exit, OutputError> {
    let (title, shape) = match arguments.file {
        SchemaName::Eval => ("agentv suite", &shapes::SUITE),
        SchemaName::Sidecar => ("agentv sidecar of a JSONL file", &shapes::SIDECAR),
        SchemaName::Targets => ("agentv targets", &agentv_providers::TARGETS_FILE),
        SchemaName::Config => ("agentv project settings", &shapes::CONFIG),
    };
    let schema = schema::of_file(title, shape, DEFINITIONS);
    writeln!(io::stdout(), "{schema:#}")?;
    Ok(Exit::Success)
}
