//! The order that a supervisor starts with: the stdin for its command.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Sends the order. This does not block, since the socket is empty.
pub(super) fn send(socket: impl AsFd, stdin: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    let stdin = stdin.as_slice();
    if !stdin.is_empty() {
        attached.push(SendAncillaryMessage::ScmRights(stdin));
    }
    let byte = [IoSlice::new(b"!")];
    sendmsg(socket, &byte, &mut attached, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits for the order, and returns the command's stdin if it has one. Returns `Ok(None)` if the other
/// side is gone.
pub(super) fn receive(socket: impl AsFd) -> io::Result<Option<Option<OwnedFd>>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut bytes = [IoSliceMut::new(&mut byte)];
    let received = rustix::io::retry_on_intr(|| {
        recvmsg(&socket, &mut bytes, &mut attached, RecvFlags::CMSG_CLOEXEC)
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let stdin = attached.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    Ok(Some(stdin))
}
