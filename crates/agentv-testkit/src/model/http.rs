//! Reading HTTP/1.1 requests from a connection.

use std::io;

use httparse::{EMPTY_HEADER, Header, Status};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::model::wire::Wire;

const MOST_HEADERS: usize = 64;
const LONGEST_HEAD: usize = 64 << 10;
const LONGEST_BODY: usize = 64 << 20;

/// The bytes of a connection that have not been processed yet.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    bytes: Vec<u8>,
}

/// The position of a complete request at the start of the buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    head: usize,
    body: usize,
}

impl Incoming {
    /// Waits for a complete request; returns `None` if the client has disconnected.
    ///
    /// # Errors
    /// Fails if the connection breaks, or the bytes are not a request of bounded length.
    pub(crate) async fn next(&mut self, wire: &mut impl Wire) -> io::Result<Option<Frame>> {
        let mut told_to_continue = false;
        loop {
            if let Some(found) = Head::find(&self.bytes)? {
                let frame = found.frame;
                if self.bytes.len() >= frame.head + frame.body {
                    return Ok(Some(frame));
                }
                if found.expects_continue && !told_to_continue {
                    told_to_continue = true;
                    wire.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
                    wire.flush().await?;
                }
                self.bytes
                    .reserve(frame.head + frame.body - self.bytes.len());
            }
            self.bytes.reserve(4096);
            if wire.read_buf(&mut self.bytes).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Discards a request that was processed.
    pub(crate) fn done(&mut self, frame: Frame) {
        self.bytes.drain(..frame.head + frame.body);
    }

    /// Calls `with` with the request, which borrows from the buffer.
    pub(crate) fn request<'b>(
        &'b self,
        frame: Frame,
        headers: &'b mut [Header<'b>; MOST_HEADERS],
    ) -> io::Result<Request<'b>> {
        let mut parsed = httparse::Request::new(headers);
        parsed.parse(&self.bytes).map_err(io::Error::other)?;
        Ok(Request {
            method: parsed.method.unwrap_or_default(),
            target: parsed.path.unwrap_or_default(),
            headers: parsed.headers,
            keep_alive: parsed.version == Some(1),
            body: &self.bytes[frame.head..frame.head + frame.body],
        })
    }
}

/// The largest number of headers of a request.
pub(crate) fn no_headers<'b>() -> [Header<'b>; MOST_HEADERS] {
    [EMPTY_HEADER; MOST_HEADERS]
}

struct Head {
    frame: Frame,
    expects_continue: bool,
}

impl Head {
    /// Parses the head at the start of `bytes`, if it is complete.
    fn find(bytes: &[u8]) -> io::Result<Option<Head>> {
        let mut headers = no_headers();
        let mut parsed = httparse::Request::new(&mut headers);
        let head = match parsed.parse(bytes).map_err(io::Error::other)? {
            Status::Complete(head) => head,
            Status::Partial if bytes.len() > LONGEST_HEAD => {
                return Err(io::Error::other("the head of the request is too long"));
            }
            Status::Partial => return Ok(None),
        };
        let body = match header(parsed.headers, "content-length") {
            Some(length) => length.parse().map_err(io::Error::other)?,
            None if header(parsed.headers, "transfer-encoding").is_some() => {
                return Err(io::Error::other("a request in chunks is not read"));
            }
            None => 0,
        };
        if body > LONGEST_BODY {
            return Err(io::Error::other("the body of the request is too long"));
        }
        Ok(Some(Head {
            frame: Frame { head, body },
            expects_continue: header(parsed.headers, "expect").is_some(),
        }))
    }
}

/// A request, borrowed from the buffer.
#[derive(Debug)]
pub(crate) struct Request<'b> {
    pub(crate) method: &'b str,
    /// The path with its query.
    pub(crate) target: &'b str,
    pub(crate) headers: &'b [Header<'b>],
    pub(crate) keep_alive: bool,
    pub(crate) body: &'b [u8],
}

impl Request<'_> {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(self.headers, name)
    }

    /// Returns the path without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns everything in the request that may be a key, as it was sent.
    pub(crate) fn keys(&self) -> String {
        let names = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
        let headers = names.iter().filter_map(|name| self.header(name));
        let query = self.target.split_once('?').map(|(_, query)| query);
        headers.chain(query).collect::<Vec<_>>().join(" ")
    }
}

fn header<'b>(headers: &[Header<'b>], name: &str) -> Option<&'b str> {
    let mut headers = headers.iter();
    let found = headers.find(|header| header.name.eq_ignore_ascii_case(name))?;
    str::from_utf8(found.value).ok().map(str::trim)
}
