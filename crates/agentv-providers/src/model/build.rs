//! Builds the provider of a model from the fields of a target.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agentv_core::{Provider, Secrets};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use super::address::{deployment, endpoint, streaming};
use super::asked_model::AskedModel;
use super::parameters::{parameters, stream_in_params};
use super::price::Price;
use super::provider::ModelProvider;
use super::tools::Tools;
use super::vendor::{Keyless, Vendor};
use crate::cli::{Inputs, Program};
use crate::network::http_client;
use crate::target::{SettingError, Settings};
use crate::wire::{Parameters, Protocol};

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
        (None, None) => match settings.variable("AZURE_OPENAI_ENDPOINT") {
            Some(endpoint) => ("endpoint", endpoint),
            None => {
                let hint = "set the environment variable `AZURE_OPENAI_ENDPOINT`, or give the target an \
                            `endpoint` in `targets.yaml`";
                return Err(SettingError::of("endpoint", "missing").hint(hint));
            }
        },
    };
    let model = settings.text("model");
    let name = settings.text("deployment").or(model);
    let name = name.ok_or_else(|| SettingError::of("deployment", "missing"))?;
    let version = settings.text("version");
    let url = deployment(vendor.protocol, field, &address, name, version)?;
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
    let wire = vendor.protocol.wire();
    let parameters = parameters(settings, wire)?;
    check_thinking(vendor.protocol, &parameters)?;
    let tools = Tools::of(settings)?;
    tools.check_choice(parameters.tool_choice.as_ref())?;
    let commands = tools.commands();
    let root = &settings.surroundings().root;
    let program = if commands.is_empty() {
        None
    } else {
        Some(Program::of(commands, Inputs::of(settings)?, root))
    };
    let stream = stream_in_params(&parameters, wire).or(settings.flag("stream")?);
    let idle = settings.number("idle_seconds")?.unwrap_or(IDLE);
    let idle = Duration::try_from_secs_f64(idle)
        .map_err(|_| SettingError::of("idle_seconds", "expected fewer seconds"))?;
    Ok(Arc::new(ModelProvider {
        client: http_client()?,
        wire,
        urls: [url.clone(), streaming(vendor.protocol, &url)],
        headers,
        model: sent_model.to_owned(),
        system: settings.text("system").map(str::to_owned),
        parameters,
        tools,
        program,
        stream: stream.unwrap_or(true),
        idle,
        asked: AskedModel::new(vendor, model, url, Price::of_settings(settings)?, secrets),
        refused_schema: AtomicBool::new(false),
        refused_stream: AtomicBool::new(false),
    }))
}

/// The seconds without any bytes after which a stream is given up.
const IDLE: f64 = 120.0;

/// Checks that thinking leaves room for an answer, where the limit includes both.
fn check_thinking(protocol: Protocol, parameters: &Parameters) -> Result<(), SettingError> {
    let budget = parameters.thinking_budget.filter(|budget| *budget > 0);
    match (budget, parameters.max_output_tokens) {
        (Some(budget), Some(most)) if protocol == Protocol::Messages && budget >= most => {
            Err(SettingError::of(
                "thinking_budget",
                format!("must be less than `max_output_tokens` ({most}), which includes thinking"),
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the headers of every request, and the secrets among them. A header of the user replaces the
/// one that the vendor needs.
fn headers(vendor: &Vendor, settings: &Settings) -> Result<(HeaderMap, Secrets), SettingError> {
    let given = settings.headers();
    let has = |name: &str| {
        given
            .iter()
            .any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    let mut secrets = Secrets::default();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if vendor.protocol == Protocol::Messages {
        let version = HeaderValue::from_static("2023-06-01");
        headers.insert("anthropic-version", version);
    }
    if !has(vendor.auth.header())
        && !has("authorization")
        && let Some(key) = key(vendor, settings)?
    {
        secrets.add(&key);
        let value = vendor.auth.value(&key);
        let (name, value) = header("api_key", vendor.auth.header(), &value)?;
        headers.insert(name, value);
    }
    for (name, text) in &given {
        let (name, value) = header("headers", name, text)?;
        if Secrets::is_secret_name(name.as_str()) {
            secrets.add(text);
            secrets.add(text.rsplit(' ').next().unwrap_or_default());
        }
        headers.insert(name, value);
    }
    Ok((headers, secrets))
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

/// Returns a header that may hold a secret.
fn header(field: &str, name: &str, value: &str) -> Result<(HeaderName, HeaderValue), SettingError> {
    let Ok(key) = HeaderName::from_bytes(name.as_bytes()) else {
        return Err(SettingError::of(
            field,
            format!("`{name}` is not a valid header name"),
        ));
    };
    let Ok(mut value) = HeaderValue::from_str(value) else {
        let message = format!("`{name}` has a value with a character that a header cannot have");
        return Err(SettingError::of(field, message).hint("check it for line breaks"));
    };
    value.set_sensitive(Secrets::is_secret_name(name));
    Ok((key, value))
}
