//! The addresses of requests.

use reqwest::Url;

use crate::target::SettingError;
use crate::wire::Protocol;

/// Returns the URL of requests to a model, for an API at `base_url`, the value of `field`.
///
/// The base may end with or without a slash, with or without the version of the API, or be the complete
/// URL of the endpoint. Its query is kept.
pub(super) fn endpoint(
    protocol: Protocol,
    field: &str,
    base_url: &str,
    model: &str,
) -> Result<Url, SettingError> {
    let mut url = parse(field, base_url)?;
    let base = base_path(protocol, url.path());
    let path = match protocol {
        Protocol::Chat => format!("{base}/{CHAT}"),
        Protocol::Responses => format!("{base}/{RESPONSES}"),
        Protocol::Messages => format!("{base}/{MESSAGES}"),
        Protocol::Generate => {
            // Both may name the collection, and Google's other platform names the publisher.
            let model = model.strip_prefix("publishers/google/").unwrap_or(model);
            let (collection, model) = match model.split_once('/') {
                Some((collection @ ("models" | "tunedModels"), model)) => (collection, model),
                _ => ("models", model),
            };
            format!("{base}/{collection}/{}:generateContent", segment(model))
        }
        Protocol::Converse => format!("{base}/model/{}/converse", segment(model)),
    };
    url.set_path(&path);
    Ok(url)
}

/// Returns the URL of a deployment on Azure. With version `v1`, or an endpoint that ends in `v1`, the
/// request names the deployment. The endpoint may be a complete URL, as the portal shows it. The
/// responses protocol only exists in the API without dated versions.
pub(super) fn deployment(
    protocol: Protocol,
    field: &str,
    endpoint: &str,
    deployment: &str,
    version: Option<&str>,
) -> Result<Url, SettingError> {
    let mut url = parse(field, endpoint)?;
    let path = url.path().trim_end_matches('/').to_owned();
    let end = [CHAT, RESPONSES]
        .iter()
        .find_map(|end| path.strip_suffix(end));
    let path = end.unwrap_or(&path).trim_end_matches('/');
    // The models of other vendors have one address, and the request names the deployment.
    if path.ends_with("/models") && protocol == Protocol::Chat {
        let path = format!("{path}/{CHAT}");
        url.set_path(&path);
        set_version(&mut url, version, "2024-05-01-preview");
        return Ok(url);
    }
    let path = path
        .find("/openai/deployments/")
        .map_or(path, |at| &path[..at]);
    let path = path.strip_suffix("/openai").unwrap_or(path);
    let versioned = path.strip_suffix("/openai/v1");
    let is_responses = protocol == Protocol::Responses;
    if versioned.is_some() || version == Some("v1") || is_responses {
        let end = if is_responses { RESPONSES } else { CHAT };
        let path = format!("{}/openai/v1/{end}", versioned.unwrap_or(path));
        url.set_path(&path);
        let is_dated = |(name, value): &(_, _)| name == "api-version" && value != "preview";
        if url.query_pairs().any(|pair| is_dated(&pair)) {
            url.set_query(None);
        }
        return Ok(url);
    }
    let path = format!("{path}/openai/deployments/{}/{CHAT}", segment(deployment));
    url.set_path(&path);
    set_version(&mut url, version, AZURE_VERSION);
    Ok(url)
}

/// Sets the version of Azure's API: the target's, else that of the address, else the default one.
fn set_version(url: &mut Url, version: Option<&str>, usual: &str) {
    let given = url.query_pairs().any(|(name, _)| name == "api-version");
    if !given || version.is_some() {
        url.set_query(None);
        let version = version.unwrap_or(usual);
        url.query_pairs_mut().append_pair("api-version", version);
    }
}

/// Returns the address at which a model streams its answer.
pub(super) fn streaming(protocol: Protocol, url: &Url) -> Url {
    let mut url = url.clone();
    let path = url.path().to_owned();
    match protocol {
        Protocol::Chat | Protocol::Responses | Protocol::Messages => {}
        Protocol::Generate => {
            let base = path.strip_suffix(":generateContent").unwrap_or(&path);
            url.set_path(&format!("{base}:streamGenerateContent"));
            if !url.query_pairs().any(|(name, _)| name == "alt") {
                url.query_pairs_mut().append_pair("alt", "sse");
            }
        }
        Protocol::Converse => url.set_path(&format!("{path}-stream")),
    }
    url
}

const CHAT: &str = "chat/completions";
const RESPONSES: &str = "responses";
const MESSAGES: &str = "messages";
/// The default version of Azure's API.
const AZURE_VERSION: &str = "2024-10-21";

