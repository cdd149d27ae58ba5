//! The proxy between an agent and its model.

use agentv_core::{Allowance, Cause, Request};
use agentv_testkit::AgentConduct;
use agentv_testkit::model::{Behaviour, ModelServer};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::stage::{KEY, Stage, calling, model, proxy_facts};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        a_key_stays_with_the_proxy_which_counts_calls_tokens_and_cost,
        the_proxy_stops_an_agent_at_its_limit_of_turns,
        the_proxy_stops_an_agent_when_the_budget_is_used_up,
        a_busy_model_does_not_end_an_agent_that_has_begun,
        a_failure_that_may_pass_is_final_for_an_agent_that_would_not_stop,
        an_api_may_be_named_without_its_version_and_with_a_query,
        the_price_that_the_user_set_decides,
        without_a_proxy_the_agent_has_the_key,
        without_a_proxy_turns_and_cost_are_counted_from_the_stream,
    ]
}

fn a_key_stays_with_the_proxy_which_counts_calls_tokens_and_cost() {
    let server = model();
    let stage = calling(&server, json!({}));
    let transcript = stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["200", "200", "200", "200", "401"])
    );
    let note = stage.file("fake-agent.json").to_string();
    assert!(!note.contains(KEY), "the agent has the key");
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for request in requests {
        assert_eq!(request.header("x-api-key"), Some(KEY));
        assert_eq!(request.path, "/v1/messages?beta=true");
    }
    let facts = proxy_facts(&transcript);
    // Per call: 800 × 3 + 200 × 0.3 + 50 × 15 millionths of a dollar.
    let cost = facts["cost_usd"].as_f64().unwrap();
    assert!((cost - 4.0 * 0.00321).abs() < 1e-9, "{facts}");
    let counts =
        ["calls", "turns", "input", "output", "cached"].map(|name| facts[name].as_u64().unwrap());
    assert_eq!(counts, [4, 4, 4000, 200, 800]);
}

fn the_proxy_stops_an_agent_at_its_limit_of_turns() {
    let server = model();
    let stage = calling(&server, json!({"max_turns": 2}));
    let transcript = stage.run().unwrap();
    assert_eq!(transcript.finish_reason.as_deref(), Some("max_turns"));
    assert_eq!(server.calls().total, 2);
    assert_eq!(proxy_facts(&transcript)["turns"], 2);
    // The agent was stopped before it printed anything: the proxy has counted.
    assert_eq!(transcript.token_usage.unwrap().input, 2000);
    assert!((transcript.cost_usd.unwrap() - 2.0 * 0.00321).abs() < 1e-9);
}

fn the_proxy_stops_an_agent_when_the_budget_is_used_up() {
    let server = model();
    let stage = calling(&server, json!({}));
    let request = Request {
        allowance: Allowance::new(|cost| cost < 0.004),
        ..stage.request()
    };
    let error = stage.run_for(&request).unwrap_err();
    assert_eq!(
        (error.cause, error.message.as_str()),
        (
            Cause::Setup,
            "Claude Code was stopped: the budget of the run is used up"
        )
    );
    assert_eq!(server.calls().total, 2);
    let cost = error.partial.unwrap().cost_usd.unwrap();
    assert!((cost - 2.0 * 0.00321).abs() < 1e-9);
}

fn a_busy_model_does_not_end_an_agent_that_has_begun() {
    let script =
        agentv_testkit::model::script("ok, status=529 retry-after=0, status=503 retry-after=0, ok");
    let behaviour = Behaviour::answering("Fine.").script(script.unwrap());
    let server = ModelServer::start(behaviour).unwrap();
    let stage = calling(&server, json!({}));
    let transcript = stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["200", "200", "200", "200", "401"])
    );
    assert_eq!(transcript.trace.unwrap()["retries"], 2);
    // Before the first answer, the runner decides.
    let behaviour = Behaviour::default().always(agentv_testkit::model::Step::Status(529));
    let server = ModelServer::start(behaviour).unwrap();
    let stage = calling(&server, json!({}));
    stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["529", "529", "529", "529", "401"])
    );
    assert_eq!(server.calls().total, 4);
}

