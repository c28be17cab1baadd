//! Which answers are of use in which role, and the extension under which they are kept.

use ui4a_types::AddressRole;

/// What an answer must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// JavaScript, classic or a module.
    Script,
    /// CSS.
    Style,
    /// A picture, a font, a sound or a film.
    Asset,
}

impl From<AddressRole> for Wanted {
    fn from(role: AddressRole) -> Self {
        match role {
            AddressRole::Script => Self::Script,
            AddressRole::Style => Self::Style,
            AddressRole::Asset => Self::Asset,
        }
    }
}

/// Media types of assets → extension.
const ASSETS: [(&str, &str); 27] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("image/svg+xml", "svg"),
    ("image/x-icon", "ico"),
    ("image/vnd.microsoft.icon", "ico"),
    ("font/woff2", "woff2"),
    ("font/woff", "woff"),
    ("font/ttf", "ttf"),
    ("font/otf", "otf"),
    ("font/sfnt", "ttf"),
    ("application/font-woff2", "woff2"),
    ("application/font-woff", "woff"),
    ("application/x-font-woff", "woff"),
    ("application/x-font-ttf", "ttf"),
    ("application/x-font-opentype", "otf"),
    ("application/vnd.ms-fontobject", "eot"),
    ("audio/mpeg", "mp3"),
    ("audio/wav", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/ogg", "ogg"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("model/gltf-binary", "glb"),
    ("application/wasm", "wasm"),
];

const SCRIPTS: [&str; 6] = [
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "text/ecmascript",
    "application/ecmascript",
    // What repositories answer for every file.
    "text/plain",
];

/// The extension of an answer that is of use.
///
/// # Errors
/// In words, what it is instead.
pub(crate) fn extension(wanted: Wanted, media_type: &str, bytes: &[u8]) -> Result<&'static str, String> {
    let media_type = media_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let other = |what: &str| Err(format!("it answers with `{media_type}`, which is no {what}"));
    match wanted {
        Wanted::Script if SCRIPTS.contains(&media_type.as_str()) && !looks_like_markup(bytes) => Ok("js"),
        Wanted::Script => other("script"),
        Wanted::Style if media_type == "text/css" => Ok("css"),
        Wanted::Style => other("style sheet"),
        Wanted::Asset => match ASSETS.iter().find(|(name, _)| *name == media_type) {
            Some((_, extension)) => Ok(extension),
            None if matches!(media_type.as_str(), "" | "application/octet-stream" | "binary/octet-stream") => {
                by_magic(bytes).ok_or_else(|| "its bytes are of no type that is shown".to_owned())
            }
            None => other("image, font or sound"),
        },
    }
}

/// A page that says that something is not there often says so with the type of what was asked.
fn looks_like_markup(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    bytes[start..].starts_with(b"<")
}

/// The type that the first bytes tell.
fn by_magic(bytes: &[u8]) -> Option<&'static str> {
    let magic: [(&[u8], &str); 11] = [
        (b"\x89PNG\r\n", "png"),
        (b"\xff\xd8\xff", "jpg"),
        (b"GIF8", "gif"),
        (b"wOF2", "woff2"),
        (b"wOFF", "woff"),
        (b"OTTO", "otf"),
        (b"\x00\x01\x00\x00", "ttf"),
        (b"OggS", "ogg"),
        (b"ID3", "mp3"),
        (b"glTF", "glb"),
        (b"\x1a\x45\xdf\xa3", "webm"),
    ];
    let found = magic.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, extension)| *extension);
    found.or_else(|| match (bytes.get(..4), bytes.get(4..8), bytes.get(8..12)) {
        (Some(b"RIFF"), _, Some(b"WEBP")) => Some("webp"),
        (Some(b"RIFF"), _, Some(b"WAVE")) => Some("wav"),
        (_, Some(b"ftyp"), Some(b"avif")) => Some("avif"),
        (_, Some(b"ftyp"), _) => Some("mp4"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_takes_its_own_types_alone() {
        assert_eq!(extension(Wanted::Script, "text/javascript; charset=utf-8", b"x=1"), Ok("js"));
        assert!(extension(Wanted::Script, "text/html", b"x").is_err());
        assert!(extension(Wanted::Script, "text/javascript", b"\n<!doctype html>").is_err());
        assert_eq!(extension(Wanted::Style, "text/css", b""), Ok("css"));
        assert!(extension(Wanted::Style, "text/plain", b"").is_err());
        assert_eq!(extension(Wanted::Asset, "image/PNG", b""), Ok("png"));
        assert_eq!(extension(Wanted::Asset, "application/octet-stream", b"wOF2rest"), Ok("woff2"));
        assert!(extension(Wanted::Asset, "application/octet-stream", b"<html>").is_err());
        assert!(extension(Wanted::Asset, "text/html", b"\x89PNG\r\n").is_err());
    }
}
