//! Conversations that a program of others sends whole with each request: who gave which answer, and what a specialist reads of
//! it.
//!
//! Owns the hashes by which an answer is known again ([`Key`]) and the folding of others' turns. A specialist reads its own
//! turns and unknown ones word for word, and others' as a block of context. It needs no header and no help of the client, and
//! refuses to know where things are kept: [`ViewStore`] does.

mod canonical;
mod fold;
mod language;

pub use canonical::Key;

use crate::{Message, Role};
use canonical::Rolling;
use fold::Folded;
use ui4a_types::Specialist;

/// What is remembered of answers, over restarts.
pub trait ViewStore: Send + Sync {
    /// Who gave the answer that a key names; `None` where nobody did, or several.
    fn owner(&self, key: &Key) -> Option<Specialist>;

    /// Remembers who gave an answer, under all of its keys.
    fn own(&self, keys: &[Key], owner: Specialist);

    /// What stands for the answer of a turn.
    fn summary(&self, turn: &Key) -> Option<String>;

    /// Lets `text` stand for the answer of a turn, unless something does already: what was read once stays.
    fn summarise(&self, turn: &Key, text: &str, tokens: u64);

    /// Tokens of summaries of a turn that nobody was told of yet; from now on they are told.
    fn spent(&self, turn: &Key) -> u64;
}

/// A conversation, with who gave which answer.
#[derive(Debug)]
pub struct View {
    scope: String,
    messages: Vec<Message>,
    owners: Vec<Option<Specialist>>,
    rolling: Rolling,
}

/// What a specialist reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The messages.
    pub messages: Vec<Message>,
    /// Turns of others in it.
    pub folded: usize,
    /// Tokens that summaries of them cost, each told once.
    pub summary_tokens: u64,
}

impl View {
    /// Looks up who gave the answers in `messages`, in which no two neighbours but results of tools have one role. `scope`
    /// is whose conversations they are: nothing is known across scopes.
    pub fn read(store: &dyn ViewStore, scope: &str, system: &str, messages: Vec<Message>) -> Self {
        let mut rolling = Rolling::new(scope, system);
        let owners = messages.iter().map(|message| {
            let keys = rolling.push(message);
            let known = || keys.iter().find_map(|key| store.owner(key));
            (message.role == Role::Assistant).then(known).flatten()
        });
        let owners = owners.collect();
        Self { scope: scope.to_owned(), messages, owners, rolling }
    }

    /// The messages as they were said.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Who gave the last answer.
    pub fn last(&self) -> Option<Specialist> {
        let last = self.messages.iter().rposition(|message| message.role == Role::Assistant)?;
        self.owners[last]
    }

    /// Who called the tools whose results came last; `None` when no result is to be answered.
    pub fn caller(&self) -> Option<Option<Specialist>> {
        (self.messages.last()?.role == Role::Tool).then(|| self.last())
    }

    /// What `reader` reads.
    pub fn seen_by(&self, store: &dyn ViewStore, reader: Specialist) -> Seen {
        let mut seen = Seen::default();
        let mut folded: Vec<Folded<'_>> = Vec::new();
        for (from, to) in self.turns() {
            let turn = &self.messages[from..to];
            if to < self.messages.len() && self.is_foreign(from, to, reader) {
                folded.push(self.fold(store, turn, &mut seen));
                continue;
            }
            let mut own = turn.to_vec();
            if !folded.is_empty()
                && let Some(first) = own.first_mut()
            {
                let block = fold::block(&folded);
                if first.role == Role::User {
                    first.content = format!("{block}\n{}", first.content);
                } else {
                    own.insert(0, Message::new(Role::User, block));
                }
                seen.folded += folded.len();
                folded.clear();
            }
            seen.messages.append(&mut own);
        }
        seen
    }

    /// Remembers that `specialist` gave `answer`. Returns the turn that a summary would be of, if one is worth its while:
    /// an extract loses something.
    pub fn answered(mut self, store: &dyn ViewStore, specialist: Specialist, answer: &Message) -> Option<Key> {
        store.own(&self.rolling.push(answer), specialist);
        if !answer.calls.is_empty() {
            return None; // The turn is not over.
        }
        let from = self.turns().last().map_or(0, |(from, _)| *from);
        let turn = [&self.messages[from..], std::slice::from_ref(answer)].concat();
        fold::loses(&turn).then(|| canonical::turn(&self.scope, &turn))
    }

    /// Where turns begin and end: each begins with a person's words, but for the first of a conversation whose beginning is
    /// gone.
    fn turns(&self) -> Vec<(usize, usize)> {
        let mut begins: Vec<usize> = Vec::new();
        for (at, message) in self.messages.iter().enumerate() {
            if at == 0 || (message.role == Role::User && self.messages[at - 1].role != Role::User) {
                begins.push(at);
            }
        }
        let ends = begins.iter().skip(1).copied().chain([self.messages.len()]);
        begins.iter().copied().zip(ends).collect()
    }

    /// Whether others gave all answers of a turn.
    fn is_foreign(&self, from: usize, to: usize, reader: Specialist) -> bool {
        let mut answers = (from..to).filter(|at| self.messages[*at].role == Role::Assistant).peekable();
        answers.peek().is_some() && answers.all(|at| self.owners[at].is_some_and(|owner| owner != reader))
    }

    fn fold<'t>(&self, store: &dyn ViewStore, turn: &'t [Message], seen: &mut Seen) -> Folded<'t> {
        if !fold::loses(turn) {
            return Folded { messages: turn, summary: None };
        }
        let key = canonical::turn(&self.scope, turn);
        if let Some(summary) = store.summary(&key) {
            seen.summary_tokens += store.spent(&key);
            return Folded { messages: turn, summary: Some(summary) };
        }
        // An extract that was read stays what is read: a summary that comes later is too late.
        store.summarise(&key, &fold::extracted(turn), 0);
        Folded { messages: turn, summary: store.summary(&key) }
    }
}
