//! A plain JSON endpoint.

use super::{Form, Said, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let (number, model) = (said.number, quoted(said.model));
    let answer = match said.form {
        Form::Nothing => String::new(),
        Form::Text | Form::Cut => format!(r#""answer":{},"#, quoted(said.text)),
        Form::Calls(calls) => {
            let calls = calls.iter().map(|call| {
                let (name, arguments) = (call.name(), call.arguments());
                format!(r#"{{"tool":{name},"input":{arguments}}}"#)
            });
            let calls = calls.collect::<Vec<_>>().join(",");
            format!(r#""tool_calls":[{calls}],"#)
        }
    };
    let usage = match said.usage {
        None => String::new(),
        Some(usage) => format!(
            r#","token_usage":{{"input":{},"output":{},"cached":{}}}"#,
            usage.input, usage.output, usage.cached
        ),
    };
    format!(r#"{{{answer}"id":"answer-{number}","model":{model}{usage}}}"#)
}

pub(crate) fn error(message: &str) -> String {
    format!(r#"{{"error":{}}}"#, quoted(message))
}
