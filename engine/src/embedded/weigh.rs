//! Log-probabilities of several ways in which a sequence may go on.
//!
//! Ways that begin alike share what they share: a group of them is asked for its next token once, and splits. Knows
//! nothing of the model: it says what is to be read, and takes the logits after it.

use super::sampling;

/// Paths that are being weighed.
pub struct Weighing {
    paths: Vec<Vec<u32>>,
    weights: Vec<f32>,
    groups: Vec<(f32, Vec<usize>)>,
    /// The group that is asked for, and where it splits.
    asked: Option<(f32, Vec<usize>, usize)>,
}

impl Weighing {
    /// Weighs each of `paths` being how a sequence goes on after what they all share. They may branch more than once;
    /// what a path has after it is alone is not weighed. One that ends where another goes on has what the others leave.
    pub fn new(paths: Vec<Vec<u32>>) -> Self {
        let groups = vec![(0.0, (0..paths.len()).collect())];
        Self { weights: vec![0.0; paths.len()], paths, groups, asked: None }
    }

    /// Tokens of the longest path.
    pub fn longest(&self) -> usize {
        self.paths.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The beginning of a path: what is read first is all in it.
    pub fn first(&self) -> &[u32] {
        self.paths.first().map_or(&[], Vec::as_slice)
    }

    /// What is to be read next; nothing when all is weighed.
    pub fn next(&mut self) -> Option<Vec<u32>> {
        while let Some((base, group)) = self.groups.pop() {
            let [first, rest @ ..] = group.as_slice() else { continue };
            let first = &self.paths[*first];
            let shared = rest.iter().map(|i| super::prefix::shared(&self.paths[*i], first));
            let shared = shared.fold(first.len(), usize::min);
            if rest.is_empty() || group.iter().all(|i| self.paths[*i].len() == shared) {
                group.iter().for_each(|i| self.weights[*i] = base);
                continue;
            }
            let read = first[..shared].to_vec();
            self.asked = Some((base, group, shared));
            return Some(read);
        }
        None
    }

    /// Takes the logits after what was read.
    pub fn take(&mut self, logits: &[f32]) {
        let Some((base, group, shared)) = self.asked.take() else { return };
        let log = sampling::log_softmax(logits);
        let next = |i: &usize| self.paths[*i].get(shared).copied();
        let mut tokens: Vec<u32> = group.iter().filter_map(next).collect();
        tokens.sort_unstable();
        tokens.dedup();
        let weight = |token: &u32| log.get(*token as usize).copied().unwrap_or(f32::NEG_INFINITY);
        let taken: f32 = tokens.iter().map(|t| weight(t).exp()).sum();
        let ended: Vec<usize> = group.iter().copied().filter(|i| next(i).is_none()).collect();
        let mut split = vec![(base + (1.0 - taken).max(f32::MIN_POSITIVE).ln(), ended)];
        for token in tokens {
            let members = group.iter().copied().filter(|i| next(i) == Some(token)).collect();
            split.push((base + weight(&token), members));
        }
        self.groups.extend(split);
    }

    /// The weights, once nothing is left to read.
    pub fn weights(&mut self) -> Vec<f32> {
        std::mem::take(&mut self.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_branch_twice_are_weighed_by_both() {
        let mut weighing = Weighing::new(vec![vec![7, 1], vec![7, 2, 3], vec![7, 2, 4], vec![7, 2]]);
        let half = [0.0, 0.0, 0.0, 0.0, 0.0].map(|_: f32| 0.0);
        let mut asked = Vec::new();
        while let Some(read) = weighing.next() {
            asked.push(read);
            weighing.take(&half);
        }
        assert_eq!(asked, [vec![7], vec![7, 2]]);
        let chances: Vec<f32> = weighing.weights().iter().map(|w| w.exp()).collect();
        for (chance, exact) in chances.iter().zip([0.2, 0.04, 0.04, 0.12]) {
            assert!((chance - exact).abs() < 1e-6, "{chances:?}");
        }
    }
}
