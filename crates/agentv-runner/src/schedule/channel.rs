//! The channel from the thread that reads cases to the tasks that work on them.

use std::ops::ControlFlow;

use tokio::runtime::Handle;
use tokio::sync::mpsc::PermitIterator;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of trials that are read ahead. Few, because a case may be large.
const READ_AHEAD: usize = 64;
/// The room that a blocked reader waits for. If it were woken for every single place, reader and
/// workers would mostly wake each other.
const ROOM: usize = READ_AHEAD / 2;

/// Makes a channel from one reading thread to the tasks that work.
pub(crate) fn bounded_channel<T>() -> (Sender<T>, Receiver<T>) {
    channel(READ_AHEAD)
}

/// The sender of the reading thread.
pub(crate) struct ChannelSender<'s, T> {
    sender: &'s Sender<T>,
    room: Option<PermitIterator<'s, T>>,
}

impl<'s, T> ChannelSender<'s, T> {
    pub(crate) fn new(sender: &'s Sender<T>) -> ChannelSender<'s, T> {
        ChannelSender { sender, room: None }
    }

    /// Sends one value, in order. Waits while there is no room. Breaks if the receiver is gone.
    pub(crate) fn send(&mut self, thing: T) -> ControlFlow<()> {
        loop {
            if let Some(place) = self.room.as_mut().and_then(Iterator::next) {
                place.send(thing);
                return ControlFlow::Continue(());
            }
            match Handle::current().block_on(self.sender.reserve_many(ROOM)) {
                Ok(room) => self.room = Some(room),
                Err(_) => return ControlFlow::Break(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_arrive_in_order_however_many_are_read_ahead() {
        let (sender, mut receiver) = bounded_channel();
        let last = READ_AHEAD * 3 + 1;
        let reading = tokio::task::spawn_blocking(move || {
            let mut channel = ChannelSender::new(&sender);
            (0..last).all(|number| channel.send(number).is_continue())
        });
        for number in 0..last {
            assert_eq!(receiver.recv().await, Some(number));
        }
        assert_eq!(receiver.recv().await, None);
        assert!(reading.await.unwrap());
    }

    #[tokio::test]
    async fn the_sender_stops_when_the_receiver_is_dropped() {
        let (sender, mut receiver) = bounded_channel();
        let reading = tokio::task::spawn_blocking(move || {
            let mut channel = ChannelSender::new(&sender);
            let sent = (0..).take_while(|&number| channel.send(number).is_continue());
            sent.count()
        });
        assert_eq!(receiver.recv().await, Some(0));
        drop(receiver);
        assert!(reading.await.unwrap() <= 2 * READ_AHEAD);
    }
}
