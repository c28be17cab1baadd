//! `ui4a stream FILE`: replays a file as a model's stream, for tests and benchmarks.

use super::{Failure, Outcome, print_json, print_line, read_source};
use crate::runtime::Runtime;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use ui4a_renderer::{ArtifactStream, Options};

/// Replays a file.
#[derive(Args)]
pub struct Stream {
    /// The file, or - for stdin.
    file: PathBuf,
    /// Bytes of a chunk; a chunk never ends inside a character.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    chunk: u32,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// With --json: each line holds the frame's patch and the imports known so far as well.
    #[arg(long, requires = "json")]
    frames: bool,
}

impl Stream {
    /// Exit 1 when the whole file does not compile.
    pub fn run(self) -> Outcome {
        let (source, kind) = read_source(&self.file)?;
        let runtime = Runtime::compile().map_err(Failure::environment)?;
        let mut stream = ArtifactStream::new(Options { kind, kit: Arc::clone(&runtime.kit_names) }, None);
        let (mut rest, mut chunk, mut frame, mut ok) = (source.as_str(), 0_u32, 0_u32, true);
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(boundary(rest, self.chunk as usize));
            rest = tail;
            chunk += 1;
            let started = Instant::now();
            stream.push(head);
            let step = stream.frame(rest.is_empty());
            // Most chunks show nothing and take less than one.
            let micros = started.elapsed().as_nanos() as f64 / 1000.0;
            let patch = step.patch.as_ref().map(serde_json::to_string).transpose().map_err(Failure::environment)?;
            let frame_bytes = patch.map_or(0, |patch| patch.len());
            frame += u32::from(step.patch.is_some());
            ok = step.ok;
            if self.json {
                let mut line = json!({
                    "chunk": chunk, "frame": frame, "ok": step.ok, "frame_bytes": frame_bytes, "micros": micros,
                    "diagnostics": *step.diagnostics,
                });
                if self.frames {
                    line["patch"] = serde_json::to_value(&step.patch).map_err(Failure::environment)?;
                    line["imports"] = step.imports.keys().cloned().collect();
                }
                print_json(&line)?;
            } else {
                let ok = if step.ok { "ok" } else { "failed" };
                print_line(&format!("{chunk:>6}  frame {frame:<5} {frame_bytes:>7} bytes {micros:>10.1} µs  {ok}"))?;
            }
        }
        Ok(ExitCode::from(u8::from(!ok)))
    }
}

/// The smallest character boundary at or after `at`, or the end.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
