//! A server that accepts every connection and never answers.

use anyhow::Result;
use tokio::task::JoinHandle;

/// A running silent server; it hangs up when dropped.
pub struct Silent {
    /// Its address, without a path.
    pub url: String,
    accepting: JoinHandle<()>,
}

impl Silent {
    /// Starts one.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start() -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let accepting = tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((socket, _)) = listener.accept().await {
                open.push(socket);
            }
        });
        Ok(Self { url, accepting })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