/// Reads an address, the value of `field`.
///
/// # Errors
/// If it is not the address of a server.
pub(crate) fn parse(field: &str, address: &str) -> Result<Url, SettingError> {
    let wrong = || {
        SettingError::of(
            field,
            "expected a URL that starts with `http://` or `https://`",
        )
        .hint("for example, `https://example.com/v1`")
    };
    let url = Url::parse(address.trim()).map_err(|error| match error {
        url_error if has_scheme(address) => {
            SettingError::of(field, format!("is not a valid URL: {url_error}"))
        }
        _ => wrong(),
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(wrong());
    }
    Ok(url)
}

fn has_scheme(address: &str) -> bool {
    let address = address.trim();
    address.starts_with("http://") || address.starts_with("https://")
}

/// Returns the path of the protocol's endpoints, without a slash at its end.
fn base_path(protocol: Protocol, path: &str) -> String {
    let path = path.trim_end_matches('/');
    let without = |end: &str| path.strip_suffix(end).unwrap_or(path).trim_end_matches('/');
    match protocol {
        // Gateways serve OpenAI's protocol under paths of any shape, so only a bare host is
        // completed.
        Protocol::Chat => or_else_version(without(CHAT), "v1"),
        Protocol::Responses => or_else_version(without(RESPONSES), "v1"),
        Protocol::Messages => with_version(without(MESSAGES), "v1"),
        Protocol::Generate => {
            let path = before(path, "/models/").or_else(|| before(path, "/tunedModels/"));
            let path = path.unwrap_or(without("/models"));
            // Google's other platform has its version before the project.
            if path.ends_with("/publishers/google") {
                path.to_owned()
            } else {
                with_version(path, "v1beta")
            }
        }
        Protocol::Converse => before(path, "/model/").unwrap_or(path).to_owned(),
    }
}

/// Returns the part of a path before the collection of models, if it is the path of one of them.
fn before<'p>(path: &'p str, collection: &str) -> Option<&'p str> {
    let (base, rest) = path.rsplit_once(collection)?;
    const ACTIONS: &[&str] = &[
        ":generateContent",
        ":streamGenerateContent",
        "/converse",
        "/converse-stream",
    ];
    let is_whole = ACTIONS.iter().any(|action| rest.ends_with(action));
    is_whole.then_some(base)
}

fn or_else_version(path: &str, version: &str) -> String {
    if path.is_empty() {
        format!("/{version}")
    } else {
        path.to_owned()
    }
}

fn with_version(path: &str, version: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or_default();
    let mut letters = last.chars();
    let is_version = letters.next() == Some('v') && letters.next().is_some_and(char::is_numeric);
    if is_version {
        path.to_owned()
    } else {
        format!("{path}/{version}")
    }
}

