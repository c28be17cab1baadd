//! A conversation as the model was trained to read it: the chat template of the model file.
//!
//! Templates are Jinja programs from the file, run by minijinja with a bound on their work. What people wrote stays
//! text: control tokens that appear in it are broken up by a guard character before the template sees them, and the
//! tokeniser drops the guard again.

use super::{gguf::Gguf, tokenizer::Tokenizer};
use crate::{EngineError, Message};
use minijinja::{Environment, ErrorKind, context, syntax::SyntaxConfig, value::Value};

/// ChatML: what most models of these families speak; for files without a template.
const CHATML: &str = "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + \
                      '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
/// Steps of the template's program: enough for thousands of messages, and an end to loops that have none.
const FUEL: u64 = 10_000_000;

/// The chat template of a model.
pub struct Template {
    environment: Environment<'static>,
}

/// A rendered conversation, for [`Tokenizer::encode_markup`].
#[derive(Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The text, look-alikes broken up.
    pub text: String,
    /// What broke them up.
    pub guard: Option<char>,
}

impl Template {
    /// The template of `gguf`.
    ///
    /// # Errors
    /// [`EngineError::BrokenModel`] when it is not a template.
    pub fn read(gguf: &Gguf) -> Result<Self, EngineError> {
        let source = gguf.text("tokenizer.chat_template").unwrap_or(CHATML);
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|e| gguf.broken(e.to_string()))?);
        environment.set_fuel(Some(FUEL));
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |reason: String| -> Result<Value, minijinja::Error> {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, reason))
        });
        environment
            .add_template_owned("chat", source.to_owned())
            .map_err(|e| gguf.broken(format!("its chat template cannot be read: {e:#}")))?;
        Ok(Self { environment })
    }

    /// `messages` as the model reads them, then the opening of an answer that begins with `prefill`.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the template refuses the conversation.
    pub fn render(&self, tokenizer: &Tokenizer, messages: &[Message], prefill: &str) -> Result<Rendered, EngineError> {
        let mut written = messages.iter().map(|m| m.content.as_str()).chain([prefill]);
        let controls: Vec<&str> = tokenizer.controls().collect();
        let guard = written
            .clone()
            .any(|text| controls.iter().any(|control| text.contains(control)))
            .then(|| guard_for(&mut written));
        let inert = |text: &str| match guard {
            Some(guard) => break_up(text, &controls, guard),
            None => text.to_owned(),
        };
        let messages: Vec<Value> =
            messages.iter().map(|m| context! { role => m.role.name(), content => inert(&m.content) }).collect();
        let template = self.environment.get_template("chat").map_err(refused)?;
        let mut text = template
            .render(context! {
                messages,
                add_generation_prompt => true,
                bos_token => tokenizer.bos(),
                eos_token => tokenizer.eos(),
            })
            .map_err(refused)?;
        text.push_str(&inert(prefill));
        Ok(Rendered { text, guard })
    }
}

fn refused(e: minijinja::Error) -> EngineError {
    EngineError::Compute(format!("the model's chat template does not take this conversation: {e:#}"))
}

/// A character that nobody wrote: one of Unicode's noncharacters, else one for private use.
fn guard_for<'a>(written: &mut (impl Iterator<Item = &'a str> + Clone)) -> char {
    let free = |c: &char| !written.clone().any(|text| text.contains(*c));
    ('\u{fdd0}'..='\u{fdef}').chain('\u{f0000}'..='\u{ffffd}').find(free).unwrap_or('\u{fdd0}')
}

/// Puts `guard` after the first character of every control token in `text`.
fn break_up(text: &str, controls: &[&str], guard: char) -> String {
    let mut text = text.to_owned();
    for control in controls {
        let first = control.chars().next().map_or(0, char::len_utf8);
        if first > 0 && text.contains(control) {
            text = text.replace(control, &format!("{}{guard}{}", &control[..first], &control[first..]));
        }
    }
    text
}
