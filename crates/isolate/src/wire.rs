//! What goes over the pipes: JSON, each message after its length in four bytes, little-endian.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{Read, Write};

/// Names the heap limit to a child, in bytes.
pub const HEAP_VARIABLE: &str = "UI4A_ISOLATE_HEAP";
/// Names the size limit of an answer to a child, in bytes.
pub const ANSWER_VARIABLE: &str = "UI4A_ISOLATE_ANSWER";

/// What a child is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "do")]
pub enum Ask {
    /// Evaluate a CommonJS bundle and list what it exports.
    Names {
        /// The bundle.
        source: String,
        /// CPU seconds that it may use.
        seconds: u64,
    },
    /// Evaluate a script.
    Run {
        /// The script.
        source: String,
        /// What it reads as `input`.
        input: Value,
        /// CPU seconds that it may use.
        seconds: u64,
    },
}

/// What a child says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum Say {
    /// It is ready for a first job.
    Ready {
        /// Fences that this machine does not have.
        missing: Vec<String>,
    },
    /// The answer.
    Done {
        /// JSON text.
        json: String,
    },
    /// The code threw.
    Threw {
        /// What.
        message: String,
    },
    /// The answer is too large to send.
    Large,
}

/// Reads one message; `None` at the end of the pipe.
pub fn read(pipe: &mut impl Read, limit: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut head = [0; 4];
    match pipe.read_exact(&mut head) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(head) as usize;
    if length > limit {
        return Err(std::io::Error::other(format!("a message of {length} bytes")));
    }
    let mut message = vec![0; length];
    pipe.read_exact(&mut message)?;
    Ok(Some(message))
}

/// Writes one message.
pub fn write(pipe: &mut impl Write, message: &impl Serialize) -> std::io::Result<()> {
    pipe.write_all(&frame(message)?)?;
    pipe.flush()
}

/// The bytes of one message.
pub fn frame(message: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).map_err(std::io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}
