//! Opening the files of a run folder that someone else may have created.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file for reading, and never blocks.
///
/// # Errors
/// The error of the system. For anything that is not a regular file, such as a pipe on which a reader
/// would wait forever, an error that names it and says what to do.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    open(File::options().read(true), path)
}

/// Opens a file of a run folder for writing, with the given options. Refuses a link, because it may
/// lead to a file outside the run.
pub(crate) fn open_to_write(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // `NOFOLLOW` refuses links too; this check gives a better message, and covers systems without
    // that flag.
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(unusable(
            "it is a link, and writing through it could destroy a file outside the run; replace \
             the link with the file itself",
        ));
    }
    #[cfg(unix)]
    flag(
        options,
        rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW,
    );
    regular(options.open(path)?)
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    flag(options, rustix::fs::OFlags::NONBLOCK);
    regular(options.open(path)?)
}

#[cfg(unix)]
fn flag(options: &mut OpenOptions, flags: rustix::fs::OFlags) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(flags.bits().cast_signed());
}

fn regular(file: File) -> io::Result<File> {
    let found = file.metadata()?;
    match what_it_is(&found) {
        None => Ok(file),
        Some(thing) => Err(unusable(&format!(
            "it is {thing}, not a regular file; remove it, or use another run"
        ))),
    }
}

/// Describes a file that is not a regular one.
fn what_it_is(found: &Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder"),
        kind if is_pipe(kind) => Some("a pipe"),
        _ => Some("a device"),
    }
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

fn unusable(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn pipes_do_not_block_and_devices_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(made.unwrap().success());
        symlink("/dev/zero", path("zero")).unwrap();
        for (name, thing) in [("pipe", "a pipe"), ("zero", "a device"), (".", "a folder")] {
            let refused = open_to_read(&path(name)).unwrap_err().to_string();
            assert!(refused.contains(thing), "{refused}");
        }
        let mut options = File::options();
        let refused = open_to_write(options.read(true).append(true), &path("pipe"));
        assert!(refused.unwrap_err().to_string().contains("a pipe"));
    }

    #[test]
    fn links_are_read_and_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "kept").unwrap();
        symlink("file", &link).unwrap();
        assert!(open_to_read(&link).is_ok());
        let mut options = File::options();
        let refused = open_to_write(options.write(true).truncate(true), &link);
        assert!(refused.unwrap_err().to_string().contains("a link"));
        assert!(open_to_write(File::options().append(true), &file).is_ok());
        assert_eq!(std::fs::read(&file).unwrap(), b"kept");
    }
}
