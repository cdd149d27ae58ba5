//! Displays as users see them.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentv_core::{Planned, Reporter, ResultRecord, RunEvent, Stop, TrialName};
use indicatif::{InMemoryTerm, ProgressDrawTarget};

use super::screen::{Display, Screen};
use super::*;
use crate::samples::{errored, failed, graded, measured};
use crate::text::width;
use crate::{Clock, Style};

/// A clock that stands still until it is moved.
#[derive(Clone)]
struct Hand(Arc<Mutex<Instant>>);

impl Hand {
    fn new() -> Hand {
        Hand(Arc::new(Mutex::new(Instant::now())))
    }

    fn forward(&self, seconds: f64) {
        *self.0.lock().unwrap() += Duration::from_secs_f64(seconds);
    }

    fn options(&self, verbose: bool) -> DisplayOptions {
        let hand = self.clone();
        DisplayOptions {
            style: Style {
                colour: false,
                width: 120,
                unicode: true,
            },
            verbose,
            several_targets: false,
            clock: Clock::of(move || *hand.0.lock().unwrap()),
        }
    }
}

/// A buffer for written text.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<S: Screen> Display<S> {
    fn plan(&self, trials: u64) {
        self.on_event(&RunEvent::Planned(Planned { trials, skipped: 0 }));
    }

    fn start(&self, record: &ResultRecord) {
        self.on_event(&RunEvent::Started(TrialName::from(record)));
    }

    fn end(&self, record: &ResultRecord) {
        self.start(record);
        self.on_event(&RunEvent::Finished {
            record: record.clone().into(),
            reused: false,
        });
    }

    fn reuse(&self, record: &ResultRecord) {
        self.on_event(&RunEvent::Finished {
            record: record.clone().into(),
            reused: true,
        });
    }
}

fn live(hand: &Hand, columns: u16) -> (Display<live::Bar>, InMemoryTerm) {
    let terminal = InMemoryTerm::new(24, columns);
    let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
    let display = LiveDisplay::still(target, move || usize::from(columns), hand.options(false));
    (display, terminal)
}

/// 280 passed, 5 failed, 2 errored, 13 in flight, of 500, in 20 seconds.
fn half_way<S: Screen>(display: &Display<S>, hand: &Hand) {
    display.plan(500);
    let passed = measured(graded("sum", 1.0), 5.0, 0.002);
    (0..280).for_each(|_| display.end(&passed));
    (0..13).for_each(|_| display.start(&passed));
    display.end(&failed(
        "capital",
        0.2,
        "Says Sydney; the capital is Canberra.",
    ));
    (0..4).for_each(|_| display.end(&failed("other", 0.5, "")));
    display.end(&errored("late", "timed out after 60 s"));
    display.end(&errored("limit", "HTTP 429"));
    hand.forward(20.0);
    display.tick();
}

#[test]
fn the_live_display_has_every_figure_at_eighty_columns() {
    let hand = Hand::new();
    let (mut display, terminal) = live(&hand, 80);
    half_way(&display, &hand);
    assert_eq!(
        terminal.contents(),
        "fail   0.20  capital  Says Sydney; the capital is Canberra.\n\
         fail   0.50  other\n\
         fail   0.50  other\n\
         fail   0.50  other\n\
         fail   0.50  other\n\
         error  late  timed out after 60 s\n\
         error  limit  HTTP 429\n\
         ━━━━━━━━━━━━━━━━━━━━━━━━━━────────────────────  287/500 · 20 s · about 15 s left\n\
         280 passed · 5 failed · 2 errored · 13 in flight · 14/s · $0.5600"
    );
    display.finish();
    let left = terminal.contents();
    assert!(
        left.ends_with("HTTP 429") && !left.contains("287/500"),
        "{left}"
    );
}

#[test]
fn the_live_display_omits_what_does_not_fit() {
    let hand = Hand::new();
    let (display, terminal) = live(&hand, 40);
    half_way(&display, &hand);
    let contents = terminal.contents();
    let lines: Vec<&str> = contents.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "fail   0.20  capital",
            "       Says Sydney; the capital is Canb…"
        ]
    );
    assert_eq!(
        lines[lines.len() - 2..],
        [
            "━━━━━━━━━━━━━───────────  287/500 · 20 s",
            "✓280  ✗5  !2  ~13  14/s  $0.5600"
        ]
    );
}

#[test]
fn less_important_figures_are_dropped_first() {
    let hand = Hand::new();
    let (display, terminal) = live(&hand, 79);
    display.end(&graded("nearly", 0.7));
    half_way(&display, &hand);
    let contents = terminal.contents();
    let figures = contents.lines().last().unwrap();
    assert_eq!(
        figures,
        "280 passed · 5 failed · 2 errored · 13 in flight · 14/s · $0.5600"
    );
}

#[test]
fn the_live_display_fits_every_width() {
    for columns in 1..140 {
        let hand = Hand::new();
        let (mut display, terminal) = live(&hand, columns);
        half_way(&display, &hand);
        let contents = terminal.contents();
        if columns >= 20 {
            // Two lines, and at most ten above them: a line that is too wide would add more.
            assert!(contents.lines().count() <= 12, "{columns}:\n{contents}");
            assert!(contents.contains("287/500"), "{columns}:\n{contents}");
        }
        assert!(
            contents
                .lines()
                .all(|line| width(line) <= usize::from(columns))
        );
        display.finish();
        assert!(!terminal.contents().contains("287/500"), "{columns}");
    }
}

