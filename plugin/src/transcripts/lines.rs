//! The lines of a session file: read in order, each within a limit, broken ones left out.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// Longest line read; longer ones hold pasted files or pictures and are left out.
const MOST_LINE: u64 = 4 << 20;
/// Most bytes read of a file.
const MOST_FILE: u64 = 256 << 20;

/// Calls `each` with every line that is a JSON object.
///
/// # Errors
/// The file cannot be read.
pub(super) fn read(path: &Path, mut each: impl FnMut(Value)) -> std::io::Result<()> {
    let mut reader = BufReader::new(std::fs::File::open(path)?.take(MOST_FILE));
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(MOST_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let whole = line.ends_with(b"\n");
        if !whole && read as u64 == MOST_LINE {
            skip_line(&mut reader)?;
            continue;
        }
        // The last line may be half written; then it is no JSON yet.
        if let Ok(value @ Value::Object(_)) = serde_json::from_slice(&line) {
            each(value);
        }
    }
}

fn skip_line(reader: &mut impl std::io::BufRead) -> std::io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        if done {
            return Ok(());
        }
    }
}
