//! The token: 256 random bits in a file that only the user can read.

use anyhow::{Context as _, Result};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use subtle::ConstantTimeEq as _;

/// The secret that every request but the public ones must carry. It never prints.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Reads the token, making it when it is not there.
    ///
    /// # Errors
    /// The file cannot be read or written, or holds something else.
    pub fn load(path: &Path) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(text.trim())
                .with_context(|| format!("{} holds no token; remove it to have a new one made", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::make(path),
            Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
        }
    }

    fn make(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        let token = Self(random_hex::<32>()?);
        let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        match opened {
            Ok(mut file) => {
                writeln!(file, "{}", token.0).with_context(|| format!("writing {}", path.display()))?;
                Ok(token)
            }
            // Another server made it in this moment.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
                Self::parse(text.trim())
            }
            Err(error) => Err(error).with_context(|| format!("writing {}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<Self> {
        anyhow::ensure!(
            text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "not 64 hexadecimal digits"
        );
        Ok(Self(text.to_owned()))
    }

    /// Whether `given` is the token, in constant time.
    pub fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// The text, for a cookie or a header.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// `N` random bytes from the operating system, in hexadecimal.
///
/// # Errors
/// The system has no randomness to give.
pub fn random_hex<const N: usize>() -> Result<String> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("the system gave no random bytes: {error}"))?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn is_made_once_and_only_for_its_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data/token");
        let token = Token::load(&path).expect("is made");
        assert_eq!(path.metadata().expect("is there").permissions().mode() & 0o777, 0o600);
        let again = Token::load(&path).expect("is read");
        assert!(token.is(again.reveal()));
        assert!(!token.is("") && !token.is(&token.reveal()[1..]));
        std::fs::write(&path, "hello").expect("spoils");
        assert!(Token::load(&path).is_err());
    }
}