#[test]
fn many_failures_are_reported_as_a_count() {
    let hand = Hand::new();
    let (written, options) = (Written::default(), hand.options(false));
    let mut display = PlainProgress::still(written.clone(), Duration::from_secs(60), options);
    display.plan(100_000);
    let wrong = failed("capital", 0.2, "wrong");
    (0..5_000).for_each(|_| display.end(&wrong));
    display.tick();
    assert_eq!(written.text().lines().count(), 20);
    hand.forward(10.0);
    display.tick();
    let text = written.text();
    assert_eq!(
        text.lines().last(),
        Some("… and 4,980 more failures and errors")
    );
    (0..30).for_each(|_| display.end(&wrong));
    display.finish();
    let text = written.text();
    assert_eq!(text.lines().count(), 42);
    assert_eq!(
        text.lines().last(),
        Some("… and 10 more failures and errors")
    );
}

#[test]
fn a_plain_line_shows_the_progress_of_the_run() {
    let hand = Hand::new();
    let (written, options) = (Written::default(), hand.options(false));
    let display = PlainProgress::still(written.clone(), Duration::from_secs(5), options);
    display.tick();
    half_way(&display, &hand);
    display.tick();
    hand.forward(4.0);
    display.tick();
    hand.forward(1.0);
    display.tick();
    let text = written.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("done")).collect();
    assert_eq!(
        lines,
        [
            "287/500 done · 280 passed · 5 failed · 2 errored · 13 in flight · 14/s · $0.5600 · about 15 s left",
            "287/500 done · 280 passed · 5 failed · 2 errored · 13 in flight · 11/s · $0.5600 · about 19 s left",
        ]
    );
    assert!(!text.contains('\x1b') && !text.contains('\r'));
}

#[test]
fn results_from_before_a_resume_are_not_listed_and_do_not_count_as_speed() {
    let hand = Hand::new();
    let (written, options) = (Written::default(), hand.options(false));
    let display = PlainProgress::still(written.clone(), Duration::from_secs(5), options);
    display.plan(1_000);
    let earlier = measured(failed("capital", 0.2, "wrong"), 5.0, 0.5);
    (0..500).for_each(|_| display.reuse(&earlier));
    (0..10).for_each(|_| display.end(&graded("sum", 1.0)));
    hand.forward(10.0);
    display.tick();
    assert_eq!(
        written.text(),
        "510/1,000 done · 10 passed · 500 failed · 0 errored · 0 in flight · 1.0/s · 500 already done · about 8 min 10 s left\n"
    );
}

#[test]
fn quiet_prints_only_errors() {
    let hand = Hand::new();
    let written = Written::default();
    let mut display = Quiet::still(written.clone(), hand.options(true));
    half_way(&display, &hand);
    let reason = Stop::Interrupted;
    display.on_event(&RunEvent::Stopping { reason });
    display.finish();
    assert_eq!(
        written.text(),
        "error  late  timed out after 60 s\nerror  limit  HTTP 429\n"
    );
}

#[test]
fn the_target_is_shown_if_there_are_several_and_retries_if_verbose() {
    let hand = Hand::new();
    for verbose in [false, true] {
        let written = Written::default();
        let options = DisplayOptions {
            several_targets: true,
            ..hand.options(verbose)
        };
        let display = PlainProgress::still(written.clone(), Duration::from_secs(60), options);
        display.plan(10);
        let first = failed("a", 0.0, "wrong");
        display.end(&first);
        let other = ResultRecord {
            target: "other".into(),
            trial: 2,
            ..errored("b", "down")
        };
        display.end(&other);
        display.on_event(&RunEvent::Retrying {
            trial: TrialName {
                eval_file: "a.yaml".into(),
                eval_id: "c".to_owned(),
                target: "other".into(),
                trial: 1,
            },
            asked: "other".into(),
            attempt: 1,
            reason: "HTTP 500".to_owned(),
            wait_ms: 1_500.0,
        });
        let reason = Stop::Budget;
        display.on_event(&RunEvent::Stopping { reason });
        display.tick();
        let text = written.text();
        let retry = "retry  c @ other  attempt 1 failed, next in 1.5 s  HTTP 500\n";
        let expected = format!(
            "fail   0.00  a @ {}  wrong\nerror  b @ other #2  down\n{}stopping: the budget is used up\n",
            first.target,
            if verbose { retry } else { "" }
        );
        assert_eq!(text, expected);
    }
}

#[test]
fn texts_of_others_cannot_move_the_cursor() {
    let hand = Hand::new();
    let (display, terminal) = live(&hand, 60);
    display.plan(1);
    display.end(&errored("\x1b[2Jid", "a\x1b[1A\rb\nc"));
    display.tick();
    let contents = terminal.contents();
    assert!(
        contents.starts_with("error  [2Jid  a[1A b c\n"),
        "{contents}"
    );
}

#[test]
fn displays_draw_by_themselves_until_they_are_finished() {
    let hand = Hand::new();
    let terminal = InMemoryTerm::new(24, 80);
    let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
    let mut display = LiveDisplay::on(target, || 80, hand.options(false));
    let planned = RunEvent::Planned(Planned {
        trials: 7,
        skipped: 0,
    });
    display.on_event(&planned).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !terminal.contents().contains("0/7") {
        assert!(Instant::now() < deadline, "{}", terminal.contents());
        std::thread::yield_now();
    }
    display.finish();
    assert_eq!(terminal.contents(), "");
}

#[test]
fn a_reader_who_is_gone_does_not_end_the_run() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut display = Quiet::to(Gone, Hand::new().options(false));
    let record = errored("a", "down");
    let event = RunEvent::Finished {
        record: record.into(),
        reused: false,
    };
    display.on_event(&event).unwrap();
    display.finish();
}
