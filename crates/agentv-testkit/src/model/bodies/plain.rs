//! A plain JSON endpoint.

use super::{ARGUMENTS, Form, Said, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let (number, model) = (said.number, quoted(said.model));
    let answer = match said.form {
        Form::Nothing => String::new(),
        Form::Text | Form::Cut => format!(r#""answer":{},"#, quoted(said.text)),
        Form::Tool(name) => {
            let name = quoted(name);
            format!(r#""tool_calls":[{{"tool":{name},"input":{ARGUMENTS}}}],"#)
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
