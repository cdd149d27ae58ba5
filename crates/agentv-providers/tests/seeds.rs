//! The seeds and the corpus of the fuzz targets, run through the same functions.

use agentv_testkit::each_seed;
use libtest_mimic::Trial;

use crate::oracles::{Commands, Exchange, Project, agent_stream, model_stream};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        every_seed_of_a_targets_file_holds,
        every_seed_of_a_provider_response_holds,
        every_seed_of_a_commands_output_holds,
        every_seed_of_a_models_stream_holds,
        every_seed_of_an_agents_stream_holds,
    ]
}

fn every_seed_of_a_targets_file_holds() {
    let project = Project::default();
    each_seed("targets_file", |seed| project.targets_file(seed));
}

fn every_seed_of_a_provider_response_holds() {
    let exchange = Exchange::default();
    each_seed("provider_response", |seed| exchange.provider_response(seed));
}

fn every_seed_of_a_commands_output_holds() {
    let commands = Commands::default();
    each_seed("cli_output", |seed| commands.cli_output(seed));
}

fn every_seed_of_a_models_stream_holds() {
    each_seed("model_stream", model_stream);
}

fn every_seed_of_an_agents_stream_holds() {
    each_seed("agent_stream", agent_stream);
}
