//! The inner side of relays: ports of the loopback address whose connections go out through sockets.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

/// Listens on ports and runs a command: `PORT=SOCKET… -- PROGRAM ARGUMENT…`. Returns the exit code of the
/// command, or 128 and the number of its signal, as shells do.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match run(arguments) {
        Ok(code) => code,
        Err(_) => ExitCode::from(126),
    }
}

fn run(mut arguments: impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
    for word in arguments.by_ref().take_while(|word| word != "--") {
        let (port, socket) = port_and_socket(&word).ok_or(io::ErrorKind::InvalidInput)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        thread::spawn(move || serve(&listener, &socket));
    }
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let status = match Command::new(&program).args(arguments).status() {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let _ = writeln!(
                io::stderr(),
                "`{}` not found in the sandbox",
                program.display()
            );
            return Ok(ExitCode::from(127));
        }
        Err(error) => return Err(error),
    };
    let signal = status.signal().map(|signal| 128 + signal);
    let code = status.code().or(signal).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn port_and_socket(word: &OsString) -> Option<(u16, PathBuf)> {
    let bytes = word.as_bytes();
    let equals = bytes.iter().position(|byte| *byte == b'=')?;
    let port = str::from_utf8(&bytes[..equals]).ok()?.parse().ok()?;
    let socket = OsString::from_vec(bytes[equals + 1..].to_vec());
    Some((port, socket.into()))
}

fn serve(listener: &TcpListener, socket: &Path) {
    for inner in listener.incoming().flatten() {
        if let Ok(outer) = UnixStream::connect(socket) {
            pass_on(inner, outer);
        }
    }
}

/// Copies both directions, on a thread each, until both have ended.
fn pass_on(inner: TcpStream, outer: UnixStream) {
    let (Ok(mut inner_copy), Ok(mut outer_copy)) = (inner.try_clone(), outer.try_clone()) else {
        return;
    };
    let (mut inner, mut outer) = (inner, outer);
    thread::spawn(move || {
        let _ = io::copy(&mut inner, &mut outer);
        let _ = outer.shutdown(Shutdown::Write);
    });
    thread::spawn(move || {
        let _ = io::copy(&mut outer_copy, &mut inner_copy);
        let _ = inner_copy.shutdown(Shutdown::Write);
    });
}
