//! Compressing what is served, and which compression a client takes.

use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, header};
use std::io::{Read, Write as _};

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    /// Brotli.
    Brotli,
    /// gzip.
    Gzip,
}

impl Encoding {
    /// As HTTP names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Compresses. Blocks for some ten milliseconds a hundred kilobytes.
    pub(crate) fn encode(self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Brotli => {
                // The best qualities take seconds for a large module, and save little more.
                let quality = if bytes.len() > 512 << 10 { 6 } else { 9 };
                let parameters = brotli::enc::BrotliEncoderParams { quality, lgwin: 22, ..Default::default() };
                let mut encoded = Vec::new();
                brotli::BrotliCompress(&mut &*bytes, &mut encoded, &parameters)?;
                Ok(encoded)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::new(7));
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }

    /// Whether `encoded` is a compressed form of exactly these bytes.
    pub(crate) fn is_of(self, encoded: &[u8], bytes: &[u8]) -> bool {
        let mut decoded = Vec::with_capacity(bytes.len());
        let most = bytes.len() as u64 + 1;
        let read = match self {
            Self::Brotli => brotli::Decompressor::new(encoded, 16 << 10).take(most).read_to_end(&mut decoded),
            Self::Gzip => flate2::read::GzDecoder::new(encoded).take(most).read_to_end(&mut decoded),
        };
        read.is_ok() && decoded == bytes
    }
}

/// The coding that a client likes best of those there are; brotli where it does not mind.
pub(crate) fn accepted(request: &HeaderMap) -> Option<Encoding> {
    let lists = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let (mut brotli, mut gzip, mut any) = (None, None, None);
    for coding in lists.flat_map(|list| list.split(',')) {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = parameters.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse::<f32>().ok());
        match name.trim() {
            "br" => brotli = weight,
            "gzip" | "x-gzip" => gzip = weight,
            "*" => any = weight,
            _ => {}
        }
    }
    let weight = |own: Option<f32>| own.or(any).unwrap_or(0.0);
    let (brotli, gzip) = (weight(brotli), weight(gzip));
    match (brotli > 0.0 && brotli >= gzip, gzip > 0.0) {
        (true, _) => Some(Encoding::Brotli),
        (false, true) => Some(Encoding::Gzip),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn a_client_gets_what_it_takes() {
        let ask = |text: &'static str| {
            accepted(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(text))]))
        };
        assert_eq!(ask("gzip, deflate, br, zstd"), Some(Encoding::Brotli));
        assert_eq!(ask("gzip"), Some(Encoding::Gzip));
        assert_eq!(ask("br;q=0.2, gzip;q=0.9"), Some(Encoding::Gzip));
        assert_eq!(ask("br;q=0, *;q=0"), None);
        assert_eq!(ask("identity"), None);
        assert_eq!(accepted(&HeaderMap::new()), None);
    }

    #[test]
    fn what_is_compressed_is_the_same_text() {
        let text = "export const x = 1;\n".repeat(500);
        for encoding in [Encoding::Brotli, Encoding::Gzip] {
            let encoded = encoding.encode(text.as_bytes()).expect("compresses");
            assert!(encoded.len() < text.len() / 4);
            assert!(encoding.is_of(&encoded, text.as_bytes()));
            assert!(!encoding.is_of(&encoded[..encoded.len() - 4], text.as_bytes()));
            assert!(!encoding.is_of(&encoded, &text.as_bytes()[1..]));
        }
    }
}
