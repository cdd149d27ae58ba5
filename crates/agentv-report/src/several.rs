//! Several reporters in the place of one.

use agentv_core::{ReportError, Reporter, RunEvent};

/// Gives every event to all of several reporters, which stay with their owner: who has lent them
/// finishes them when the run is over.
#[derive(Default)]
pub struct Several<'r> {
    reporters: Vec<&'r mut (dyn Reporter + Send)>,
}

impl std::fmt::Debug for Several<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Several({})", self.reporters.len())
    }
}

impl<'r> Several<'r> {
    /// No reporter yet.
    pub fn new() -> Several<'r> {
        Several::default()
    }

    /// One more.
    #[must_use]
    pub fn and(mut self, reporter: &'r mut (dyn Reporter + Send)) -> Several<'r> {
        self.reporters.push(reporter);
        self
    }
}

impl Reporter for Several<'_> {
    /// All reporters get the event, whether or not one of them fails; the first error is returned.
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        let mut outcome = Ok(());
        for reporter in &mut self.reporters {
            let taken = reporter.on_event(event);
            outcome = outcome.and(taken);
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(&'static str, u32);

    impl Reporter for Failing {
        fn on_event(&mut self, _: &RunEvent) -> Result<(), ReportError> {
            self.1 += 1;
            Err(ReportError {
                to: self.0.to_owned(),
                source: std::io::ErrorKind::StorageFull.into(),
            })
        }
    }

    #[test]
    fn all_get_the_event_and_the_first_error_is_told() {
        let (mut first, mut second) = (Failing("first", 0), Failing("second", 0));
        let mut several = Several::new().and(&mut first).and(&mut second);
        let error = several
            .on_event(&RunEvent::Planned(agentv_core::Planned::default()))
            .unwrap_err();
        assert_eq!(error.to, "first");
        assert_eq!((first.1, second.1), (1, 1));
    }
}
