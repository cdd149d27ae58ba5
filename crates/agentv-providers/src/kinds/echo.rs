//! `echo`: the question as the answer.

use std::future::ready;
use std::sync::Arc;

use agentv_core::{BoxFuture, Limits, Provider, ProviderError, Request, Role, Transcript};
use agentv_syntax::{Kind, Others, Record};
use tokio_util::sync::CancellationToken;

use super::{Facts, ProviderKind};
use crate::target::{SettingError, Settings};

pub(super) static KIND: Kind = Kind {
    name: "echo",
    aliases: &[],
    doc: "Answers with the last user message.",
    options: Record {
        name: "echo",
        fields: &[],
        required: &[],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts {
        is_built_in: true,
        ..Facts::LOCAL
    },
    example: "\
- {name: mirror, provider: echo}
",
    build,
};

/// A provider that answers with the last message of the user, or with the whole question if there is
/// no such message.
#[derive(Debug)]
struct Echo;

fn build(_: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    Ok(Arc::new(Echo))
}

impl Provider for Echo {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        let mut messages = request.prompt.messages.iter().rev();
        let last = messages.find(|message| message.role == Role::User);
        let text = match last {
            Some(message) => message.text().into_owned(),
            None => request.prompt.question.clone(),
        };
        Box::pin(ready(Ok(Transcript::of_text(text))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_core::Message;
    use std::path::Path;
    use std::time::Duration;

    #[tokio::test]
    async fn the_last_message_of_the_user_is_the_answer() {
        let mut request = Request::of_text("all", Arc::from(Path::new("/")), Duration::MAX);
        let cancel = CancellationToken::new();
        request.prompt.messages = [
            (Role::User, "first"),
            (Role::User, "second"),
            (Role::Assistant, "third"),
        ]
        .map(|(role, text)| Message::new(role, text))
        .to_vec();
        assert_eq!(
            Echo.answer(&request, &cancel).await.unwrap().answer(),
            "second"
        );
        request.prompt.messages.remove(0);
        request.prompt.messages.remove(0);
        assert_eq!(
            Echo.answer(&request, &cancel).await.unwrap().answer(),
            "all"
        );
    }
}
