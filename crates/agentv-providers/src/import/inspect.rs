//! Logs of Inspect: archives, or JSON.

use agentv_core::{Message, TokenUsage, Transcript};
use serde_json::{Value, json};

use super::answer::ImportedAnswer;
use super::error::ImportError;
use super::sessions::{text_of, values};
use super::source::ImportSource;

pub(super) static SOURCE: ImportSource = ImportSource {
    name: "inspect",
    doc: "a log of Inspect: a `.eval` archive, or JSON",
    read,
    // One file per sample and epoch. The others are the plan, the header and a journal of the same samples.
    in_archive: Some(|name| name.starts_with("samples/") && name.ends_with(".json")),
};

fn read(name: &str, text: &str) -> Result<Vec<ImportedAnswer>, ImportError> {
    let logs = values(text)?;
    let samples = logs
        .iter()
        .flat_map(|log| log["samples"].as_array().into_iter().flatten());
    let mut samples: Vec<&Value> = samples.collect();
    if samples.is_empty() {
        samples = logs
            .iter()
            .filter(|log| log["output"]["choices"].is_array())
            .collect();
    }
    let answers = samples.into_iter().enumerate();
    Ok(answers
        .filter_map(|(index, sample)| answer_of(sample, name, index))
        .collect())
}

fn answer_of(sample: &Value, name: &str, index: usize) -> Option<ImportedAnswer> {
    let id = match &sample["id"] {
        Value::String(id) => id.clone(),
        Value::Number(number) => number.to_string(),
        _ => format!("{name}-{}", index + 1),
    };
    let messages = output_messages(sample);
    if messages.is_empty() {
        return None;
    }
    let output = &sample["output"];
    let seconds = sample["total_time"]
        .as_f64()
        .or_else(|| output["time"].as_f64());
    let choice = &output["choices"][0];
    Some(ImportedAnswer {
        id,
        trial: sample["epoch"]
            .as_u64()
            .and_then(|epoch| u32::try_from(epoch).ok()),
        question: question(&sample["input"]),
        transcript: Transcript {
            output_messages: messages,
            token_usage: usage(sample),
            duration_ms: seconds.map(|seconds| seconds * 1e3),
            finish_reason: choice["stop_reason"].as_str().map(str::to_owned),
            model: output["model"].as_str().map(str::to_owned),
            ..Transcript::default()
        },
    })
}

fn question(input: &Value) -> Option<String> {
    let mut messages = input.as_array().into_iter().flatten();
    let last = messages.rfind(|message| message["role"] == "user");
    match last {
        Some(message) => text_of(&message["content"]),
        None => input.as_str().map(str::to_owned),
    }
}

/// Returns the messages after the input: those of the model, with the results of its calls.
fn output_messages(sample: &Value) -> Vec<Message> {
    let all: Vec<&Value> = sample["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let result_of = |id: &Value| {
        all.iter()
            .find(|message| message["role"] == "tool" && message["tool_call_id"] == *id)
    };
    let is_asked =
        |message: &&&Value| message["source"] == "input" || message["role"] != "assistant";
    let mut said: Vec<&Value> = all
        .iter()
        .filter(|message| !is_asked(message))
        .copied()
        .collect();
    if said.is_empty() {
        said.extend(sample["output"]["choices"][0].get("message"));
    }
    let messages = said.into_iter().filter_map(|message| {
        let calls = message["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|call| {
                let mut ours =
                    json!({"tool": call["function"], "id": call["id"], "input": call["arguments"]});
                if let Some(result) = result_of(&call["id"]) {
                    ours["output"] = json!(text_of(&result["content"]).unwrap_or_default());
                    if result["error"].is_object() {
                        ours["is_error"] = json!(true);
                    }
                }
                ours
            });
        let calls: Vec<Value> = calls.collect();
        let mut ours = json!({"role": "assistant", "tool_calls": calls});
        if let Some(text) = text_of(&message["content"]).filter(|text| !text.is_empty()) {
            ours["content"] = json!(text);
        }
        serde_json::from_value::<Message>(ours).ok()
    });
    messages.collect()
}

/// Returns the tokens of all models that the sample used.
fn usage(sample: &Value) -> Option<TokenUsage> {
    let models = sample["model_usage"]
        .as_object()
        .into_iter()
        .flat_map(|it| it.values());
    let mut sum = None;
    let own = sample["output"]
        .get("usage")
        .filter(|usage| usage.is_object());
    let mut all: Vec<&Value> = models.collect();
    if all.is_empty() {
        all.extend(own);
    }
    for usage in all {
        let count = |name: &str| usage[name].as_u64();
        let cached = count("input_tokens_cache_read");
        let more = cached.unwrap_or(0) + count("input_tokens_cache_write").unwrap_or(0);
        super::sessions::add(
            &mut sum,
            TokenUsage {
                input: count("input_tokens").unwrap_or(0) + more,
                output: count("output_tokens").unwrap_or(0),
                cached,
                reasoning: count("reasoning_tokens"),
            },
        );
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_an_answer_for_each_sample_and_epoch() {
        let log = json!({"samples": [{"id": 7, "epoch": 2, "input": "2 + 2?",
            "messages": [
                {"role": "user", "source": "input", "content": "2 + 2?"},
                {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "add", "arguments": {"a": 2}}]},
                {"role": "tool", "tool_call_id": "c", "content": "4"},
                {"role": "assistant", "content": [{"type": "text", "text": "It is 4"}]}],
            "output": {"model": "m", "choices": [{"message": {"content": "It is 4"}, "stop_reason": "stop"}]},
            "model_usage": {"m": {"input_tokens": 3, "output_tokens": 2, "input_tokens_cache_read": 5}},
            "total_time": 1.5}]});
        let answers = SOURCE.answers("log", log.to_string()).unwrap();
        let answer = &answers[0];
        assert_eq!(
            (answer.id.as_str(), answer.trial, answer.question.as_deref()),
            ("7", Some(2), Some("2 + 2?"))
        );
        assert_eq!(answer.transcript.answer(), "It is 4");
        let calls: Vec<_> = answer.transcript.tool_calls().collect();
        assert_eq!(
            (calls[0].tool.as_str(), calls[0].output.as_ref().unwrap()),
            ("add", &json!("4"))
        );
        let usage = answer.transcript.token_usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.cached), (8, 2, Some(5)));
        assert_eq!(answer.transcript.duration_ms, Some(1500.0));
    }
}
