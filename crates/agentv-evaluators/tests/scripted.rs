//! Judges with scripted answers.

use std::collections::VecDeque;
use std::sync::Mutex;

use agentv_core::{
    BoxFuture, Evaluation, Judge, JudgeRequest, Judges, Message, ProviderError, Role, Transcript,
};
use agentv_evaluators::{BuildContext, Builder};
use serde_json::Value;
use tokio::sync::Barrier;

use crate::support::Trial;

type Reply = dyn Fn(&str, &JudgeRequest) -> Result<Transcript, ProviderError> + Send + Sync;

/// Judges that answer by a script and remember the requests.
pub(crate) struct ScriptedJudges {
    reply: Box<Reply>,
    meeting: Barrier,
    asked: Mutex<Vec<(String, JudgeRequest)>>,
}

impl ScriptedJudges {
    pub(crate) fn new(
        reply: impl Fn(&str, &JudgeRequest) -> Result<Transcript, ProviderError> + Send + Sync + 'static,
    ) -> ScriptedJudges {
        ScriptedJudges {
            reply: Box::new(reply),
            meeting: Barrier::new(1),
            asked: Mutex::default(),
        }
    }

    /// Makes the judges answer only once `count` of them are asked. If they are asked one after the
    /// other, they wait forever.
    pub(crate) fn together(self, count: usize) -> ScriptedJudges {
        ScriptedJudges {
            meeting: Barrier::new(count),
            ..self
        }
    }

    /// Returns judges that give these answers in order.
    pub(crate) fn saying(texts: &[&str]) -> ScriptedJudges {
        let texts: VecDeque<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let texts = Mutex::new(texts);
        ScriptedJudges::new(move |_, _| {
            let text = texts.lock().unwrap().pop_front();
            Ok(Transcript::of_text(
                text.expect("asked more often than expected"),
            ))
        })
    }

    /// Returns the requests, each with the name of the judge.
    pub(crate) fn asked(&self) -> Vec<(String, JudgeRequest)> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the evaluation of a trial with these judges.
    pub(crate) fn judge(&self, trial: &Trial, options: Value) -> Result<Evaluation, String> {
        let builder = Builder::new(BuildContext::new("."));
        let judged = trial.judge_asking(&builder, options, Some(self));
        judged.unwrap().map_err(|error| error.to_string())
    }
}

impl Judges for ScriptedJudges {
    fn known(&self) -> Vec<&str> {
        vec!["other", "usual"]
    }

    fn name<'a>(&'a self, judge: &'a Judge) -> &'a str {
        match judge {
            Judge::Usual => "usual",
            Judge::Named(name) => name,
        }
    }

    fn ask<'a>(
        &'a self,
        judge: &'a Judge,
        request: JudgeRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        let name = self.name(judge).to_owned();
        let answer = (self.reply)(&name, &request);
        self.asked.lock().unwrap().push((name, request));
        Box::pin(async move {
            self.meeting.wait().await;
            answer
        })
    }
}

/// Returns the user messages of a request, joined.
pub(crate) fn said_by_user(request: &JudgeRequest) -> String {
    said_by(request, Role::User)
}

/// Returns the system messages of a request.
pub(crate) fn said_by_system(request: &JudgeRequest) -> String {
    said_by(request, Role::System)
}

fn said_by(request: &JudgeRequest, role: Role) -> String {
    let messages = request.prompt.messages.iter();
    let texts = messages.filter(|message| message.role == role);
    let texts: Vec<_> = texts.map(Message::text).collect();
    texts.join("\n\n")
}