fn a_failure_that_may_pass_is_final_for_an_agent_that_would_not_stop() {
    let behaviour = Behaviour::default().always(agentv_testkit::model::Step::Status(529));
    let server = ModelServer::start(behaviour).unwrap();
    let fields = json!({"base_url": server.url(), "api_key": KEY, "api": "anthropic"});
    let stage = Stage::new("copilot", "work", AgentConduct::CallsModel, fields);
    stage.run().unwrap();
    // The proxy answers what agents do not repeat, and asks the model once per call.
    assert_eq!(
        stage.file("calls.json"),
        json!(["400", "400", "400", "400", "401"])
    );
    assert_eq!(server.calls().total, 4);
}

fn an_api_may_be_named_without_its_version_and_with_a_query() {
    for end in ["", "/", "/v1", "/v1/"] {
        let server = model();
        let base_url = format!("{}{end}?api-version=2", server.url());
        calling(&server, json!({"base_url": base_url}))
            .run()
            .unwrap();
        for request in server.requests() {
            assert_eq!(
                request.path, "/v1/messages?beta=true&api-version=2",
                "{end}"
            );
        }
    }
}

fn the_price_that_the_user_set_decides() {
    let price = json!({"price": {"input": 1, "output": 10, "cached_input": 0.1}});
    let stage = Stage::new("claude-code", "work", AgentConduct::Proper, price);
    let cost = stage.run().unwrap().cost_usd.unwrap();
    // 3200 × 1 + 800 × 0.1 + 200 × 10 millionths of a dollar.
    assert!((cost - 0.00528).abs() < 1e-9, "{cost}");
    let stage = Stage::new("claude-code", "work", AgentConduct::Proper, json!({}));
    let reported = stage.run().unwrap().cost_usd.unwrap();
    assert!((cost - reported).abs() > 1e-4, "{reported}");
}

fn without_a_proxy_the_agent_has_the_key() {
    let server = model();
    let stage = calling(&server, json!({"proxy": false}));
    let transcript = stage.run().unwrap();
    let variables = &stage.file("fake-agent.json")["variables"];
    assert_eq!(variables["ANTHROPIC_API_KEY"], KEY);
    assert_eq!(variables["ANTHROPIC_BASE_URL"], server.url());
    assert_eq!(proxy_facts(&transcript), Value::Null);
}

fn without_a_proxy_turns_and_cost_are_counted_from_the_stream() {
    for agent in ["pi", "codex", "copilot", "opencode"] {
        let stage = Stage::new(agent, "work", AgentConduct::Proper, json!({"max_turns": 2}));
        let transcript = stage.run().unwrap();
        assert_eq!(
            transcript.finish_reason.as_deref(),
            Some("max_turns"),
            "{agent}"
        );
    }
    let price = json!({"price": {"input": 1, "output": 10, "cached_input": 0.1}});
    let stage = Stage::new("codex", "work", AgentConduct::Proper, price);
    let cost = stage.run().unwrap().cost_usd.unwrap();
    // 3200 × 1 + 800 × 0.1 + 200 × 10 millionths of a dollar.
    assert!((cost - 0.00528).abs() < 1e-9, "{cost}");
    // pi reports the cost of each step: 0.00132 dollars.
    let stage = Stage::new("pi", "work", AgentConduct::Proper, json!({}));
    let request = Request {
        allowance: Allowance::new(|cost| cost < 0.002),
        ..stage.request()
    };
    let error = stage.run_for(&request).unwrap_err();
    assert_eq!(
        error.message,
        "pi was stopped: the budget of the run is used up"
    );
    let cost = error.partial.unwrap().cost_usd.unwrap();
    assert!((cost - 2.0 * 0.00132).abs() < 1e-9, "{cost}");
}
