//! From `targets.yaml` to targets.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Limits, Retry};
use agentv_providers::{Delay, Environment, Targets};
use libtest_mimic::Trial;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::project::{Project, block_on};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        limits_are_the_usual_ones_of_the_kind_unless_the_fields_say_otherwise,
        a_variable_may_replace_a_value_of_any_kind,
        a_missing_variable_is_named_with_target_file_and_line_once_it_is_needed,
        a_variable_that_does_not_fit_its_field_is_named,
        an_unknown_name_lists_the_known_ones,
        a_missing_default_target_says_how_to_choose_one,
        targets_without_any_file_are_built_in,
        a_target_of_the_file_goes_before_a_built_in_one,
        settings_are_what_can_change_the_answers_and_no_secrets,
        older_names_of_fields_are_accepted,
        another_key_changes_no_identity_and_another_model_does,
        settings_do_not_depend_on_spelling_and_order,
        every_digit_of_params_is_part_of_the_settings,
        secrets_are_known_wherever_they_come_from,
        a_value_that_is_too_short_to_hide_is_named,
        an_error_does_not_show_a_secret_in_the_wrong_place,
        problems_of_a_target_matter_where_it_is_needed,
        a_list_shows_names_kinds_models_and_lines,
        a_dry_run_target_keeps_its_name_and_calls_nothing,
    ]
}

fn limits_are_the_usual_ones_of_the_kind_unless_the_fields_say_otherwise() {
    let project = Project::new(
        r#"
targets:
  - {name: api, provider: http, url: http://localhost}
  - {name: command, provider: cli, command_template: "true"}
  - name: all
    provider: echo
    workers: 3
    timeoutSeconds: 0.5
    requests_per_minute: 60
    tokens_per_minute: 90000
    max_retries: 0
    retry_initial_delay_ms: 250
    retry_max_delay_ms: 500.5
    retry_backoff_factor: 1.5
    retry_status_codes: [429, '${{ CODE }}']
  - {name: huge, provider: echo, timeout_seconds: 1.0e+300, requests_per_minute: 9007199254740991}
"#,
    );
    let limits = |name| {
        project
            .resolve(name, &[("CODE", "503")])
            .unwrap()
            .target
            .limits
    };
    assert_eq!(limits("api"), Limits::API);
    assert_eq!(limits("command"), Limits::COMMAND);
    let expected = Limits {
        workers: 3,
        has_own_workers: true,
        timeout: Duration::from_millis(500),
        requests_per_minute: Some(60),
        tokens_per_minute: Some(90_000),
        sharers: Limits::API.sharers,
        retry: Retry {
            max_retries: 0,
            initial_delay: Duration::from_millis(250),
            max_delay: Duration::from_micros(500_500),
            backoff_factor: 1.5,
            status_codes: Some(vec![429, 503].into()),
        },
    };
    assert_eq!(limits("all"), expected);
    assert_eq!(limits("huge").requests_per_minute, Some(u32::MAX));
}

fn a_variable_may_replace_a_value_of_any_kind() {
    let project = Project::new(
        r#"
targets:
  - name: t
    provider: http
    url: http://${{ HOST }}:80/${{PATH_OF_IT}}
    method: ${{ METHOD }}
    workers: ${{ WORKERS }}
    judge_target: ${{ JUDGE }}
    headers: {X-Host: '${{ HOST }}'}
    body: {a: ['${{ HOST }}', 5]}
"#,
    );
    let variables = [
        ("HOST", "localhost"),
        ("PATH_OF_IT", "x"),
        ("METHOD", "PUT"),
        ("WORKERS", " 7 "),
        ("JUDGE", "gpt"),
    ];
    let target = project.resolve("t", &variables).unwrap().target;
    assert_eq!(target.limits.workers, 7);
    assert_eq!(target.judge_target.as_deref(), Some("gpt"));
    let expected = json!({
        "url": "http://${{ HOST }}:80/${{ PATH_OF_IT }}", "method": "${{ METHOD }}",
        "headers": {"X-Host": "${{ HOST }}"}, "body": {"a": ["${{ HOST }}", 5]},
    });
    assert_eq!(serde_json::Value::Object(target.settings), expected);
    let filled = json!({
        "url": "http://localhost:80/x", "method": "PUT",
        "headers": {"X-Host": "localhost"}, "body": {"a": ["localhost", 5]},
    });
    let filled = filled.as_object().unwrap();
    assert_eq!(
        target.settings_digest,
        agentv_core::Digest::of_settings(filled)
    );
}

fn a_missing_variable_is_named_with_target_file_and_line_once_it_is_needed() {
    let project = Project::new(
        "targets:\n  - {name: fine, provider: echo}\n  - name: gpt\n    provider: openai\n    model: gpt-5\n    apiKey: ${{ MY_KEY }}\n",
    );
    project.resolve("fine", &[]).unwrap();
    let error = project.resolve("gpt", &[]).unwrap_err();
    let expected = "targets.yaml:6: target `gpt`: the variable `MY_KEY` is not set";
    assert_eq!(error.to_string(), expected);
    assert!(error.hint.unwrap().contains("`.env`"));
}

fn a_variable_that_does_not_fit_its_field_is_named() {
    let project = Project::new(
        r#"
targets:
  - {name: count, provider: echo, workers: '${{ V }}'}
  - {name: flag, provider: cli, command_template: a, keep_temp_files: '${{ V }}'}
  - {name: word, provider: http, url: 'http://x', method: '${{ V }}'}
  - {name: filled, provider: http, url: '${{ V }}'}
  - {name: hidden, provider: echo, workers: '${{ V_KEY }}'}
"#,
    );
    for (name, value, expected) in [
        (
            "count",
            "0",
            "`workers`: expected a whole number that is 1 or more, found `0` in the variable `V`",
        ),
        (
            "flag",
            "yes",
            "`keep_temp_files`: expected true or false, found `yes` in the variable `V`",
        ),
        (
            "word",
            "FETCH",
            "`method`: expected GET, POST, PUT, PATCH or DELETE, found `FETCH` in the variable `V`",
        ),
        (
            "filled",
            "",
            "`url`: expected a string that is not empty, found an empty value in the variable `V`",
        ),
        (
            "hidden",
            "secret-value",
            "`workers`: expected a whole number that is 1 or more, \
             found another value in the variable `V_KEY`",
        ),
    ] {
        let error = project.resolve(name, &[("V", value), ("V_KEY", value)]);
        let message = error.unwrap_err().message;
        assert_eq!(message, format!("target `{name}`: {expected}"));
    }
}

fn an_unknown_name_lists_the_known_ones() {
    let project = Project::new(
        "targets:\n  - {name: fast, provider: echo}\n  - {name: careful, provider: mock}\n",
    );
    for (name, hint) in [
        ("carefull", "did you mean `careful`?"),
        ("opnai:gpt-5", "did you mean `openai:gpt-5`?"),
        (
            "someone",
            "known: fast, careful; built in: echo, mock, VENDOR:MODEL",
        ),
    ] {
        let error = project.resolve(name, &[]).unwrap_err();
        let expected = format!("target `{name}` not found in `targets.yaml`");
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.hint.as_deref(), Some(hint));
        assert!(!project.targets().knows(name));
    }
}

