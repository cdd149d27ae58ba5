//! Writes eval files of any size for benchmarks: one JSONL dataset, or a folder of YAML suites.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use agentv_testkit::cases::Shape;
use agentv_testkit::files::{self, Length, Written};
use agentv_testkit::size;
use clap::{Args, Parser, ValueEnum};

/// Write valid eval cases, the same ones for the same seed.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    amount: Amount,
    /// The seed; the same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The shape of the cases
    #[arg(long, value_enum, default_value_t = ShapeName::Mixed)]
    shape: ShapeName,
    /// The JSONL file to write; with `--suites`, the folder
    out: PathBuf,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Amount {
    /// Write this many cases.
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Write whole cases up to this size: `900`, `650kB`, `20MB`, `1GB`.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    bytes: Option<u64>,
    /// Write this many YAML suites of five cases.
    #[arg(long, value_name = "N")]
    suites: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeName {
    /// Every field and spelling, about 650 bytes per case
    Mixed,
    /// Text in, text out
    Plain,
}

impl From<ShapeName> for Shape {
    fn from(name: ShapeName) -> Shape {
        match name {
            ShapeName::Mixed => Shape::Mixed,
            ShapeName::Plain => Shape::Plain,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = generate(&arguments).and_then(|written| {
        let Written { cases, bytes } = written;
        writeln!(io::stdout(), "{cases} cases, {bytes} bytes")
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "error: `{}`: {error}",
                arguments.out.display()
            );
            ExitCode::FAILURE
        }
    }
}

fn generate(arguments: &Arguments) -> io::Result<Written> {
    let shape = arguments.shape.into();
    let Amount {
        cases,
        bytes,
        suites,
    } = arguments.amount;
    if let Some(count) = suites {
        return files::write_suites(&arguments.out, shape, count, arguments.seed);
    }
    let length = match bytes {
        Some(bytes) => Length::Bytes(bytes),
        None => Length::Cases(cases.unwrap_or_default()),
    };
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&arguments.out)?);
    files::write_jsonl(&mut out, shape, length, arguments.seed)
}
