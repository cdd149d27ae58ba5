//! Builds the provider of a model from the fields of a target.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agentv_core::{Provider, Secrets};
use genai::chat::{ChatOptions, ReasoningEffort};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, Headers, ModelIden, ServiceTarget};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use super::address::{deployment, endpoint};
use super::asked_model::AskedModel;
use super::price::Price;
use super::provider::ModelProvider;
use super::vendor::{Keyless, Protocol, Vendor};
use crate::network::http_client;
use crate::target::{SettingError, Settings};

type Built = Result<Arc<dyn Provider>, SettingError>;

/// Builds a model of a vendor, at the vendor's address or at `base_url`.
pub(crate) fn build(vendor: &'static Vendor, settings: &Settings) -> Built {
    let model = settings.text("model");
    let model = model.ok_or_else(|| SettingError::of("model", "missing"))?;
    build_at(vendor, settings, vendor.base_url, model)
}

/// Builds a model of a vendor, at `usual_url` or at `base_url`.
pub(crate) fn build_at(
    vendor: &'static Vendor,
    settings: &Settings,
    usual_url: &str,
    model: &str,
) -> Built {
    let base_url = settings.text("base_url").unwrap_or(usual_url);
    let url = endpoint(vendor.protocol, "base_url", base_url, model)?;
    provider(vendor, settings, url, model, model)
}

/// Builds a deployment on Azure. If the target also names the model, the model determines the price and
/// the known options.
pub(crate) fn azure(vendor: &'static Vendor, settings: &Settings) -> Built {
    let (field, address) = match (settings.text("endpoint"), settings.text("resource")) {
        (Some(endpoint), _) => ("endpoint", endpoint.to_owned()),
        (None, Some(name)) => ("resource", format!("https://{name}.openai.azure.com")),
        (None, None) => return Err(SettingError::of("endpoint", "missing")),
    };
    let model = settings.text("model");
    let name = settings.text("deployment").or(model);
    let name = name.ok_or_else(|| SettingError::of("deployment", "missing"))?;
    let url = deployment(field, &address, name, settings.text("version"))?;
    // With this version of the API, the request names the deployment.
    let in_request = if url.path().contains("/deployments/") {
        model.unwrap_or(name)
    } else {
        name
    };
    provider(vendor, settings, url, in_request, model.unwrap_or(name))
}

fn provider(
    vendor: &'static Vendor,
    settings: &Settings,
    url: Url,
    sent_model: &str,
    model: &str,
) -> Built {
    let (headers, secrets) = headers(vendor, settings)?;
    let target = ServiceTarget {
        // Parsed by the client crate for every request, and then overridden: the shorter the better.
        endpoint: Endpoint::from_static("http://x/"),
        auth: AuthData::RequestOverride {
            url: url.to_string(),
            headers,
        },
        // A name may contain `::`. The client crate takes the part before it for a vendor.
        model: ModelIden::new(vendor.adapter, format!("agentv::{sent_model}")),
    };
    let client = http_client()?;
    let client = Client::builder().with_reqwest(client).build();
    let client = client.map_err(|error| SettingError::new(error.to_string()))?;
    Ok(Arc::new(ModelProvider {
        client,
        target,
        options: options(vendor.protocol, settings)?,
        asked: AskedModel::new(vendor, model, url, Price::of_settings(settings)?, secrets),
        refused_schema: AtomicBool::new(false),
    }))
}

fn options(protocol: Protocol, settings: &Settings) -> Result<ChatOptions, SettingError> {
    let max_tokens = token_count(settings, "max_output_tokens")?;
    let thinking = token_count(settings, "thinking_budget")?.filter(|budget| *budget > 0);
    if let (Some(budget), Some(most)) = (thinking, max_tokens)
        && budget >= most
    {
        return Err(SettingError::of(
            "thinking_budget",
            format!("must be less than `max_output_tokens` ({most}), which includes thinking"),
        ));
    }
    let thinking = thinking.map(ReasoningEffort::Budget);
    Ok(ChatOptions {
        temperature: settings.number("temperature")?,
        max_tokens,
        reasoning_effort: thinking.or_else(|| protocol.usual_effort()),
        // The client crate does not read refusals, nor errors in answers with status 200.
        capture_raw_body: Some(true),
        ..ChatOptions::default()
    })
}

fn token_count(settings: &Settings, field: &str) -> Result<Option<u32>, SettingError> {
    let Some(count) = settings.count(field)? else {
        return Ok(None);
    };
    let too_many = |_| SettingError::of(field, "expected fewer than 4294967296 tokens");
    u32::try_from(count).map(Some).map_err(too_many)
}

/// Returns the headers of every request, with names in lower case, and the secrets among them. The
/// user's headers replace those that the vendor needs.
fn headers(vendor: &Vendor, settings: &Settings) -> Result<(Headers, Secrets), SettingError> {
    let given = settings.headers();
    let given: Vec<(String, String)> = given
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    let has = |name: &str| given.iter().any(|(given, _)| given == name);
    let mut secrets = Secrets::default();
    let mut headers = Vec::new();
    if vendor.protocol == Protocol::Messages {
        headers.push(("anthropic-version".to_owned(), "2023-06-01".to_owned()));
    }
    if !has(vendor.auth.header())
        && !has("authorization")
        && let Some(key) = key(vendor, settings)?
    {
        secrets.add(&key);
        let value = vendor.auth.value(&key);
        check_header("api_key", vendor.auth.header(), &value)?;
        headers.push((vendor.auth.header().to_owned(), value));
    }
    for (name, value) in given {
        check_header("headers", &name, &value)?;
        if Secrets::is_secret_name(&name) {
            secrets.add(&value);
            secrets.add(value.rsplit(' ').next().unwrap_or_default());
        }
        headers.push((name, value));
    }
    Ok((Headers::from(headers), secrets))
}

/// Returns the key: that of the field, or else of the first default variable that is set.
fn key(vendor: &Vendor, settings: &Settings) -> Result<Option<String>, SettingError> {
    if let Some(key) = settings.text("api_key") {
        return Ok(Some(key.to_owned()));
    }
    let mut variables = vendor.key_variables.iter();
    if let Some(key) = variables.find_map(|name| settings.variable(name)) {
        return Ok(Some(key));
    }
    let own_address = settings.text("base_url").is_some();
    match vendor.keyless {
        Keyless::Always => Ok(None),
        Keyless::AtOwnAddress if own_address => Ok(None),
        Keyless::AtOwnAddress | Keyless::Never => {
            let variables = vendor.key_variables.join("` or `");
            let missing = format!("{} needs an API key", vendor.name);
            let hint = format!(
                "set the environment variable `{variables}`, or give the target an `api_key`"
            );
            Err(SettingError::of("api_key", missing).hint(hint))
        }
    }
}

fn check_header(field: &str, name: &str, value: &str) -> Result<(), SettingError> {
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Err(SettingError::of(
            field,
            format!("`{name}` is not a valid header name"),
        ));
    }
    if HeaderValue::from_str(value).is_err() {
        let message = format!("`{name}` has a value with a character that a header cannot have");
        return Err(SettingError::of(field, message).hint("check it for line breaks"));
    }
    Ok(())
}
