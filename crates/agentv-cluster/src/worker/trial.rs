//! One trial on a worker.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agentv_core::{BoxFuture, Step, TranscriptRecord, Trial, Work};
use async_nats::jetstream::message::{AckKind, Acker};
use async_nats::jetstream::{self};
use tokio::sync::{Mutex, OwnedSemaphorePermit};

use super::busy::TrialAtWork;
use super::joined_run::JoinedRun;
use super::live::Worker;
use crate::payload::{pack, unpack};
use crate::protocol::{BusyTrial, News, Order, TrialState, What, WorkerRequest};

/// The pause before something is sent again.
const PAUSE: Duration = Duration::from_millis(500);

/// Works on a trial until its result is with the server.
pub(super) async fn work_on(
    worker: Arc<Worker>,
    run: Arc<JoinedRun>,
    lane: usize,
    message: jetstream::Message,
    slot: OwnedSemaphorePermit,
) {
    let (deliveries, sequence) = match message.info() {
        Ok(info) => (info.delivered, info.stream_sequence),
        Err(_) => (1, 0),
    };
    let (message, acker) = message.split();
    let acker = Arc::new(acker);
    let taken = unpack::<Order>(&run.objects, &message.payload).await;
    let Ok((order, _)) = taken else {
        // Another attempt may get it. If it is unreadable, the coordinating process ends it.
        let _ = acker.ack_with(AckKind::Nak(Some(PAUSE))).await;
        return;
    };
    let attempt = Attempt {
        key: order.key.clone(),
        acker,
        sequence,
        deliveries,
        answer: Mutex::default(),
        sends_answer_first: !(order.is_quick && run.is_free(lane)),
        worker,
        run,
    };
    attempt.execute(order).await;
    drop(slot);
}

/// The attempt of this worker at a trial.
struct Attempt {
    worker: Arc<Worker>,
    run: Arc<JoinedRun>,
    key: String,
    acker: Arc<Acker>,
    sequence: u64,
    /// The number of times that the trial was given to a worker, with this one.
    deliveries: i64,
    /// True if the server must have the answer before it is graded: it cost something, or grading does.
    sends_answer_first: bool,
    /// The answer that this worker got. It is sent with the result, too: the process that learned of it may be gone.
    answer: Mutex<Option<Arc<TranscriptRecord>>>,
}

/// The end of an attempt.
enum End {
    /// The result is with the server, or nobody wants it.
    Done,
    /// The worker leaves.
    HandBack,
    /// Another attempt may succeed.
    Failed(String),
}

impl Attempt {
    async fn execute(&self, order: Order) {
        let number = self.worker.busy.begin(self.at_work(&order.trial));
        let end = tokio::select! {
            end = self.work(order) => end,
            () = self.run.over.cancelled() => End::Done,
            () = self.worker.leave.at_once.cancelled() => End::HandBack,
        };
        self.worker.busy.end(number);
        match end {
            End::Done => {
                self.worker.done.fetch_add(1, Ordering::Relaxed);
            }
            End::HandBack => {
                let sequence = self.sequence;
                self.send(What::HandedBack { sequence }).await;
                return;
            }
            End::Failed(reason) => {
                self.send(What::Failed { reason }).await;
                let _ = self.acker.ack_with(AckKind::Nak(Some(PAUSE))).await;
                return;
            }
        }
        let _ = self.acker.ack().await;
    }

    fn at_work(&self, trial: &Trial) -> TrialAtWork {
        TrialAtWork {
            shown: BusyTrial {
                eval_id: trial.case.id.clone(),
                target: Arc::clone(&trial.target),
                trial: trial.number,
                seconds: 0.0,
            },
            key: self.key.clone(),
            events: self.run.names.events(),
            acker: Arc::clone(&self.acker),
        }
    }

    async fn work(&self, order: Order) -> End {
        let mut trial = order.trial;
        if self.deliveries > 1 {
            match self.state().await {
                TrialState::Unwanted => return End::Done,
                TrialState::Open | TrialState::Wait => {}
                TrialState::Answered(answer) => {
                    let recorded = true;
                    trial.work = Work::Grade { answer, recorded };
                }
            }
        }
        let run = &self.run;
        if let Err(error) = run.files.lay_needs(run, &order.needs).await {
            return self.failed(&trial, error.to_string());
        }
        let trial = run.spec.moved(trial, run.files.base());
        let mut each = |step| -> BoxFuture<'_, bool> { Box::pin(self.step(step)) };
        if run.executor.execute_steps(&trial, &mut each).await {
            return End::Done;
        }
        match run.executor.take_failure() {
            Some(error) => self.failed(&trial, error.to_string()),
            None if run.over.is_cancelled() => End::Done,
            None => End::HandBack,
        }
    }

    /// Prints the reason why this attempt failed, and returns its end.
    fn failed(&self, trial: &Trial, reason: String) -> End {
        let id = &trial.case.id;
        self.worker.say(format!("trial of `{id}`: {reason}"));
        End::Failed(reason)
    }

    /// Sends a step to the server. The next one begins when the server has it.
    async fn step(&self, step: Step) -> bool {
        match step {
            Step::Answered(answer) => {
                *self.answer.lock().await = Some(Arc::clone(&answer));
                !self.sends_answer_first || self.send(What::Answered(answer)).await
            }
            Step::Ended(result) => {
                let answer = self.answer.lock().await.take();
                self.send(What::Ended { answer, result }).await
            }
        }
    }

    /// Asks the coordinating process about a trial that was given to a worker before, until it may begin.
    async fn state(&self) -> TrialState {
        let question = WorkerRequest::State {
            key: self.key.clone(),
            worker: self.worker.id.clone(),
            deliveries: self.deliveries,
        };
        let bytes = serde_json::to_vec(&question).unwrap_or_default();
        loop {
            let subject = self.run.names.questions();
            let asked = self.worker.client.request(subject, bytes.clone().into());
            let answer = asked.await;
            let state = answer.map(|answer| serde_json::from_slice(&answer.payload));
            if let Ok(Ok(state)) = state
                && state != TrialState::Wait
            {
                return state;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Sends news until the server has them. Returns false if the run is over.
    async fn send(&self, what: What) -> bool {
        let news = News {
            key: self.key.clone(),
            worker: self.worker.id.clone(),
            what,
        };
        let run = &self.run;
        loop {
            if run.over.is_cancelled() {
                return false;
            }
            let name = || format!("news-{}-{:016x}", news.key, fastrand::u64(..));
            if let Ok(payload) = pack(&run.objects, name, &news).await {
                let sent = self.worker.jetstream.publish(run.names.news(), payload);
                if let Ok(confirmed) = sent.await
                    && confirmed.await.is_ok()
                {
                    return true;
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