fn a_missing_default_target_says_how_to_choose_one() {
    let project = Project::new("targets:\n  - {name: fast, provider: echo}\n");
    let hint = project.resolve("default", &[]).unwrap_err().hint.unwrap();
    for part in [
        "`--target fast`",
        "`execution.target`",
        "define `default`",
        "known: fast",
    ] {
        assert!(hint.contains(part), "{hint}");
    }
    let none = Targets::built_in(&project.surroundings());
    let error = none
        .resolve("default", &Environment::default())
        .unwrap_err();
    assert!(
        error.message.contains("there is no `targets.yaml`"),
        "{error}"
    );
    assert!(error.hint.unwrap().contains("`--target openai:gpt-5`"));
}

fn targets_without_any_file_are_built_in() {
    let project = Project::new("targets:\n  - {name: fast, provider: echo}\n");
    for name in ["echo", "mock"] {
        assert_eq!(project.resolve(name, &[]).unwrap().target.kind, name);
    }
    let key = [("OPENAI_API_KEY", "sk-0123456789")];
    let resolved = project.resolve("openai:gpt-5", &key).unwrap();
    assert_eq!(resolved.target.name, "openai:gpt-5");
    assert_eq!(resolved.target.kind, "openai");
    assert_eq!(resolved.target.settings["model"], "gpt-5");
    assert_eq!(resolved.secrets.redact("<sk-0123456789>"), "<[REDACTED]>");
    let error = project.resolve("openai:gpt-5", &[]).unwrap_err();
    assert!(error.hint.unwrap().contains("OPENAI_API_KEY"));
}

fn a_target_of_the_file_goes_before_a_built_in_one() {
    let project = Project::new("targets:\n  - {name: echo, provider: mock, response: mine}\n");
    assert_eq!(project.resolve("echo", &[]).unwrap().target.kind, "mock");
}

