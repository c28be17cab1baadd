//! Which components are unfinished: their effects wait until they, and all that they name, are written.
//!
//! The names stand in a cell of their own, so that no other one changes when a component becomes whole. A whole module has
//! no such cell.

use super::hash::hash;
use super::link::{Id, Linker};
use super::names::Target;
use super::unit::Shape;

/// The cell's name.
pub(super) const UNFINISHED: &str = "$unfinished";

impl Linker {
    /// The cell's text; empty for a whole module.
    pub(super) fn unfinished(&mut self) -> String {
        if self.whole {
            return String::new();
        }
        self.find_whole();
        let names: Vec<&str> = (0..self.slots.len())
            .filter(|id| self.guessed || !self.written[*id])
            .filter_map(|id| {
                let slot = &self.slots[id];
                match &slot.unit().shape {
                    Shape::Wrapped { label, .. } => Some(label.as_str()),
                    _ => slot.component.then(|| slot.unit().name()),
                }
            })
            .collect();
        format!("/*{}*/$c({});", hash([UNFINISHED]), serde_json::to_string(&names).unwrap_or_default())
    }

    /// Finds the units that are over and name nothing that is not. What was found stays so.
    fn find_whole(&mut self) {
        self.written.truncate(self.settled.1);
        self.written.resize(self.slots.len(), false);
        // All that are over, but those that name something open or missing, but those that name one of these, and so on.
        let mut candidates: Vec<Id> = (0..self.settled.1).filter(|id| !self.written[*id]).map(|id| id as Id).collect();
        let mut maybe = vec![false; self.slots.len()];
        candidates.iter().for_each(|id| maybe[*id as usize] = true);
        loop {
            let before = candidates.len();
            candidates.retain(|id| {
                let stays = self.names_only(*id, &maybe);
                maybe[*id as usize] = stays;
                stays
            });
            if candidates.len() == before {
                break;
            }
        }
        candidates.into_iter().for_each(|id| self.written[id as usize] = true);
    }

    /// Whether a unit names nothing of this module but what is written or may be.
    fn names_only(&self, id: Id, maybe: &[bool]) -> bool {
        let slot = &self.slots[id as usize];
        let targets = slot.printed.as_ref().map_or(&[][..], |(key, _)| &key.targets);
        slot.unit().refs.names.keys().zip(targets).all(|(name, target)| match self.owner(name) {
            Some(owner) => self.written[owner as usize] || maybe[owner as usize],
            None => *target != Target::Own,
        })
    }
}
