//! The fields of a target that is an agent.

use std::time::Duration;

use agentv_core::TargetSandbox;
use serde_json::Value;

use super::address::AgentAddress;
use super::kind::{AgentApi, AgentKind};
use super::permissions::Permissions;
use crate::model::Price;
use crate::target::sandbox::target_sandbox;
use crate::target::{SettingError, Settings};

/// The time without an event after which an agent is stopped.
const IDLE: Duration = Duration::from_secs(300);

/// The fields of a target that is an agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentSettings {
    pub(crate) command: Vec<String>,
    pub(crate) model: Option<String>,
    /// The address of the API, in the form that the agent expects.
    pub(crate) base_url: Option<String>,
    /// The query of every request to that address.
    pub(crate) query: Option<String>,
    pub(crate) api_key: Option<String>,
    /// The protocol of the models, for an agent that speaks several.
    pub(crate) api: Option<String>,
    pub(crate) permissions: Permissions,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) max_turns: Option<u64>,
    pub(crate) idle: Duration,
    pub(crate) pass_env: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) args: Vec<String>,
    /// The sandbox that the agent runs in.
    pub(crate) sandbox: Option<TargetSandbox>,
    /// True if the agent calls its model through our proxy.
    pub(crate) proxy: bool,
    /// The price that the user set.
    pub(crate) price: Option<Price>,
    /// The list price of the model.
    pub(crate) listed_price: Option<Price>,
}

impl AgentSettings {
    /// Returns true if the models speak Anthropic's protocol, for an agent that speaks several.
    pub(crate) fn is_anthropic(&self) -> bool {
        match self.api.as_deref() {
            Some(api) => api == "anthropic",
            None => self
                .model
                .as_deref()
                .is_some_and(|model| model.contains("claude")),
        }
    }

    /// Returns the API of an agent that speaks several protocols.
    pub(crate) fn api_of_protocol(
        &self,
        anthropic: &'static AgentApi,
        openai: &'static AgentApi,
    ) -> &'static AgentApi {
        if self.is_anthropic() {
            anthropic
        } else {
            openai
        }
    }

    /// Reads the fields. The key comes from `api_key`, or from the variables of the agent's API.
    ///
    /// # Errors
    /// If a field holds a wrong value.
    pub(crate) fn of(kind: &AgentKind, settings: &Settings) -> Result<AgentSettings, SettingError> {
        let text = |name: &str| settings.text(name).map(str::to_owned);
        let mut read = AgentSettings {
            command: words(settings, "command").unwrap_or_else(|| vec![kind.program.to_owned()]),
            model: text("model"),
            base_url: None,
            query: None,
            api_key: text("api_key"),
            api: text("api"),
            permissions: permissions(settings)?,
            tools: words(settings, "tools"),
            max_turns: settings.count("max_turns")?,
            idle: idle(settings)?,
            pass_env: words(settings, "pass_env").unwrap_or_default(),
            env: variables(settings),
            args: words(settings, "args").unwrap_or_default(),
            sandbox: target_sandbox(settings)?,
            proxy: settings.flag("proxy")?.unwrap_or(true),
            price: Price::of_settings(settings)?,
            listed_price: None,
        };
        let has_no_network = read
            .sandbox
            .as_ref()
            .is_some_and(TargetSandbox::has_no_network);
        if has_no_network && !read.proxy {
            let message =
                "with `network: none`, the agent reaches its model only through the proxy";
            return Err(SettingError::of("proxy", message).hint("remove `proxy: false`"));
        }
        if kind.needs_model && read.model.is_none() {
            let message = format!(
                "missing; {} has no default for models of your own",
                kind.name
            );
            let hint = "name a model of the API at `base_url`, or of the vendor";
            return Err(SettingError::of("model", message).hint(hint));
        }
        if !kind.takes_tools && read.tools.is_some() {
            let message = format!("{} cannot be limited to some of its tools", kind.name);
            return Err(SettingError::of("tools", message).hint("use `permissions`"));
        }
        let api = (kind.api)(&read);
        if let Some(given) = settings.text("base_url") {
            read.set_address(AgentAddress::of(given, api.base_url)?)?;
        } else if let Some((name, given)) = read.address_variable(settings, api) {
            let address = AgentAddress::of(given, api.base_url);
            let address = address.map_err(|error| SettingError {
                message: format!("in the variable `{name}`: {}", error.message),
                ..error
            });
            read.set_address(address?)?;
        }
        let model = read.model.as_deref();
        read.listed_price = model.and_then(|model| Price::known(api.prices, model));
        if read.api_key.is_none() {
            let names = api.key_variables.iter();
            read.api_key = names.copied().find_map(|name| settings.variable(name));
        }
        Ok(read)
    }

    /// Returns the variable that holds the address of the API, with its value. One in `pass_env` is for the
    /// agent itself, which then uses its own login.
    fn address_variable<'s>(
        &self,
        settings: &'s Settings,
        api: &AgentApi,
    ) -> Option<(&'static str, &'s str)> {
        let names = api.address_variables.iter().copied();
        let mut names = names.filter(|name| !self.pass_env.iter().any(|passed| passed == name));
        names.find_map(|name| {
            let value = settings.environment().get(name);
            Some((name, value.filter(|value| !value.is_empty())?))
        })
    }

    /// Sets the address of the API.
    ///
    /// # Errors
    /// If it has a query, and no proxy to add it.
    fn set_address(&mut self, address: AgentAddress) -> Result<(), SettingError> {
        if address.query.is_some() && !self.proxy {
            let message = "without the proxy, agents do not send the query of an address";
            return Err(SettingError::of("base_url", message).hint("remove `proxy: false`"));
        }
        self.base_url = Some(address.base);
        self.query = address.query;
        Ok(())
    }

    /// Returns true if the agent calls its model through our proxy: the user has not turned it off, and
    /// there is a key or an address to hold.
    pub(crate) fn has_proxy(&self) -> bool {
        self.proxy && (self.api_key.is_some() || self.base_url.is_some())
    }
}

fn words(settings: &Settings, name: &str) -> Option<Vec<String>> {
    let words = settings.value(name)?.as_array()?.iter();
    let words = words.filter_map(Value::as_str).map(str::to_owned);
    Some(words.collect())
}

fn variables(settings: &Settings) -> Vec<(String, String)> {
    let fields = settings.value("env").and_then(Value::as_object);
    let pairs = fields.into_iter().flatten();
    pairs
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn permissions(settings: &Settings) -> Result<Permissions, SettingError> {
    let Some(name) = settings.text("permissions") else {
        return Ok(Permissions::default());
    };
    Permissions::named(name).ok_or_else(|| {
        let names = Permissions::NAMES.join(", ");
        SettingError::of("permissions", format!("expected one of {names}"))
    })
}

fn idle(settings: &Settings) -> Result<Duration, SettingError> {
    let Some(seconds) = settings.number("idle_seconds")? else {
        return Ok(IDLE);
    };
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| SettingError::of("idle_seconds", "expected fewer seconds"))
}
