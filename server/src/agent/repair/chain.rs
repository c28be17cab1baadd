//! One artifact being mended, from the revision that a person or an action asked for to the last attempt.
//!
//! Decides when there is another round and why there is none. Knows nothing of sessions, models or the log.

use crate::agent::finding::Failure;
use std::collections::BTreeSet;
use ui4a_types::RepairOutcome;

/// Most rounds of a chain.
pub const MOST_ROUNDS: u32 = 2;

/// What is known of an artifact while it may be mended.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The artifact.
    pub artifact: String,
    /// Its newest revision: what reports are about.
    pub rev: u32,
    /// Rounds begun.
    pub rounds: u32,
    /// Tokens that all rounds read and wrote.
    pub tokens: u64,
    /// What was last found to be wrong, for the person; empty while nothing was.
    pub reason: String,
    /// A round about `rev` waits or runs.
    pub asked: bool,
    /// The outcome was told, and nothing failed since.
    pub told: bool,
    failures: Vec<BTreeSet<String>>,
    sources: Vec<String>,
}

impl Chain {
    /// A chain that begins with a revision.
    pub fn new(artifact: &str, rev: u32, source: &str) -> Self {
        Self {
            artifact: artifact.to_owned(),
            rev,
            rounds: 0,
            tokens: 0,
            reason: String::new(),
            asked: false,
            told: false,
            failures: Vec::new(),
            sources: vec![plain(source)],
        }
    }

    /// Takes the answer of a round.
    ///
    /// # Errors
    /// It is a source that failed before.
    pub fn advance(&mut self, rev: u32, source: &str) -> Result<(), RepairOutcome> {
        self.rev = rev;
        self.asked = false;
        let source = plain(source);
        if self.sources.contains(&source) {
            return Err(RepairOutcome::SameSource);
        }
        self.sources.push(source);
        Ok(())
    }

    /// Takes a failure of the newest revision and answers which round is to mend it.
    ///
    /// # Errors
    /// Why there is no further round.
    pub fn judge(&mut self, failure: &Failure, budget: u64) -> Result<u32, RepairOutcome> {
        self.reason.clone_from(&failure.reason);
        self.told = false;
        // Some of the faults gone is progress; all of them still there is none.
        if self.failures.iter().any(|before| before.is_subset(&failure.keys)) {
            return Err(RepairOutcome::SameError);
        }
        if self.rounds >= MOST_ROUNDS {
            return Err(RepairOutcome::RoundsUsed);
        }
        if self.tokens >= budget {
            return Err(RepairOutcome::BudgetUsed);
        }
        self.failures.push(failure.keys.clone());
        self.rounds += 1;
        self.asked = true;
        Ok(self.rounds)
    }
}

/// A source without what does not change what it does.
fn plain(source: &str) -> String {
    source.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(keys: &[&str]) -> Failure {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        Failure { reason: "it fails".into(), evidence: String::new(), faults: Vec::new(), keys }
    }

    #[test]
    fn two_rounds_and_no_third() {
        let mut chain = Chain::new("a", 1, "one");
        assert_eq!(chain.judge(&failure(&["x"]), 100), Ok(1));
        chain.advance(2, "two").expect("another source");
        assert_eq!(chain.judge(&failure(&["y"]), 100), Ok(2));
        chain.advance(3, "three").expect("another source");
        assert_eq!(chain.judge(&failure(&["z"]), 100), Err(RepairOutcome::RoundsUsed));
    }

    #[test]
    fn the_same_faults_end_it_and_fewer_do_not() {
        let mut chain = Chain::new("a", 1, "one");
        assert_eq!(chain.judge(&failure(&["x", "y"]), 100), Ok(1));
        let mut other = chain.clone();
        assert_eq!(chain.judge(&failure(&["y"]), 100), Ok(2), "one of two was mended");
        assert_eq!(other.judge(&failure(&["x", "y", "z"]), 100), Err(RepairOutcome::SameError));
    }

    #[test]
    fn a_source_that_failed_is_known_again_whatever_its_white_space() {
        let mut chain = Chain::new("a", 1, "return  <p/>;\n");
        assert_eq!(chain.judge(&failure(&["x"]), 100), Ok(1));
        assert_eq!(chain.advance(2, "return <p/>;"), Err(RepairOutcome::SameSource));
    }

    #[test]
    fn a_used_budget_ends_it() {
        let mut chain = Chain::new("a", 1, "one");
        assert_eq!(chain.judge(&failure(&["x"]), 100), Ok(1));
        chain.tokens = 100;
        chain.advance(2, "two").expect("another source");
        assert_eq!(chain.judge(&failure(&["y"]), 100), Err(RepairOutcome::BudgetUsed));
    }
}
