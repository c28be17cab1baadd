//! Text to tokens and back, from the model file's own vocabulary.
//!
//! Byte-level BPE (`tokenizer.ggml.model = gpt2`) on the `tokenizers` crate, split beforehand by the rules that the file
//! names (`tokenizer.ggml.pre`). Agrees with llama.cpp token by token, hence no Unicode normalisation. Control tokens
//! are found only in text that the caller vouches for ([`Tokenizer::encode_markup`]); what a person writes cannot
//! contain one.

use super::gguf::Gguf;
use crate::EngineError;
use std::{collections::BTreeSet, ops::Range, sync::Arc};
use tokenizers::{
    PreTokenizedString, PreTokenizer,
    models::bpe::{BPE, Vocab},
    pre_tokenizers::{
        PreTokenizerWrapper, byte_level::ByteLevel, sequence::Sequence, split::Split, split::SplitPattern,
    },
    tokenizer::{Model, SplitDelimiterBehavior},
};

/// Contractions, words with one sign before them, digits (`NUM`), signs, line ends, spaces.
const CASELESS: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|NUM| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// GPT-2's own rule.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";
/// What models end an answer with, by the names that the families use.
const END_NAMES: [&str; 7] =
    ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "</s>"];

/// What `tokenizer.ggml.token_type` says of a token.
mod kind {
    pub const UNKNOWN: i64 = 2;
    pub const CONTROL: i64 = 3;
    pub const USER_DEFINED: i64 = 4;
    pub const UNUSED: i64 = 5;
}

/// A model's vocabulary and merges.
pub struct Tokenizer {
    gguf: Arc<Gguf>,
    bpe: BPE,
    splits: PreTokenizerWrapper,
    tokens: Vec<Range<usize>>,
    kinds: Vec<i64>,
    /// Control and user-defined tokens, longest first.
    specials: Vec<Special>,
    ends: BTreeSet<u32>,
    bos: Option<u32>,
    eos: Option<u32>,
    add_bos: bool,
}

struct Special {
    text: String,
    id: u32,
    control: bool,
}

impl Tokenizer {
    /// Builds the tokeniser of `gguf`.
    ///
    /// # Errors
    /// [`EngineError::BrokenModel`] when the vocabulary is missing, does not hold together or is of another kind.
    pub fn read(gguf: &Arc<Gguf>) -> Result<Self, EngineError> {
        let model = gguf.text("tokenizer.ggml.model").unwrap_or("missing");
        if model != "gpt2" {
            let reason = format!("its tokeniser is `{model}`, and the embedded engine runs byte-level BPE (`gpt2`)");
            return Err(gguf.broken(reason));
        }
        let missing = |key: &str| gguf.broken(format!("`{key}` is missing from its metadata"));
        let key = "tokenizer.ggml.tokens";
        let tokens = gguf.texts(key).ok_or_else(|| missing(key))?.to_vec();
        let key = "tokenizer.ggml.merges";
        let merges = gguf.texts(key).ok_or_else(|| missing(key))?;
        let kinds = gguf.ints("tokenizer.ggml.token_type").unwrap_or_default().to_vec();
        let text = |range: &Range<usize>| gguf.str(range).unwrap_or_default().to_owned();

        let vocab: Vocab = tokens.iter().enumerate().map(|(id, range)| (text(range), id as u32)).collect();
        let mut pairs = Vec::with_capacity(merges.len());
        for range in merges {
            let merge = text(range);
            let (left, right) = merge
                .split_once(' ')
                .ok_or_else(|| gguf.broken(format!("`{merge}` in `tokenizer.ggml.merges` is not a pair")))?;
            pairs.push((left.to_owned(), right.to_owned()));
        }
        let pre = gguf.text("tokenizer.ggml.pre").unwrap_or("default");
        let bpe = BPE::builder()
            .vocab_and_merges(vocab, pairs)
            .ignore_merges(pre == "llama-bpe")
            .build()
            .map_err(|e| gguf.broken(format!("its merges do not fit its tokens: {e}")))?;
        let splits = splits(pre).ok_or_else(|| {
            gguf.broken(format!("its way of splitting words, `{pre}`, is not one that the embedded engine knows"))
        })?;

        let mut specials: Vec<Special> = Vec::new();
        for (id, range) in tokens.iter().enumerate() {
            let kind = kinds.get(id).copied().unwrap_or(1);
            if matches!(kind, kind::CONTROL | kind::UNKNOWN | kind::USER_DEFINED) && !range.is_empty() {
                specials.push(Special { text: text(range), id: id as u32, control: kind != kind::USER_DEFINED });
            }
        }
        specials.sort_by_key(|s| std::cmp::Reverse(s.text.len()));

        let special = |name: &str| {
            let id = gguf.int(&format!("tokenizer.ggml.{name}_token_id"))?;
            (id < tokens.len()).then_some(id as u32)
        };
        let mut ends: BTreeSet<u32> = ["eos", "eot", "eom"].into_iter().filter_map(special).collect();
        ends.extend(specials.iter().filter(|s| END_NAMES.contains(&s.text.as_str())).map(|s| s.id));
        let (bos, eos) = (special("bos"), special("eos"));
        let add_bos = gguf.bool("tokenizer.ggml.add_bos_token").unwrap_or(pre == "llama-bpe");
        Ok(Self { gguf: gguf.clone(), bpe, splits, tokens, kinds, specials, ends, bos, eos, add_bos })
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether `id` ends an answer.
    pub fn is_end(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }

    /// The tokens that end an answer.
    pub fn ends(&self) -> impl Iterator<Item = u32> {
        self.ends.iter().copied()
    }

    /// The text of the token that begins a sequence, or nothing.
    pub fn bos(&self) -> &str {
        self.bos.map_or("", |id| self.raw(id))
    }

    /// The text of the token that ends a sequence, or nothing.
    pub fn eos(&self) -> &str {
        self.eos.map_or("", |id| self.raw(id))
    }

    /// The token that the model wants before everything, unless its template writes it.
    pub fn leading(&self) -> Option<u32> {
        self.bos.filter(|_| self.add_bos)
    }

    /// The control tokens' texts: what must not be taken for markup when a person writes it.
    pub fn controls(&self) -> impl Iterator<Item = &str> {
        self.specials.iter().filter(|s| s.control).map(|s| s.text.as_str())
    }

    /// Tokens of what anybody may have written: no control token comes out of it.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the tokeniser fails.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        self.encode_fragments(text, false, None)
    }

