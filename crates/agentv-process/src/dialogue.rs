//! A running command that the caller listens and writes to.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::process::ChildStdout;
use tokio_util::sync::CancellationToken;

use crate::{Captured, Status};

/// The longest line that is kept whole.
const LONGEST_LINE: usize = 64 << 20;

/// The two ends of a running command that the caller holds.
pub struct Dialogue {
    /// The command's stdin, unless [`CommandSpec::stdin`](crate::CommandSpec::stdin) was set. Dropping
    /// it closes it.
    pub stdin: Option<CommandInput>,
    /// The command's stdout, line by line.
    pub stdout: OutputLines,
    /// Cancelled when the command has exited and its tree is gone. A command may close its stdout first.
    pub exited: CancellationToken,
}

/// The stdin of a running command.
pub struct CommandInput(pub(crate) Box<dyn AsyncWrite + Send + Unpin>);

impl CommandInput {
    /// Writes all bytes. The command must read them at some time: read its stdout meanwhile.
    ///
    /// # Errors
    /// If the command has closed its stdin.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await?;
        self.0.flush().await
    }
}

/// The stdout of a running command, as lines that arrive one by one.
pub struct OutputLines {
    reader: BufReader<ChildStdout>,
    line: Vec<u8>,
    is_cut: bool,
    /// Cancelled when no more output is waited for, though some process may hold the pipe.
    overdue: CancellationToken,
    /// Cancelled by the end of the output.
    said_all: CancellationToken,
}

/// A line of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLine<'a> {
    /// The bytes, without the line break.
    pub bytes: &'a [u8],
    /// True if the line was longer than 64 MiB. The rest was dropped.
    pub is_cut: bool,
}

impl OutputLines {
    pub(crate) fn new(
        stdout: ChildStdout,
        overdue: CancellationToken,
        said_all: CancellationToken,
    ) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, stdout),
            line: Vec::new(),
            is_cut: false,
            overdue,
            said_all,
        }
    }

    /// Waits for the next line, or returns `None` after the last one. The last line need not end with
    /// a line break. If the future is dropped, the beginning of the line is kept for the next call.
    pub async fn next(&mut self) -> Option<OutputLine<'_>> {
        // The previous line stays until now. The beginning of one has no line break yet.
        if self.line.last() == Some(&b'\n') {
            self.line.clear();
            self.is_cut = false;
        }
        while self.read_more().await {}
        if self.line.is_empty() {
            return None;
        }
        if self.line.last() != Some(&b'\n') {
            self.line.push(b'\n');
        }
        let bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Some(OutputLine {
            bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes),
            is_cut: self.is_cut,
        })
    }

    /// Reads the next piece of a line, and returns false if that was the last one.
    async fn read_more(&mut self) -> bool {
        let available = tokio::select! {
            biased;
            available = self.reader.fill_buf() => available.unwrap_or_default(),
            () = self.overdue.cancelled() => return false,
        };
        if available.is_empty() {
            self.said_all.cancel();
            return false;
        }
        let line_break = available.iter().position(|byte| *byte == b'\n');
        let text = line_break.unwrap_or(available.len());
        let room = LONGEST_LINE.saturating_sub(self.line.len());
        self.is_cut |= text > room;
        self.line.extend_from_slice(&available[..text.min(room)]);
        self.reader.consume(line_break.map_or(text, |end| end + 1));
        if line_break.is_some() {
            self.line.push(b'\n');
        }
        line_break.is_none()
    }
}

/// The end of a command that the caller listened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Talked<T> {
    /// The result of the caller's function, whatever ended the command.
    pub result: T,
    /// The reason for the end.
    pub ending: Ending,
    /// The end of what the tree wrote to stderr.
    pub stderr: Captured,
    /// The time from the start of the command to its end.
    pub duration: Duration,
    /// True if every process of the tree is gone. False if one resists SIGKILL.
    pub tree_ended: bool,
}

/// The reason for which a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It exited by itself.
    Exited(Status),
    /// The caller's function returned before it exited, so that it was ended.
    Stopped,
    /// The deadline passed.
    DeadlinePassed,
    /// The run was cancelled.
    Cancelled,
}
