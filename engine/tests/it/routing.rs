//! The built-in router on the real models that answer with interfaces.

use crate::files;
use anyhow::Result;
use ui4a_engine::embedded::{Embedded, EmbeddedOptions};
use ui4a_engine::mol::{Profile, Router};
use ui4a_types::Specialist;

/// Ordinary requests for an interface, without a word that names one as such.
const INTERFACES: [&str; 6] = [
    "A sales dashboard for a coffee shop: revenue, orders and average ticket this week, a line chart of daily revenue, \
     and a table of the top 5 drinks",
    "A tip calculator with a slider for tip percent and number of people",
    "Ask me which of three plans I want, with a button for each",
    "Build me a todo app",
    "I want to see my monthly expenses as a pie chart",
    "make a snake game",
];

async fn routed(file: &str, texts: &[&str]) -> Result<Vec<Specialist>> {
    let model = Embedded::open(&files::model(file), EmbeddedOptions::default())?;
    let router = Router::new(&Profile::builtin());
    let mut specialists = Vec::new();
    for text in texts {
        specialists.push(router.route(&model, &[], text).await.specialist);
    }
    Ok(specialists)
}

#[tokio::test]
async fn a_request_for_an_interface_reaches_the_interface_specialist_of_the_default_model() -> Result<()> {
    let mut texts = INTERFACES.to_vec();
    texts.extend(["Hi there!", "Implement quicksort in C"]);
    let found = routed("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", &texts).await?;
    assert_eq!(found[..6], [Specialist::L3; 6]);
    assert_eq!(found[6..], [Specialist::L0, Specialist::L2]);
    Ok(())
}

#[tokio::test]
async fn a_request_for_an_interface_reaches_the_interface_specialist_of_the_small_model() -> Result<()> {
    let found = routed("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", &INTERFACES).await?;
    assert_eq!(found, [Specialist::L3; 6]);
    Ok(())
}