fn settings_are_what_can_change_the_answers_and_no_secrets() {
    let project = Project::new(
        r#"
targets:
  - name: t
    provider: cli
    command_template: agent --key ${{ AGENT_KEY }} {PROMPT}
    workers: 2
    timeout_seconds: 5
    max_retries: 1
    judge_target: echo
    keep_temp_files: true
    healthcheck: {type: command, command_template: "true"}
    provider_batching: false
    cwd: ..
  - name: service
    provider: http
    url: http://localhost?api_key=0123456789&x=1
    headers: {Authorization: Bearer abcdefghij, X-Team: evals, x-api-key: short}
  - {name: m, provider: mock, response: a, responses: {the-key: visible-answer}, delay_ms: 5}
"#,
    );
    let settings = |name| {
        let resolved = project
            .resolve(name, &[("AGENT_KEY", "k-0123456789")])
            .unwrap();
        serde_json::Value::Object(resolved.target.settings)
    };
    let expected = json!({
        "provider_batching": false,
        "command_template": "agent --key ${{ AGENT_KEY }} {PROMPT}",
        "cwd": "..",
    });
    assert_eq!(settings("t"), expected);
    let expected = json!({
        "url": "http://localhost?api_key=[REDACTED]&x=1",
        "headers": {"Authorization": "[REDACTED]", "X-Team": "evals", "x-api-key": "[REDACTED]"},
    });
    assert_eq!(settings("service"), expected);
    assert_eq!(
        settings("m"),
        json!({"response": "a", "responses": {"the-key": "visible-answer"}})
    );
}

fn older_names_of_fields_are_accepted() {
    let project = Project::new(
        r#"
targets:
  - name: t
    provider: azure
    resourceName: r
    deploymentName: gpt-5
    api_version: 2024-10-21
    maxTokens: 5
    max_output_tokens: 7
    api_key: k-0123456789
    grader_target: echo
    verbose: true
"#,
    );
    assert!(project.targets().problems_of("t").is_empty());
    let target = project.resolve("t", &[]).unwrap().target;
    assert_eq!(target.judge_target.as_deref(), Some("echo"));
    let expected = json!({
        "resource": "r", "api_key": "[REDACTED]", "deployment": "gpt-5", "version": "2024-10-21",
        "max_output_tokens": 7,
    });
    assert_eq!(serde_json::Value::Object(target.settings), expected);
}

fn another_key_changes_no_identity_and_another_model_does() {
    let project = Project::new(
        "targets:\n  - {name: t, provider: openai, model: '${{ MODEL }}', api_key: '${{ MY_KEY }}'}\n",
    );
    let digest = |model, key| {
        let variables = [("MODEL", model), ("MY_KEY", key)];
        project
            .resolve("t", &variables)
            .unwrap()
            .target
            .settings_digest
    };
    let first = digest("gpt-4o-2024-08-06", "k-0123456789");
    assert_eq!(digest("gpt-4o-2024-08-06", "k-9876543210"), first);
    // Both look like secrets, and a model decides the answers all the same.
    assert_ne!(
        digest("ft:9f8a7b6c5d4e", "k-0123456789"),
        digest("ft:9f8a7b6c5d4f", "k-0123456789")
    );
}

