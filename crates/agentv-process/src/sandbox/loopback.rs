//! The outer side of relays: sockets whose connections are passed on to ports of the loopback address.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use tokio::net::{TcpStream, UnixListener};
use tokio::task::JoinHandle;

use super::spec::SandboxSpec;

/// The open sockets of one command. Dropping them closes and removes them.
pub(crate) struct Loopback {
    tasks: Vec<JoinHandle<()>>,
    sockets: Vec<PathBuf>,
}

impl Loopback {
    /// Opens the sockets that a command behind this wall needs.
    ///
    /// # Errors
    /// If a socket cannot be made.
    pub(crate) fn open(wall: Option<&SandboxSpec>) -> io::Result<Loopback> {
        let mut open = Loopback {
            tasks: Vec::new(),
            sockets: Vec::new(),
        };
        let Some(wall) = wall.filter(|wall| wall.has_relay()) else {
            return Ok(open);
        };
        for port in wall.loopback_ports.iter().copied() {
            let socket = wall.socket(port);
            let listener = UnixListener::bind(&socket)?;
            open.sockets.push(socket);
            open.tasks.push(tokio::spawn(serve(listener, port)));
        }
        Ok(open)
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        for socket in &self.sockets {
            let _ = fs::remove_file(socket);
        }
    }
}

async fn serve(listener: UnixListener, port: u16) {
    while let Ok((mut inner, _)) = listener.accept().await {
        tokio::spawn(async move {
            if let Ok(mut outer) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
                let _ = tokio::io::copy_bidirectional(&mut inner, &mut outer).await;
            }
        });
    }
}
