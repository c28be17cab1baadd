//! UI4A in coding assistants: the MCP server, the readers of assistants' session files, and the plugin folder itself.
//!
//! Speaks HTTP to a running server and depends on no other part of it. Reads session files as hostile text: any field may
//! be missing, of another type, huge, or half written. Never writes to an assistant's folders.

pub mod install;
pub mod mcp;
pub mod transcripts;