/// Encodes a name as one segment of a path.
fn segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                segment.push(char::from(byte));
            }
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(protocol: Protocol, base_url: &str) -> String {
        let url = endpoint(protocol, "base_url", base_url, "m:1").unwrap();
        url.to_string()
    }

    #[test]
    fn a_base_may_end_in_a_slash_or_its_version_or_neither() {
        for (protocol, bases, expected) in [
            (
                Protocol::Chat,
                [
                    "http://h:1",
                    "http://h:1/",
                    "http://h:1/v1",
                    "http://h:1/v1/",
                ],
                "http://h:1/v1/chat/completions",
            ),
            (
                Protocol::Responses,
                ["http://h", "http://h/", "http://h/v1", "http://h/v1/"],
                "http://h/v1/responses",
            ),
            (
                Protocol::Messages,
                [
                    "http://h",
                    "http://h/",
                    "http://h/v1",
                    "http://h/v1/messages",
                ],
                "http://h/v1/messages",
            ),
            (
                Protocol::Generate,
                [
                    "http://h",
                    "http://h/",
                    "http://h/v1beta",
                    "http://h/v1beta/",
                ],
                "http://h/v1beta/models/m%3A1:generateContent",
            ),
            (
                Protocol::Converse,
                ["http://h", "http://h/", "http://h", "http://h/"],
                "http://h/model/m%3A1/converse",
            ),
        ] {
            for base in bases {
                assert_eq!(at(protocol, base), expected, "{base}");
            }
        }
    }

    #[test]
    fn a_stream_has_an_address_of_its_own_where_the_protocol_has_one() {
        for (protocol, base, expected) in [
            (Protocol::Chat, "http://h", "http://h/v1/chat/completions"),
            (
                Protocol::Generate,
                "http://h?key=k",
                "http://h/v1beta/models/m%3A1:streamGenerateContent?key=k&alt=sse",
            ),
            (
                Protocol::Converse,
                "http://h",
                "http://h/model/m%3A1/converse-stream",
            ),
        ] {
            let url = endpoint(protocol, "base_url", base, "m:1").unwrap();
            assert_eq!(streaming(protocol, &url).to_string(), expected);
        }
    }

    #[test]
    fn a_tuned_model_has_a_collection_of_its_own() {
        let url = |model| {
            let url = endpoint(Protocol::Generate, "base_url", "http://h", model).unwrap();
            url.to_string()
        };
        assert_eq!(
            url("tunedModels/abc"),
            "http://h/v1beta/tunedModels/abc:generateContent"
        );
        assert_eq!(url("models/m"), "http://h/v1beta/models/m:generateContent");
    }

    #[test]
    fn the_complete_address_of_a_model_is_its_base() {
        for (protocol, base, expected) in [
            (
                Protocol::Generate,
                "http://h/v1beta/models/other:generateContent",
                "http://h/v1beta/models/m%3A1:generateContent",
            ),
            (
                Protocol::Generate,
                "http://h/v1/models/other:streamGenerateContent?alt=sse",
                "http://h/v1/models/m%3A1:generateContent?alt=sse",
            ),
            (
                Protocol::Generate,
                "http://h/v1beta/models",
                "http://h/v1beta/models/m%3A1:generateContent",
            ),
            (
                Protocol::Generate,
                "https://h/v1/projects/p/locations/l/publishers/google",
                "https://h/v1/projects/p/locations/l/publishers/google/models/m%3A1:generateContent",
            ),
            (
                Protocol::Converse,
                "https://h/model/other/converse-stream",
                "https://h/model/m%3A1/converse",
            ),
        ] {
            assert_eq!(at(protocol, base), expected, "{base}");
        }
        let url = Url::parse("http://h/v1/models/m:generateContent?alt=sse").unwrap();
        assert_eq!(
            streaming(Protocol::Generate, &url).as_str(),
            "http://h/v1/models/m:streamGenerateContent?alt=sse"
        );
    }

    #[test]
    fn the_path_of_a_gateway_is_kept() {
        let chat = |base| at(Protocol::Chat, base);
        assert_eq!(
            chat("https://h/v1/account/openai?team=a"),
            "https://h/v1/account/openai/chat/completions?team=a"
        );
        assert_eq!(
            chat("https://h/v1/chat/completions"),
            "https://h/v1/chat/completions"
        );
        assert_eq!(
            at(Protocol::Messages, "https://h/anthropic"),
            "https://h/anthropic/v1/messages"
        );
    }

    #[test]
    fn the_deployment_is_in_the_path_and_the_version_in_the_query() {
        let azure = |endpoint, version| {
            let url = deployment(Protocol::Chat, "endpoint", endpoint, "my gpt", version).unwrap();
            url.to_string()
        };
        let expected =
            "https://r.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=";
        for endpoint in [
            "https://r.openai.azure.com",
            "https://r.openai.azure.com/",
            "https://r.openai.azure.com/openai/",
            "https://r.openai.azure.com/openai/deployments/other/chat/completions",
        ] {
            assert_eq!(azure(endpoint, None), format!("{expected}2024-10-21"));
            let version = Some("2025-04-01-preview");
            let expected = format!("{expected}2025-04-01-preview");
            assert_eq!(azure(endpoint, version), expected);
        }
        // The address that Azure's portal shows.
        let target = "https://r.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2025-01-01-preview";
        assert_eq!(azure(target, None), format!("{expected}2025-01-01-preview"));
        let responses = |endpoint| {
            let url = deployment(Protocol::Responses, "endpoint", endpoint, "d", None).unwrap();
            url.to_string()
        };
        for endpoint in [
            "https://r.openai.azure.com",
            "https://r.openai.azure.com/openai/v1",
            "https://r.openai.azure.com/openai/responses?api-version=2025-04-01-preview",
        ] {
            let expected = "https://r.openai.azure.com/openai/v1/responses";
            assert_eq!(responses(endpoint), expected, "{endpoint}");
        }
        let models = "https://r.services.ai.azure.com/models/chat/completions?api-version=";
        for endpoint in [
            "https://r.services.ai.azure.com/models",
            "https://r.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview",
        ] {
            assert_eq!(azure(endpoint, None), format!("{models}2024-05-01-preview"));
        }
        let v1 = "https://r.openai.azure.com/openai/v1/chat/completions";
        assert_eq!(azure("https://r.openai.azure.com", Some("v1")), v1);
        assert_eq!(azure("https://r.openai.azure.com/openai/v1/", None), v1);
    }

    #[test]
    fn an_invalid_address_is_an_error_of_its_field() {
        for address in ["localhost:8080", "h", "", "ftp://h", "file:///etc/passwd"] {
            let error = endpoint(Protocol::Chat, "base_url", address, "m").unwrap_err();
            assert_eq!(error.field.as_deref(), Some("base_url"), "{address}");
        }
        let error = endpoint(Protocol::Chat, "base_url", "http://h:99999/v1", "m").unwrap_err();
        assert_eq!(error.message, "is not a valid URL: invalid port number");
    }
}
