//! The delivery of a reply: complete or not.

use std::io::{self, Write};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use crate::model::content::Content;
use crate::model::wire::Wire;
use crate::model::{Conduct, Step};

/// The path to which a redirect leads, forever.
pub(crate) const LOOP: &str = "/-/loop";

/// The bytes that fill a gap, piece by piece.
static FILLING: [u8; 64 << 10] = [b'x'; 64 << 10];

/// The state of a connection after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    GoOn,
    Close,
}

/// Sends `content` in the way that `conduct` demands.
///
/// # Errors
/// Fails if the client has disconnected.
pub(crate) async fn send<W: Wire>(
    wire: &mut W,
    conduct: &Conduct,
    content: &Content,
    number: u64,
) -> io::Result<Then> {
    let mut sender = Sender {
        wire,
        conduct,
        content,
        number,
    };
    match conduct.step {
        Step::Slow(pause) => sender.slowly(pause).await?,
        Step::Huge(_) => sender.filled().await?,
        Step::Hang => sender.hang().await?,
        Step::HangBody => {
            sender.half().await?;
            sender.hang().await?;
        }
        Step::Reset => {
            sender.half().await?;
            sender.wire.socket().set_zero_linger()?;
        }
        Step::ResetEarly => sender.wire.socket().set_zero_linger()?,
        Step::Truncate => sender.half().await?,
        Step::ChunkedCut => sender.chunked_half().await?,
        Step::Endless => sender.endless().await?,
        Step::Garbage => {
            sender
                .write(b"220 mail.example.com ESMTP ready\r\n")
                .await?
        }
        Step::Http10 => sender.by_http_10().await?,
        _ => sender.whole().await?,
    }
    Ok(match conduct.step {
        Step::Close
        | Step::Http10
        | Step::Hang
        | Step::HangBody
        | Step::Reset
        | Step::ResetEarly
        | Step::Truncate
        | Step::ChunkedCut
        | Step::Endless
        | Step::Garbage => Then::Close,
        _ => Then::GoOn,
    })
}

struct Sender<'a, W> {
    wire: &'a mut W,
    conduct: &'a Conduct,
    content: &'a Content,
    number: u64,
}

impl<W: Wire> Sender<'_, W> {
    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.wire.write_all(bytes).await?;
        self.wire.flush().await
    }

    /// Returns the head of the reply; `length` is the header that defines the end of the body.
    fn head(&self, version: &str, length: &str) -> Vec<u8> {
        let mut head = Vec::with_capacity(256 + self.content.body.len());
        let Content { status, kind, .. } = self.content;
        // Writing to memory cannot fail.
        let _ = write!(
            head,
            "HTTP/{version} {status} {}\r\ncontent-type: {kind}\r\nx-request-id: req-{}\r\n{length}",
            reason(*status),
            self.number
        );
        if let Some(retry_after) = &self.conduct.retry_after {
            let _ = write!(head, "retry-after: {}\r\n", retry_after.header());
        }
        if self.conduct.step == Step::Redirect {
            let _ = write!(head, "location: {LOOP}\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    fn head_with_length(&self) -> Vec<u8> {
        let length = self.content.length();
        self.head("1.1", &format!("content-length: {length}\r\n"))
    }

    async fn whole(&mut self) -> io::Result<()> {
        let mut reply = self.head_with_length();
        reply.extend_from_slice(&self.content.body);
        self.write(&reply).await
    }

    async fn half(&mut self) -> io::Result<()> {
        let mut reply = self.head_with_length();
        reply.extend_from_slice(&self.content.body[..self.content.body.len() / 2]);
        self.write(&reply).await
    }

    async fn chunked_half(&mut self) -> io::Result<()> {
        let half = &self.content.body[..self.content.body.len() / 2];
        let mut reply = self.head("1.1", "transfer-encoding: chunked\r\n");
        let _ = write!(reply, "{:x}\r\n", half.len());
        reply.extend_from_slice(half);
        reply.extend_from_slice(b"\r\n");
        self.write(&reply).await
    }

    async fn by_http_10(&mut self) -> io::Result<()> {
        let mut reply = self.head("1.0", "");
        reply.extend_from_slice(&self.content.body);
        self.write(&reply).await
    }

    async fn slowly(&mut self, pause: Duration) -> io::Result<()> {
        let head = self.head_with_length();
        self.write(&head).await?;
        for byte in &self.content.body {
            self.wire.write_all(&[*byte]).await?;
            self.wire.flush().await?;
            sleep(pause).await;
        }
        Ok(())
    }

    async fn filled(&mut self) -> io::Result<()> {
        let head = self.head_with_length();
        self.write(&head).await?;
        let (at, mut left) = self.content.gap.unwrap_or_default();
        let (before, after) = self.content.body.split_at(at);
        self.wire.write_all(before).await?;
        while left > 0 {
            let piece = left.min(FILLING.len() as u64);
            self.wire.write_all(&FILLING[..piece as usize]).await?;
            left -= piece;
        }
        self.write(after).await
    }

    async fn endless(&mut self) -> io::Result<()> {
        let head = self.head("1.1", "transfer-encoding: chunked\r\n");
        self.write(&head).await?;
        loop {
            self.write(b"10\r\n                \r\n").await?;
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the client disconnects.
    async fn hang(&mut self) -> io::Result<()> {
        let mut ignored = [0; 1024];
        while self.wire.read(&mut ignored).await? > 0 {}
        Ok(())
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
