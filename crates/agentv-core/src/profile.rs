//! The profile of a target: what a provider understood of its settings.

use serde::{Deserialize, Serialize};

/// A description of a target, as its provider understood its settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The protocol, such as `OpenAI chat`.
    pub protocol: String,
    /// The model, as the request names it.
    pub model: String,
    /// The price of its tokens, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<TokenPrice>,
    /// The tools that the model may call, in the order of the request.
    pub tools: Vec<OfferedTool>,
    /// True if `tools` lacks those of servers, because a server is not connected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_tools: bool,
    /// True if the model takes images, false if it takes none; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// True if answers are streamed.
    pub stream: bool,
}

/// The price of tokens, in US dollars per million.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TokenPrice {
    /// The price of input.
    pub input: f64,
    /// The price of output.
    pub output: f64,
    /// The price of input from the vendor's cache, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// True if the user set the price. Otherwise it is the vendor's list price.
    pub is_own: bool,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedTool {
    /// The name.
    pub name: String,
    /// The origin of its results, such as `command` or the name of an MCP server; `None` if it has no
    /// result, so that a call ends the trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