fn settings_do_not_depend_on_spelling_and_order() {
    let project = Project::new(
        r#"
targets:
  - {name: a, provider: google, apiKey: k-0123456789, temperature: 1, maxOutputTokens: 5, baseUrl: http://x}
  - {base_url: http://x, max_output_tokens: 5, temperature: 1, name: b, api_key: k-0123456789, provider: gemini}
"#,
    );
    let text = |name| {
        let target = project.resolve(name, &[]).unwrap().target;
        format!(
            "{} {}",
            target.kind,
            serde_json::to_string(&target.settings).unwrap()
        )
    };
    assert_eq!(text("a"), text("b"));
}

fn every_digit_of_params_is_part_of_the_settings() {
    let target = |number: &str| {
        let project = Project::new(&format!(
            "targets: [{{name: t, provider: openai, model: m, api_key: k, params: {{x: [{number}]}}}}]"
        ));
        project.resolve("t", &[]).unwrap().target
    };
    // These are the same double.
    let (one, other) = ("12345678901234567890123", "12345678901234567890124");
    assert_ne!(target(one).settings_digest, target(other).settings_digest);
    assert_eq!(target(one).settings_digest, target(one).settings_digest);
    assert_eq!(target(one).settings["params"], json!({"x": [one]}));
    assert_eq!(target("1e400").settings["params"], json!({"x": ["1e400"]}));
    assert_eq!(target("1.10").settings["params"], json!({"x": [1.1]}));
    assert_eq!(target("7").settings["params"], json!({"x": [7]}));
    assert_ne!(target("7.0").settings_digest, target("7").settings_digest);
    let plain = target("7");
    let digest = agentv_core::Digest::of_settings(&plain.settings);
    assert_eq!(plain.settings_digest, digest);
}

fn secrets_are_known_wherever_they_come_from() {
    let project = Project::new(
        r#"
targets:
  - name: t
    provider: http
    url: http://user:pass-word-1@localhost?token=query-value
    headers: {Authorization: 'Bearer bearer-value', X-Key: '${{ PLAIN }}'}
    body: {session_token: body-value, note: 'n ${{ HIDDEN_TOKEN }}', open: visible-value}
"#,
    );
    let dotenv = project.write(".env", "UNUSED_SECRET=dotenv-value\nOTHER=other-value\n");
    let variables = [("PLAIN", "header-value"), ("HIDDEN_TOKEN", "token-value")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let environment = Environment::new(variables).with_dotenv(&dotenv).unwrap();
    let resolved = project.targets().resolve("t", &environment).unwrap();
    for secret in [
        "pass-word-1",
        "query-value",
        "bearer-value",
        "header-value",
        "body-value",
        "token-value",
        "dotenv-value",
    ] {
        assert_eq!(resolved.secrets.redact(secret), "[REDACTED]", "{secret}");
    }
    for open in ["visible-value", "other-value"] {
        assert_eq!(resolved.secrets.redact(open), open);
    }
    assert_eq!(resolved.warnings, [""; 0]);
    assert!(!format!("{environment:?} {resolved:?}").contains("token-value"));
}

fn an_error_does_not_show_a_secret_in_the_wrong_place() {
    for (field, value) in [
        ("path", "${{ API_KEY }}"),
        ("response_path", "${{ API_KEY }}["),
        ("url", "${{ API_KEY }}:x"),
    ] {
        let mut fields = match field {
            "path" => json!({"provider": "replay"}),
            _ => json!({"provider": "http", "url": "http://localhost"}),
        };
        fields[field] = json!(value);
        let error = Project::of(fields).resolve("t", &[("API_KEY", "sk-0123456789")]);
        let error = error.unwrap_err();
        assert!(error.message.contains("[REDACTED]"), "{error:?}");
        assert!(!format!("{error:?}").contains("0123456789"), "{error:?}");
    }
}

fn a_value_that_is_too_short_to_hide_is_named() {
    let project = Project::new(
        "targets:\n  - {name: t, provider: http, url: 'http://x', headers: {X-Key: abc, Y-Key: ''}}\n",
    );
    let resolved = project.resolve("t", &[]).unwrap();
    let names: Vec<_> = resolved.not_hidden.iter().map(|open| &open.name).collect();
    assert_eq!(names, ["`X-Key` of target `t`"]);
}

fn problems_of_a_target_matter_where_it_is_needed() {
    let project = Project::new(
        "targets:\n  - {name: a, provider: echo, judge_target: nobody}\n  - {name: b, provider: ecko}\n",
    );
    let read = |name: &str| {
        let path = project.root().join(name);
        Targets::read(&path, &Arc::from(name), &project.surroundings())
    };
    let targets = read("targets.yaml").unwrap();
    assert_eq!(targets.problems_of("a").len(), 1);
    project.resolve("a", &[]).unwrap();
    let error = project.resolve("b", &[]).unwrap_err().to_string();
    assert!(error.contains("unknown provider `ecko`"), "{error}");
    project.write("broken.yaml", "targets: {name: a}\n");
    assert_eq!(read("broken.yaml").unwrap_err().len(), 1);
    for (name, expected) in [
        ("nothing.yaml", "targets file `nothing.yaml` not found"),
        ("evals", "this is not a regular file"),
        ("bytes.yaml", "not UTF-8 text"),
    ] {
        project.write("bytes.yaml", b"targets: \xff");
        assert_eq!(read(name).unwrap_err()[0].to_string(), expected);
    }
}

fn a_list_shows_names_kinds_models_and_lines() {
    let project = Project::new(
        "targets:\n  - {name: a, provider: echo}\n  - name: b\n    provider: azure-openai\n    resource: r\n    deployment: gpt-5\n",
    );
    let targets = project.targets();
    let listed: Vec<_> = targets
        .listed()
        .map(|target| (target.name, target.kind, target.model, target.line))
        .collect();
    assert_eq!(
        listed,
        [("a", "echo", None, 2), ("b", "azure", Some("gpt-5"), 3)]
    );
}

fn a_dry_run_target_keeps_its_name_and_calls_nothing() {
    let project = Project::new(
        "targets:\n  - {name: gpt, provider: openai, model: gpt-5, api_key: '${{ NOT_SET }}', judgeTarget: j}\n",
    );
    let environment = Environment::default();
    let targets = project.targets();
    let (target, _) = targets.stand_in("gpt", Delay::default(), &environment);
    assert_eq!(
        (target.name.as_str(), target.kind.as_str()),
        ("gpt", "mock")
    );
    assert_eq!(target.judge_target.as_deref(), Some("j"));
    let request = project.request("case", "Hi");
    let cancel = CancellationToken::new();
    let transcript = block_on(target.provider.answer(&request, &cancel)).unwrap();
    assert_eq!(transcript.answer(), r#"{"answer":"Mock response"}"#);
}
