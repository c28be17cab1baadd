//! The data of server-sent events, one event at a time, from bytes cut anywhere.
//!
//! Takes what real servers send: comments that keep the connection alive, CRLF, no space after the colon, a last event
//! with no blank line after it, and JSON without any framing.

/// The largest event that is gathered.
pub const EVENT_BYTES: usize = 8 << 20;

/// An event larger than [`EVENT_BYTES`].
#[derive(Debug)]
pub struct TooLarge;

/// Gathers events.
#[derive(Default)]
pub struct Events {
    line: Vec<u8>,
    data: String,
}

impl Events {
    /// Takes more bytes; answers the data of the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLarge> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() + self.data.len() > EVENT_BYTES {
                return Err(TooLarge);
            }
            if piece.ends_with(b"\n") {
                self.end_line(&mut events);
            }
        }
        Ok(events)
    }

    /// What is left at the end.
    pub fn finish(mut self) -> Vec<String> {
        let mut events = Vec::new();
        self.end_line(&mut events);
        self.end_event(&mut events);
        events
    }

    fn end_line(&mut self, events: &mut Vec<String>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() {
            return self.end_event(events);
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        } else if line.starts_with('{') {
            // Some servers answer an error, or everything, as bare JSON lines.
            events.push(line.to_owned());
        }
    }

    fn end_event(&mut self, events: &mut Vec<String>) {
        if !self.data.is_empty() {
            events.push(std::mem::take(&mut self.data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_whole_however_they_are_cut() {
        let stream =
            ": hello\r\n\r\nevent: x\ndata: {\"a\":\"é\"}\r\n\r\ndata:two\ndata: lines\n\n{\"error\":1}\ndata: last";
        let whole = vec!["{\"a\":\"é\"}", "two\nlines", "{\"error\":1}", "last"];
        for size in 1..stream.len() {
            let mut events = Events::default();
            let mut found = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                found.extend(events.push(piece).expect("small events"));
            }
            found.extend(events.finish());
            assert_eq!(found, whole, "cut every {size} bytes");
        }
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut events = Events::default();
        let refused = (0..20).any(|_| events.push(&[b'x'; 1 << 20]).is_err());
        assert!(refused);
    }
}
