//! Tools for tests and benchmarks.
//!
//! - [`model`]: a real HTTP server that speaks the protocols of the model vendors and misbehaves on
//!   request;
//! - [`fake_agent()`]: a coding agent that replays recordings and misbehaves on request;
//! - [`cases`] and [`files`]: eval files of any size, made from a seed;
//! - [`Project`]: a folder with files for a test;
//! - [`crash`]: a command that is killed at a chosen moment; [`processes`]: the processes that
//!   remain;
//! - [`browser`]: a real browser; [`runs`]: run folders to show in it;
//! - [`NatsServer`]: a real NATS server; [`Served`]: a program that serves pages;
//! - [`SmallDisk`]: a disk that fills up quickly.
//!
//! Words in the prompt control the server, so that tests that are data need only one:
//!
//! ```
//! use agentv_testkit::model::{Behaviour, ModelServer};
//! use std::io::{Read, Write};
//!
//! let server = ModelServer::start(Behaviour::answering("Paris")).unwrap();
//! let mut client = std::net::TcpStream::connect(server.address()).unwrap();
//! let body = r#"{"model": "m", "messages": [{"role": "user", "content": "!status=429!"}]}"#;
//! let head = "POST /v1/chat/completions HTTP/1.1\r\nconnection: close\r\ncontent-length";
//! write!(client, "{head}: {}\r\n\r\n{body}", body.len()).unwrap();
//! let mut reply = String::new();
//! client.read_to_string(&mut reply).unwrap();
//! assert!(reply.starts_with("HTTP/1.1 429 Too Many Requests"));
//! assert_eq!(server.calls().total, 1);
//! ```
//!
//! A case is a pure function of a seed and its index ([`cases::case`]), so a file of a million
//! cases and a test with three use the same cases:
//!
//! ```
//! use agentv_testkit::cases::{Shape, case};
//!
//! assert_eq!(case(Shape::Mixed, 7, 0), case(Shape::Mixed, 7, 0));
//! assert_ne!(case(Shape::Mixed, 7, 0)["id"], case(Shape::Mixed, 7, 1)["id"]);
//! ```
//!
//! The programs: `model-server`, `fake-agent`, `bare-client` (a baseline and a load generator), `generate-cases`,
//! `measure`.

pub mod browser;
pub mod cases;
pub mod crash;
mod fake_agent;
pub mod files;
pub mod model;
mod nats;
pub mod processes;
mod project;
mod prose;
mod random;
pub mod runs;
mod seeds;
mod served;
#[cfg(unix)]
pub mod signals;
pub mod size;
mod small_disk;
#[cfg(unix)]
mod terminal;

pub use fake_agent::{AgentConduct, fake_agent};
pub use nats::NatsServer;
pub use project::Project;
pub use random::Random;
pub use seeds::each_seed;
pub use served::Served;
pub use small_disk::{MountError, SmallDisk};
#[cfg(unix)]
pub use terminal::Terminal;