    /// Tokens of text in which control tokens mean themselves, such as a rendered template. `guard`, a character that
    /// was put into what people wrote to break up look-alikes, is dropped once they can do no harm.
    ///
    /// # Errors
    /// [`EngineError::Compute`] when the tokeniser fails.
    pub fn encode_markup(&self, text: &str, guard: Option<char>) -> Result<Vec<u32>, EngineError> {
        self.encode_fragments(text, true, guard)
    }

    fn encode_fragments(&self, text: &str, markup: bool, guard: Option<char>) -> Result<Vec<u32>, EngineError> {
        enum Fragment<'a> {
            Text(&'a str),
            Token(u32),
        }
        let mut fragments = vec![Fragment::Text(text)];
        // As llama.cpp does it: one special after the other, longest first. User-defined ones count everywhere.
        for special in self.specials.iter().filter(|s| markup || !s.control) {
            if !text.contains(&special.text) {
                continue;
            }
            let mut next = Vec::new();
            for fragment in fragments {
                let Fragment::Text(mut rest) = fragment else {
                    next.push(fragment);
                    continue;
                };
                while let Some(at) = rest.find(&special.text) {
                    next.push(Fragment::Text(&rest[..at]));
                    next.push(Fragment::Token(special.id));
                    rest = &rest[at + special.text.len()..];
                }
                next.push(Fragment::Text(rest));
            }
            fragments = next;
        }
        let mut ids = Vec::new();
        for fragment in fragments {
            match fragment {
                Fragment::Token(id) => ids.push(id),
                Fragment::Text("") => {}
                Fragment::Text(text) => match guard.filter(|g| text.contains(*g)) {
                    Some(guard) => self.encode_plain(&text.replace(guard, ""), &mut ids)?,
                    None => self.encode_plain(text, &mut ids)?,
                },
            }
        }
        Ok(ids)
    }

    fn encode_plain(&self, text: &str, ids: &mut Vec<u32>) -> Result<(), EngineError> {
        let failed = |e: tokenizers::Error| EngineError::Compute(format!("the tokeniser: {e}"));
        let mut pieces = PreTokenizedString::from(text);
        self.splits.pre_tokenize(&mut pieces).map_err(failed)?;
        pieces.tokenize(|piece| self.bpe.tokenize(piece.get())).map_err(failed)?;
        let encoding = pieces.into_encoding(None, 0, tokenizers::OffsetType::None).map_err(failed)?;
        ids.extend_from_slice(encoding.get_ids());
        Ok(())
    }

    /// The bytes that `id` writes; none for control tokens.
    pub fn bytes(&self, id: u32) -> Vec<u8> {
        match self.kinds.get(id as usize) {
            Some(&(kind::CONTROL | kind::UNKNOWN | kind::UNUSED)) => Vec::new(),
            Some(&kind::USER_DEFINED) => self.raw(id).as_bytes().to_vec(),
            _ => self.raw(id).chars().flat_map(byte_of).collect(),
        }
    }

    fn raw(&self, id: u32) -> &str {
        self.tokens.get(id as usize).and_then(|range| self.gguf.str(range)).unwrap_or_default()
    }
}

/// The rules that split text before merging, by llama.cpp's names for them.
fn splits(pre: &str) -> Option<PreTokenizerWrapper> {
    let rules: Vec<String> = match pre {
        "qwen2" | "deepseek-r1-qwen" => vec![CASELESS.replace("NUM", r"\p{N}")],
        "llama-bpe" | "llama3" | "llama-v3" => vec![CASELESS.replace("NUM", r"\p{N}{1,3}")],
        "smollm" => vec![r"\p{N}".into(), GPT2.into()],
        "gpt-2" => vec![GPT2.into()],
        "default" => {
            vec![r"[\p{P}\$\+<=>\^~\|]+".into(), GPT2.into(), r"\p{N}+".into(), "[0-9][0-9][0-9]".into()]
        }
        _ => return None,
    };
    let mut sequence: Vec<PreTokenizerWrapper> = Vec::new();
    for rule in rules {
        sequence.push(Split::new(SplitPattern::Regex(rule), SplitDelimiterBehavior::Isolated, false).ok()?.into());
    }
    sequence.push(ByteLevel::new(false, false, false).into());
    Some(Sequence::new(sequence).into())
}

/// The byte that a character of a byte-level vocabulary stands for (GPT-2's table, the other way round).
fn byte_of(c: char) -> Option<u8> {
    let code = u32::from(c);
    match code {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => Some(code as u8),
        // The bytes left out above, in order, from U+0100 on: 0–32, 127–160, 173.
        0x100..=0x120 => Some((code - 0x100) as u8),
        0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8),
        0x143 => Some(0xad),
        _ => None,
    }
}
