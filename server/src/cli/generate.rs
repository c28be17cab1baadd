//! `ui4a generate "…"`: the model's answer on the terminal.

use super::{Failure, Outcome, has_reader, print_json, wait_for};
use crate::model::Model;
use crate::paths::Paths;
use crate::settings::Settings;
use anyhow::Result;
use clap::Args;
use futures::StreamExt as _;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;
use ui4a_engine::Chunk;
use ui4a_engine::mol::{self, Ask};
use ui4a_types::{Specialist, TurnInput};

/// Asks the model once.
#[derive(Args)]
pub struct Generate {
    /// What is wanted, or - to read it from stdin.
    prompt: String,
    /// Who answers, L0 to L3; the router chooses when it is not given.
    #[arg(long, value_name = "LABEL", value_parser = label)]
    specialist: Option<Specialist>,
    /// Print one JSON object instead of streaming text.
    #[arg(long)]
    json: bool,
}

fn label(text: &str) -> Result<Specialist, String> {
    let known = Specialist::ALL.into_iter().find(|specialist| specialist.label().eq_ignore_ascii_case(text));
    known.ok_or_else(|| "use L0, L1, L2 or L3".to_owned())
}

impl Generate {
    /// Streams the answer to stdout.
    pub fn run(mut self, settings: Settings, paths: &Paths) -> Outcome {
        if self.prompt == "-" {
            self.prompt.clear();
            std::io::stdin().read_to_string(&mut self.prompt).map_err(Failure::bad)?;
        }
        if self.prompt.trim().is_empty() {
            return Err(Failure::usage(anyhow::anyhow!("the prompt is empty; say what you want to see")));
        }
        let model = Model::new(&settings, paths)?;
        wait_for(self.ask(&settings, &model))??;
        Ok(ExitCode::SUCCESS)
    }

    async fn ask(self, settings: &Settings, model: &Model) -> Result<(), Failure> {
        let backend = model.backend().await?;
        let specialist = match self.specialist {
            Some(specialist) => specialist,
            None => model.router().route(&*backend, &[], &self.prompt).await.specialist,
        };
        let input = TurnInput::Text(self.prompt);
        let ask = Ask { specialist, history: &[], input: &input, cancel: CancellationToken::new() };
        let mut request = mol::prompt(model.profile(), &*backend, ask)?;
        request.max_tokens = request.max_tokens.min(settings.max_tokens);
        if settings.temperature > 0.0 {
            request.temperature = settings.temperature;
        }
        let mut text = request.prefill.clone().unwrap_or_default();
        let mut out = std::io::stdout();
        if !self.json {
            has_reader(write!(out, "{text}"))?;
        }
        let mut chunks = backend.generate(request).await?;
        let mut end = None;
        while let Some(chunk) = chunks.next().await {
            match chunk? {
                Chunk::Text(more) => {
                    if !self.json && !has_reader(write!(out, "{more}").and_then(|()| out.flush()))? {
                        return Ok(()); // nobody reads on, so the model need not write on
                    }
                    text.push_str(&more);
                }
                Chunk::Done { stop, prompt_tokens, answer_tokens, .. } => {
                    end = Some((stop, prompt_tokens, answer_tokens))
                }
                Chunk::Reasoning(_) | Chunk::ToolCall { .. } | Chunk::Weights(_) => {}
            }
        }
        if self.json {
            let (stop, prompt, answer) =
                end.map_or((None, 0, 0), |(stop, prompt, answer)| (Some(stop), prompt, answer));
            return print_json(&json!({
                "specialist": specialist, "text": text, "stop": stop, "prompt_tokens": prompt, "answer_tokens": answer,
            }));
        }
        has_reader(writeln!(out)).map(drop)
    }
}
