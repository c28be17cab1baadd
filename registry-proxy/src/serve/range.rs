//! Which part of a body a request asks for (RFC 9110, section 14).

use http::{HeaderMap, HeaderValue, header};

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// All of it: no range, one of another unit, several, or one that no longer holds.
    All,
    /// From the first byte to the last, both counted.
    Part(usize, usize),
    /// Bytes that it does not have.
    Nothing,
}

/// What a request asks of a body of `length` bytes.
pub(crate) fn asked(request: &HeaderMap, length: usize, etag: &HeaderValue) -> Asked {
    let Some(range) = request.get(header::RANGE).and_then(|range| range.to_str().ok()) else { return Asked::All };
    if request.get(header::IF_RANGE).is_some_and(|tag| tag != etag) {
        return Asked::All;
    }
    let Some(range) = range.trim().strip_prefix("bytes=") else { return Asked::All };
    let Some((first, last)) = range.split_once('-').filter(|(_, last)| !last.contains(',')) else { return Asked::All };
    let number = |text: &str| text.trim().parse::<usize>();
    match (number(first), number(last)) {
        (Ok(first), Ok(last)) if first > last => Asked::All,
        (Ok(first), _) if first >= length => Asked::Nothing,
        (Ok(first), Ok(last)) => Asked::Part(first, last.min(length - 1)),
        (Ok(first), Err(_)) if last.trim().is_empty() => Asked::Part(first, length - 1),
        (Err(_), Ok(0)) if first.trim().is_empty() => Asked::Nothing,
        (Err(_), Ok(_)) if first.trim().is_empty() && length == 0 => Asked::Nothing,
        (Err(_), Ok(count)) if first.trim().is_empty() => Asked::Part(length.saturating_sub(count), length - 1),
        _ => Asked::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_part_and_what_is_no_range_is_all() {
        let etag = HeaderValue::from_static("\"x\"");
        let ask = |text: &'static str| {
            asked(&HeaderMap::from_iter([(header::RANGE, HeaderValue::from_static(text))]), 10, &etag)
        };
        for (text, want) in [
            ("bytes=0-0", Asked::Part(0, 0)),
            ("bytes=2-", Asked::Part(2, 9)),
            ("bytes=-3", Asked::Part(7, 9)),
            ("bytes=-99", Asked::Part(0, 9)),
            ("bytes=5-99", Asked::Part(5, 9)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=3-2", Asked::All),
            ("bytes=0-1,4-5", Asked::All),
            ("bytes=a-b", Asked::All),
            ("lines=0-1", Asked::All),
            ("bytes=18446744073709551616-", Asked::All),
        ] {
            assert_eq!(ask(text), want, "{text}");
        }
        let mut request = HeaderMap::from_iter([(header::RANGE, HeaderValue::from_static("bytes=0-0"))]);
        request.insert(header::IF_RANGE, HeaderValue::from_static("\"y\""));
        assert_eq!(asked(&request, 10, &etag), Asked::All);
    }
}
