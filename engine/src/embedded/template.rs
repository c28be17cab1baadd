//! A conversation as the model was trained to read it: the chat template of the model file.
//!
//! Templates are Jinja programs from the file, run by minijinja with a bound on their work. What people wrote stays
//! text: control tokens that appear in it are broken up by a guard character before the template sees them, and the
//! tokeniser drops the guard again.

use super::{gguf::Gguf, tokenizer::Tokenizer};
use crate::{EngineError, Message, Tools, tools};
use minijinja::{Environment, ErrorKind, context, syntax::SyntaxConfig, value::Value};

/// ChatML: what most models of these families speak; for files without a template.
const CHATML: &str = "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + \
                      '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
/// Steps of the template's program: enough for thousands of messages, and an end to loops that have none.
const FUEL: u64 = 10_000_000;

/// The chat template of a model.
pub struct Template {
    environment: Environment<'static>,
    /// Whether it writes tools, calls and results itself.
    knows_tools: bool,
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
        let knows_tools = source.contains("tools") && source.contains("tool_calls");
        Ok(Self { environment, knows_tools })
    }

    /// `messages` as the model reads them, with `tools` that it may call, then the opening of an answer that begins with `prefill`.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the template refuses the conversation.
    pub fn render(
        &self,
        tokenizer: &Tokenizer,
        messages: &[Message],
        offered: &Tools,
        prefill: &str,
    ) -> Result<Rendered, EngineError> {
        let in_words;
        let (messages, listed) = if self.knows_tools || (!offered.any() && messages.iter().all(is_plain)) {
            let listed = offered.offered.iter().filter(|_| offered.any()).map(tools::Tool::function);
            (messages, listed.collect::<Vec<_>>())
        } else {
            in_words = tools::plain(messages, offered);
            (in_words.as_slice(), Vec::new())
        };
        let said = messages.iter().flat_map(|m| {
            std::iter::once(m.content.as_str()).chain(m.calls.iter().flat_map(|call| [&*call.name, &*call.arguments]))
        });
        let described = serde_json::to_string(&listed).unwrap_or_default();
        let mut written = said.chain([prefill, described.as_str()]);
        let controls: Vec<&str> = tokenizer.controls().collect();
        let guard = written
            .clone()
            .any(|text| controls.iter().any(|control| text.contains(control)))
            .then(|| guard_for(&mut written));
        let inert = |text: &str| match guard {
            Some(guard) => break_up(text, &controls, guard),
            None => text.to_owned(),
        };
        let messages: Vec<Value> = messages
            .iter()
            .map(|m| {
                let calls: Vec<Value> = m.calls.iter().map(|call| shown_call(call, &inert)).collect();
                let (role, content) = (m.role.name(), inert(&m.content));
                if calls.is_empty() {
                    context! { role, content }
                } else {
                    context! { role, content, tool_calls => calls }
                }
            })
            .collect();
        let listed: Vec<serde_json::Value> = serde_json::from_str(&inert(&described)).unwrap_or_default();
        let listed = if listed.is_empty() { Value::UNDEFINED } else { listed.iter().map(json).collect() };
        let template = self.environment.get_template("chat").map_err(refused)?;
        let mut text = template
            .render(context! {
                messages,
                tools => listed,
                add_generation_prompt => true,
                bos_token => tokenizer.bos(),
                eos_token => tokenizer.eos(),
            })
            .map_err(refused)?;
        text.push_str(&inert(prefill));
        Ok(Rendered { text, guard })
    }
}

fn is_plain(message: &Message) -> bool {
    message.calls.is_empty() && message.answers.is_none()
}

fn shown_call(call: &crate::ToolCall, inert: &dyn Fn(&str) -> String) -> Value {
    let arguments = serde_json::from_str::<serde_json::Value>(&inert(&call.arguments));
    let arguments = arguments.unwrap_or_else(|_| serde_json::Value::String(inert(&call.arguments)));
    let function = context! { name => inert(&call.name), arguments => json(&arguments) };
    context! { id => inert(&call.id), type => "function", function }
}

/// JSON as templates see it, its keys in their order.
fn json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::from(()),
        serde_json::Value::Bool(value) => Value::from(*value),
        serde_json::Value::Number(value) => match (value.as_i64(), value.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(value)) => Value::from(value),
            (None, None) => Value::from(value.to_string()),
        },
        serde_json::Value::String(value) => Value::from(value.as_str()),
        serde_json::Value::Array(values) => values.iter().map(json).collect(),
        serde_json::Value::Object(map) => Value::from_pairs(map.iter().map(|(key, value)| (key.as_str(), json(value)))),
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
