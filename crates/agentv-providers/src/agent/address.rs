//! The address of a model's API, in the form that an agent expects.

use reqwest::Url;

use crate::model::parse_address;
use crate::target::SettingError;

/// The address of an API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentAddress {
    /// The address that agents append paths to, without a slash at its end.
    pub(crate) base: String,
    /// The query of every request.
    pub(crate) query: Option<String>,
}

impl AgentAddress {
    /// Reads the field `base_url`. The user may write it with or without the version of the API: `default`,
    /// the address of the vendor, says whether the agent appends it.
    ///
    /// # Errors
    /// If it is not the address of a server.
    pub(crate) fn of(given: &str, default: &str) -> Result<AgentAddress, SettingError> {
        let mut url = parse_address("base_url", given)?;
        let path = url.path().trim_end_matches('/').to_owned();
        let version = default.rsplit('/').next().filter(|last| is_version(last));
        let path = match (version, path.rsplit_once('/')) {
            // Gateways serve the API under paths of any shape, so only a bare host is completed.
            (Some(version), None) => format!("/{version}"),
            (None, Some((before, last))) if is_version(last) => before.to_owned(),
            _ => path,
        };
        url.set_path(&path);
        let query = url.query().map(str::to_owned);
        url.set_query(None);
        url.set_fragment(None);
        Ok(AgentAddress {
            base: Url::as_str(&url).trim_end_matches('/').to_owned(),
            query,
        })
    }
}

/// Checks for the name of a version, such as `v1` or `v1beta`.
fn is_version(segment: &str) -> bool {
    let mut letters = segment.chars();
    letters.next() == Some('v') && letters.next().is_some_and(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_have_the_version_of_the_api_or_not() {
        let with = "https://api.openai.com/v1";
        let without = "https://api.anthropic.com";
        let cases = [
            ("http://host", with, "http://host/v1"),
            ("http://host/", with, "http://host/v1"),
            ("http://host/v1/", with, "http://host/v1"),
            ("http://host/openai", with, "http://host/openai"),
            ("http://host:8080", without, "http://host:8080"),
            ("http://host/v1", without, "http://host"),
            ("http://host/a/v1beta/", without, "http://host/a"),
            ("http://host/gateway", without, "http://host/gateway"),
        ];
        for (given, default, expected) in cases {
            let address = AgentAddress::of(given, default).unwrap();
            assert_eq!(address.base, expected, "{given}");
            assert_eq!(address.query, None);
        }
    }

    #[test]
    fn a_query_is_kept_apart() {
        let given = "https://x.openai.azure.com/openai/v1/?api-version=2";
        let address = AgentAddress::of(given, "https://api.openai.com/v1").unwrap();
        assert_eq!(address.base, "https://x.openai.azure.com/openai/v1");
        assert_eq!(address.query.as_deref(), Some("api-version=2"));
    }

    #[test]
    fn what_is_not_an_address_is_refused() {
        for given in ["127.0.0.1:18915", "host/v1", "ftp://host", ""] {
            let error = AgentAddress::of(given, "https://api.anthropic.com").unwrap_err();
            assert_eq!(error.field.as_deref(), Some("base_url"), "{given}");
        }
    }
}
