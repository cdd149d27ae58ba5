//! The fields of a target that is an agent.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::project::Project;

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        options_that_an_agent_does_not_have_are_refused,
        the_version_of_an_agent_is_part_of_its_program,
        an_address_that_is_none_is_refused,
        the_address_of_the_api_can_be_a_variable,
        a_budget_needs_a_price,
        an_overloaded_model_is_worth_another_attempt,
    ]
}

fn options_that_an_agent_does_not_have_are_refused() {
    let refused = |fields: Value| {
        let project = Project::of(fields);
        project.resolve("t", &[]).unwrap_err().to_string()
    };
    let tools = refused(json!({"provider": "codex", "tools": ["shell"]}));
    assert!(
        tools.contains("Codex cannot be limited to some of its tools"),
        "{tools}"
    );
    let model = refused(json!({"provider": "pi"}));
    assert!(model.contains("missing model"), "{model}");
    let permissions = refused(json!({"provider": "pi", "model": "m", "permissions": "none"}));
    assert!(permissions.contains("read_only"), "{permissions}");
    for provider in ["claude-code", "cli"] {
        let fields = json!({"provider": provider, "command": ["a"], "network": "none"});
        let network = refused(fields);
        assert!(network.contains("`none` needs a sandbox"), "{network}");
    }
    let proxy = refused(json!({
        "provider": "claude-code", "sandbox": "bubblewrap", "network": "none", "proxy": false,
    }));
    assert!(proxy.contains("only through the proxy"), "{proxy}");
}

fn an_address_that_is_none_is_refused() {
    let refused = |fields: Value| {
        let error = Project::of(fields).resolve("t", &[]).unwrap_err();
        error.to_string()
    };
    let scheme = refused(json!({"provider": "claude-code", "base_url": "127.0.0.1:18915"}));
    assert!(scheme.contains("starts with `http://`"), "{scheme}");
    let query = refused(json!({
        "provider": "codex", "base_url": "https://x.test/v1?api-version=2", "proxy": false,
    }));
    assert!(query.contains("do not send the query"), "{query}");
}

fn the_address_of_the_api_can_be_a_variable() {
    let address = "http://127.0.0.1:9";
    for (provider, name) in [
        ("claude-code", "ANTHROPIC_BASE_URL"),
        ("codex", "OPENAI_BASE_URL"),
        ("gemini-cli", "GOOGLE_GEMINI_BASE_URL"),
        ("copilot", "COPILOT_PROVIDER_BASE_URL"),
        ("qwen-code", "OPENAI_BASE_URL"),
    ] {
        let fields = json!({"provider": provider, "model": "claude-my"});
        let has_proxy = |fields: &Value, variables: &[(&str, &str)]| {
            let project = Project::of(fields.clone());
            let target = project.resolve("t", variables).unwrap().target;
            target.provider.enforces_budget()
        };
        assert!(has_proxy(&fields, &[(name, address)]), "{provider}");
        assert!(!has_proxy(&fields, &[]), "{provider}");
        assert!(!has_proxy(&fields, &[(name, "")]), "{provider}");
        let mut own_login = fields.clone();
        own_login["pass_env"] = json!([name]);
        assert!(!has_proxy(&own_login, &[(name, address)]), "{provider}");
        let wrong = Project::of(fields).resolve("t", &[(name, "127.0.0.1:9")]);
        let wrong = wrong.unwrap_err().to_string();
        assert!(wrong.contains(&format!("variable `{name}`")), "{wrong}");
    }
}

fn a_budget_needs_a_price() {
    let knows_cost = |fields: Value| {
        let target = Project::of(fields).resolve("t", &[]).unwrap().target;
        target.provider.knows_cost()
    };
    assert!(!knows_cost(json!({"provider": "pi", "model": "my-model"})));
    let price = json!({"input": 1, "output": 2});
    let priced = json!({"provider": "pi", "model": "my-model", "price": price});
    assert!(knows_cost(priced));
    assert!(knows_cost(
        json!({"provider": "claude-code", "model": "claude-sonnet-4-5"})
    ));
    // The model that the agent will choose is not known.
    assert!(knows_cost(json!({"provider": "claude-code"})));
}

fn the_version_of_an_agent_is_part_of_its_program() {
    let project = Project::of(json!({"provider": "claude-code", "command": ["claude"]}));
    let package = project.write("../agents/package/package.json", r#"{"version": "1.2.3"}"#);
    let program = package.with_file_name("claude");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    let path = program.parent().unwrap().to_str().unwrap();
    let target = project.resolve("t", &[("PATH", path)]).unwrap().target;
    let files = target.provider.program(&project.evals()).files;
    let files: Vec<_> = files
        .iter()
        .map(|file| (file.name.as_str(), file.path.ends_with("package.json")))
        .collect();
    assert_eq!(files, [("claude (version)", true)]);
}

fn an_overloaded_model_is_worth_another_attempt() {
    let project = Project::of(json!({"provider": "claude-code"}));
    let retry = project.resolve("t", &[]).unwrap().target.limits.retry;
    assert!(retry.status_codes().contains(&529));
    assert_eq!(retry.max_retries, 1);
}
