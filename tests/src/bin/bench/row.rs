//! One line of the table: a figure, what it is held to, and whether it holds. Knows nothing of how it was measured.

use serde_json::json;

/// A measured figure. Smaller is better.
pub struct Row {
    /// `family/what`.
    pub name: String,
    /// What is counted: `ms`, `µs`, `bytes`, `times`.
    pub unit: &'static str,
    /// Our median.
    pub ours: f64,
    /// What it is held to.
    pub held: Held,
}

/// What a figure is held to.
pub enum Held {
    /// At most this much.
    Limit(f64),
    /// At most the peer's median divided by `times`.
    Peer {
        /// Whose figure it is.
        name: String,
        /// Its median.
        figure: f64,
        /// How many times less ours has to be.
        times: f64,
    },
}

impl Row {
    /// A figure with a limit.
    pub fn limit(name: impl Into<String>, unit: &'static str, ours: f64, limit: f64) -> Self {
        Self { name: name.into(), unit, ours, held: Held::Limit(limit) }
    }

    /// A figure beside a peer's, which must be at least `times` as much.
    pub fn peer(name: impl Into<String>, unit: &'static str, ours: f64, peer: (&str, f64), times: f64) -> Self {
        let held = Held::Peer { name: peer.0.to_owned(), figure: peer.1, times };
        Self { name: name.into(), unit, ours, held }
    }

    /// Whether the figure is as good as it has to be.
    pub fn holds(&self) -> bool {
        match &self.held {
            Held::Limit(limit) => self.ours <= *limit,
            Held::Peer { figure, times, .. } => self.ours * times <= *figure,
        }
    }

    /// Whether `want`, a family or the beginning of a row's name, asks for it.
    pub fn is_asked(&self, want: &str) -> bool {
        self.name == want
            || self.name.strip_prefix(want).is_some_and(|rest| want.contains('/') || rest.starts_with('/'))
    }

    /// Prints it on a line of its own.
    pub fn print(&self, json: bool) {
        let verdict = if self.holds() { "pass" } else { "FAIL" };
        let (other, ratio, need) = match &self.held {
            Held::Limit(limit) => (*limit, self.ours / limit, "limit".to_owned()),
            Held::Peer { name, figure, times } => (*figure, figure / self.ours, format!("{name}, {times} times less")),
        };
        if json {
            let (kind, peer, times) = match &self.held {
                Held::Limit(_) => ("limit", None, None),
                Held::Peer { name, times, .. } => ("peer", Some(name), Some(times)),
            };
            let row = json!({
                "row": self.name, "unit": self.unit, "ours": self.ours, kind: other, "name": peer, "times": times,
                "ratio": ratio, "pass": self.holds(),
            });
            println!("{row}");
        } else {
            let (ours, other) = (figure(self.ours), figure(other));
            println!("{:<34} {ours:>12} {other:>12} {:<6} {ratio:>8.2}  {verdict}  {need}", self.name, self.unit);
        }
    }
}

/// The table's head.
pub fn print_head() {
    println!("{:<34} {:>12} {:>12} {:<6} {:>8}", "row", "ours", "held to", "unit", "ratio");
}

fn figure(value: f64) -> String {
    if value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// The median; of nothing, zero.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The value that a share of the values does not exceed.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).copied().unwrap_or(0.0)
}
