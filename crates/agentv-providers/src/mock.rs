//! The provider with fixed answers.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{BoxFuture, Digest, Provider, ProviderError, Request, Transcript};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::target::Delay;
use crate::target::{SettingError, Settings};

const RESPONSE: &str = r#"{"answer":"Mock response"}"#;

/// A provider that gives fixed answers, after an optional delay.
#[derive(Debug)]
pub(crate) struct Mock {
    response: String,
    responses: HashMap<String, String>,
    delay: Delay,
}

pub(crate) fn build(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    let responses = settings.value("responses").and_then(Value::as_object);
    let responses = responses.into_iter().flatten();
    Ok(Arc::new(Mock {
        response: settings.value("response").map_or(RESPONSE.to_owned(), text),
        responses: responses
            .map(|(id, response)| (id.clone(), text(response)))
            .collect(),
        delay: delay(settings)?,
    }))
}

/// Returns a string as it is, and any other value as compact JSON.
fn text(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn delay(settings: &Settings) -> Result<Delay, SettingError> {
    let time = |field: &str| {
        settings
            .count(field)
            .map(|ms| ms.map(Duration::from_millis))
    };
    let fixed = time("delay_ms")?;
    let (min, max) = (time("delay_min_ms")?, time("delay_max_ms")?);
    if fixed.is_some() && (min.is_some() || max.is_some()) {
        let message = "cannot be combined with `delay_min_ms` or `delay_max_ms`";
        return Err(SettingError::of("delay_ms", message).hint("give a fixed delay or a range"));
    }
    let min = min.or(fixed).unwrap_or_default();
    let max = max.unwrap_or(min);
    if max < min {
        let message = "must not be less than `delay_min_ms`";
        return Err(SettingError::of("delay_max_ms", message));
    }
    Ok(Delay { min, max })
}

impl Mock {
    /// Creates a mock with the default answer and a delay.
    pub(crate) fn with_delay(delay: Delay) -> Mock {
        Mock {
            response: RESPONSE.to_owned(),
            responses: HashMap::new(),
            delay,
        }
    }

    fn transcript(&self, request: &Request) -> Transcript {
        // Most mocks have no answers by case, and then nothing is hashed.
        let own = if self.responses.is_empty() {
            None
        } else {
            self.responses.get(&request.eval_id)
        };
        Transcript::of_text(own.unwrap_or(&self.response).as_str())
    }

    /// Returns the delay of a request, which is always the same for a case and trial.
    fn wait(&self, request: &Request) -> Duration {
        let Delay { min, max } = self.delay;
        let range = max.saturating_sub(min);
        if range.is_zero() {
            return min;
        }
        let trial = format!("{} {}", request.trial, request.eval_id);
        let chance = Digest::of(trial.as_bytes()).short();
        min + range.mul_f64(chance as f64 / u64::MAX as f64)
    }
}

impl Provider for Mock {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        if self.delay == Delay::default() {
            return Box::pin(ready(Ok(self.transcript(request))));
        }
        Box::pin(async move {
            tokio::select! {
                () = tokio::time::sleep(self.wait(request)) => Ok(self.transcript(request)),
                () = cancel.cancelled() => Err(ProviderError::cancelled()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use serde_json::json;
    use std::path::Path;

    fn request(id: &str, trial: u32) -> Request {
        Request {
            eval_id: id.to_owned(),
            trial,
            ..Request::of_text("Hi", Arc::from(Path::new("/")), Duration::from_secs(1))
        }
    }

    fn mock(fields: Value) -> Result<Arc<dyn Provider>, SettingError> {
        build(&Settings::of_test(fields, Environment::default()))
    }

    async fn answer(fields: Value, id: &str) -> String {
        let cancel = CancellationToken::new();
        let mock = mock(fields).unwrap();
        let request = request(id, 1);
        mock.answer(&request, &cancel).await.unwrap().answer()
    }

    #[tokio::test]
    async fn the_answer_is_the_cases_own_then_the_targets_then_the_usual_one() {
        let fields = json!({"response": "Hi", "responses": {"a": "Own", "b": {"x": 1}}});
        assert_eq!(answer(fields.clone(), "a").await, "Own");
        assert_eq!(answer(fields.clone(), "b").await, r#"{"x":1}"#);
        assert_eq!(answer(fields, "c").await, "Hi");
        assert_eq!(answer(json!({}), "c").await, RESPONSE);
    }

    #[test]
    fn a_time_between_two_is_within_them_and_the_same_for_the_same_trial() {
        let delay = Delay {
            min: Duration::from_millis(100),
            max: Duration::from_millis(200),
        };
        let mock = Mock::with_delay(delay);
        let waits: Vec<_> = (1..200)
            .map(|trial| mock.wait(&request("a", trial)))
            .collect();
        assert!(
            waits
                .iter()
                .all(|wait| *wait >= delay.min && *wait <= delay.max)
        );
        let spread = *waits.iter().max().unwrap() - *waits.iter().min().unwrap();
        assert!(spread > Duration::from_millis(80), "{spread:?}");
        assert_eq!(mock.wait(&request("a", 7)), waits[6]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_passes_before_the_answer_and_is_cut_by_the_end_of_the_run() {
        let mock = mock(json!({"delay_ms": 60_000})).unwrap();
        let cancel = CancellationToken::new();
        let started = tokio::time::Instant::now();
        mock.answer(&request("a", 1), &cancel).await.unwrap();
        assert_eq!(started.elapsed(), Duration::from_secs(60));
        cancel.cancel();
        let error = mock.answer(&request("a", 1), &cancel).await.unwrap_err();
        assert_eq!(error, ProviderError::cancelled());
    }

    #[test]
    fn times_that_make_no_sense_are_refused() {
        for fields in [
            json!({"delay_min_ms": 5, "delay_max_ms": 4}),
            json!({"delay_ms": 5, "delay_max_ms": 7}),
        ] {
            assert!(mock(fields).is_err());
        }
    }
}
