//! Trials of several requests that are stopped between them, and resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agentv_core::{
    BoxFuture, Message, Provider, ProviderError, Request, Role, Stage, Status, Stop, ToolCall,
    ToolOutput, Toolbox, Transcript,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::StopHandle;
use crate::testing::{Trying, case, target_with};

/// A model that calls a tool until its answer number `LAST`, at $1 per answer.
struct Caller {
    asked: AtomicU32,
    /// Stops the run when this answer has come.
    stop_at: AtomicU32,
    stop: std::sync::Mutex<StopHandle>,
}

const LAST: usize = 4;

impl Caller {
    fn new() -> Arc<Caller> {
        Arc::new(Caller {
            asked: AtomicU32::new(0),
            stop_at: AtomicU32::new(0),
            stop: std::sync::Mutex::default(),
        })
    }

    /// Returns the handle of the next run, which ends at the answer with this number.
    fn stop_at(&self, answer: u32) -> StopHandle {
        let handle = StopHandle::default();
        *self.stop.lock().unwrap() = handle.clone();
        self.stop_at.store(answer, Ordering::SeqCst);
        handle
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Provider for Caller {
    fn toolbox(&self) -> Option<&dyn Toolbox> {
        Some(self)
    }

    fn answer<'a>(
        &'a self,
        request: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        let answer = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        if answer == self.stop_at.load(Ordering::SeqCst) {
            self.stop.lock().unwrap().stop(Stop::Interrupted);
        }
        let before = &request.further;
        let outputs = before.iter().flat_map(|message| &message.tool_calls);
        assert!(outputs.clone().all(|call| call.output == Some(json!("o"))));
        let number = before.len() + 1;
        let mut message = Message::new(Role::Assistant, format!("answer {number}"));
        if number < LAST {
            let call: ToolCall = serde_json::from_value(json!({"tool": "f", "input": {}})).unwrap();
            message.tool_calls.push(call);
        }
        Box::pin(async move {
            Ok(Transcript {
                output_messages: vec![message],
                cost_usd: Some(1.0),
                ..Transcript::default()
            })
        })
    }
}

impl Toolbox for Caller {
    fn answers(&self, _: &str) -> bool {
        true
    }

    fn call<'a>(
        &'a self,
        _: &'a ToolCall,
        _: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolOutput, ProviderError>> {
        let output = Value::from("o");
        Box::pin(async move {
            Ok(ToolOutput {
                blocks: Vec::new(),
                output,
                is_error: false,
            })
        })
    }

    fn max_steps(&self) -> u32 {
        10
    }
}

fn cost(record: &agentv_core::ResultRecord) -> Option<f64> {
    record.answer_cost_usd()
}

#[tokio::test]
async fn a_stop_ends_a_loop_at_once_and_a_resume_continues_it() {
    let model = Caller::new();
    let trying = Trying::new(
        vec![case("a", "?")],
        vec![target_with("t", Arc::clone(&model) as _)],
    );
    let (_, seen) = trying.run_until(model.stop_at(2), |_| {}).await;
    assert_eq!(model.asked(), 2, "no request after the stop");
    let [(stopped, _)] = &seen.records[..] else {
        panic!("{:?}", seen.records);
    };
    let error = stopped.error.as_ref().unwrap();
    assert_eq!((stopped.status, error.stage), (Status::Error, Stage::Stop));
    assert_eq!(
        error.message,
        "the end of the run stopped the trial after 2 requests; `--resume` continues it"
    );
    assert_eq!(cost(stopped), Some(2.0));
    let (_, seen) = trying.run_until(model.stop_at(0), |_| {}).await;
    assert_eq!(model.asked(), LAST as u32, "nothing is paid twice");
    let [(ended, false)] = &seen.records[..] else {
        panic!("{:?}", seen.records);
    };
    assert_eq!(ended.candidate_answer.as_deref(), Some("answer 4"));
    assert_eq!((ended.status, cost(ended)), (Status::Pass, Some(4.0)));
}

#[tokio::test]
async fn the_cost_of_a_stopped_trial_counts_once_towards_the_budget() {
    let model = Caller::new();
    let trying = Trying::new(
        vec![case("a", "?")],
        vec![target_with("t", Arc::clone(&model) as _)],
    );
    for (budget, asked) in [(2.5, 2), (2.5, 2), (3.5, 3), (3.9, 3), (4.0, 4), (9.0, 4)] {
        let (_, _) = trying.run(|spec| spec.budget = Some(budget)).await;
        assert_eq!(model.asked(), asked, "${budget}");
    }
}
