//! The provider that sends requests.

use std::sync::Arc;

use agentv_core::{BoxFuture, Cause, Provider, ProviderError, Request, Secrets, Transcript};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use tokio_util::sync::CancellationToken;

use super::body::{Body, FilledBody};
use super::path::ResponsePath;
use super::template::TemplateError;
use super::{read, template};
use crate::answer;
use crate::network::{http_client, network_error, status_error};
use crate::target::{SettingError, Settings};

/// A provider that sends a request for each case and takes the answer from the response.
struct Http {
    client: Client,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Option<Body>,
    response_path: Option<ResponsePath>,
    /// The values that an error must not repeat.
    secrets: Secrets,
}

pub(crate) fn build(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    let method = settings.text("method").unwrap_or("POST");
    let method = Method::from_bytes(method.as_bytes())
        .map_err(|_| SettingError::of("method", "not an HTTP method"))?;
    let response_path = settings.text("response_path").map(ResponsePath::parse);
    Ok(Arc::new(Http {
        client: http_client()?,
        body: Body::of(settings.value("body"), &method)?,
        method,
        url: address(settings.text("url").unwrap_or_default())?,
        headers: headers(settings)?,
        response_path: response_path.transpose()?,
        secrets: settings.secret_values().secrets,
    }))
}

fn address(url: &str) -> Result<String, SettingError> {
    let wrong = |reason: String| Err(SettingError::of("url", reason));
    // A template may be an address only after it is filled in.
    let sample =
        template::sample_of(url).map_err(|error| SettingError::of("url", error.to_string()))?;
    match Url::parse(&sample) {
        Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => Ok(url.to_owned()),
        Ok(parsed) => wrong(format!(
            "expected a URL that starts with `http://` or `https://`, found `{}:`",
            parsed.scheme()
        )),
        Err(error) => wrong(format!("not a URL: {error}")),
    }
}

fn headers(settings: &Settings) -> Result<HeaderMap, SettingError> {
    let mut headers = HeaderMap::new();
    for (name, value) in settings.headers() {
        let wrong = |what: &str| SettingError::of("headers", format!("`{name}` {what}"));
        let key: HeaderName = name
            .parse()
            .map_err(|_| wrong("is not a valid header name"))?;
        let mut value: HeaderValue = value.parse().map_err(|_| {
            wrong("has a value with a character that a header cannot have, such as a line break")
        })?;
        value.set_sensitive(Secrets::is_secret_name(&name));
        headers.append(key, value);
    }
    Ok(headers)
}

impl Http {
    async fn ask(&self, request: &Request) -> Result<Transcript, ProviderError> {
        let url = template::fill(&self.url, request).map_err(setup)?;
        let mut asking = self
            .client
            .request(self.method.clone(), &url)
            .headers(self.headers.clone());
        if let Some(body) = &self.body {
            let FilledBody {
                bytes,
                content_type,
            } = body.fill(request).map_err(setup)?;
            if !self.headers.contains_key(CONTENT_TYPE) {
                asking = asking.header(CONTENT_TYPE, content_type);
            }
            asking = asking.body(bytes);
        }
        let response = asking.send().await;
        let mut response = response.map_err(|error| network_error(&error, &url))?;
        let status = response.status();
        if !status.is_success() {
            // Redacted before it is cut, since half of a key would not be recognised.
            let start = read::beginning(&mut response).await;
            let start = String::from_utf8_lossy(&start);
            let start = self.secrets.redact(&start);
            return Err(status_error(status, response.headers(), start.as_bytes()));
        }
        let text = read::text(&mut response, &url).await?;
        self.answer_in(&text)
    }

    fn answer_in(&self, text: &str) -> Result<Transcript, ProviderError> {
        let unusable = |reason: String| ProviderError::new(Cause::Answer, reason);
        let Some(path) = &self.response_path else {
            return answer::of_output(text)
                .map_err(|error| unusable(format!("the response is not an answer: {error}")));
        };
        let value = serde_json::from_str(text).map_err(|error| {
            let start: String = self.secrets.redact(text).chars().take(80).collect();
            let start = start.trim();
            unusable(format!("the response is not JSON ({error}): `{start}`"))
        })?;
        path.text_in(&value)
            .map(Transcript::of_text)
            .map_err(|error| unusable(error.to_string()))
    }
}

fn setup(error: TemplateError) -> ProviderError {
    ProviderError::new(Cause::Setup, error.to_string())
}

impl Provider for Http {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async move {
            tokio::select! {
                answer = self.ask(request) => answer.map_err(|error| ProviderError {
                    message: self.secrets.redact(&error.message).into_owned(),
                    ..error
                }),
                () = cancel.cancelled() => Err(ProviderError::cancelled()),
            }
        })
    }
}
