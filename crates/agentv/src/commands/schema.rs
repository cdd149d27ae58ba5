//! `agentv schema`: prints the JSON Schema of a file format.

use std::io::{self, Write};

use agentv_dataset::{dialect_schema, shapes};
use agentv_project::DEFINITIONS;
use agentv_providers::targets_file;
use agentv_syntax::schema;

use crate::arguments::{SchemaArguments, SchemaName};
use crate::exit::{CommandError, Exit};

pub(crate) fn run(arguments: &SchemaArguments) -> Result<Exit, CommandError> {
    let of_file = |title, shape| schema::of_file(title, shape, DEFINITIONS);
    let of_dialect = |name| dialect_schema(name).unwrap_or_default();
    let schema = match arguments.file {
        SchemaName::Eval => of_file("agentv suite", &shapes::SUITE),
        SchemaName::Sidecar => of_file("agentv sidecar of a JSONL file", &shapes::SIDECAR),
        SchemaName::Targets => targets_file::schema("agentv targets", DEFINITIONS),
        SchemaName::Config => of_file("agentv project settings", &shapes::CONFIG),
        SchemaName::Agentv4 => of_dialect("agentv-4"),
        SchemaName::Agentv5 => of_dialect("agentv-5"),
        SchemaName::Promptfoo => of_dialect("promptfoo"),
    };
    writeln!(io::stdout(), "{schema:#}")?;
    Ok(Exit::Success)
}
