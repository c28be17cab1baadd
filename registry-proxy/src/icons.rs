//! Icons that a package of icons lacks: the nearest that it has, by the words of the name.
//!
//! Models know the icons of several packages and of several versions of each. Whatever an icon is called, it is only a
//! picture: a near one serves, and where there is none a plain one does.

use std::collections::{BTreeMap, BTreeSet};

/// Packages whose exports are icons, with what their names begin or end with besides the icon's own words.
const PACKAGES: &[(&str, &[&str])] = &[
    ("lucide-react", &["lucide", "icon"]),
    ("@heroicons/react", &["icon"]),
    ("@tabler/icons-react", &["icon", "filled"]),
    ("@radix-ui/react-icons", &["icon"]),
    ("@phosphor-icons/react", &["icon"]),
    ("phosphor-react", &[]),
    ("react-feather", &[]),
    ("iconoir-react", &[]),
    ("react-icons", &[]),
];

/// Plain shapes, first the plainest, that stand for an icon that has no likeness.
const PLAIN: &[&str] =
    &["CircleDashed", "Circle", "IconCircleDashed", "IconCircle", "CircleIcon", "StopIcon", "Square"];

/// Words that mean the same in the names of icons.
const SAME: &[(&str, &str)] = &[
    ("bin", "trash"),
    ("delete", "trash"),
    ("remove", "trash"),
    ("edit", "pencil"),
    ("pen", "pencil"),
    ("magnifying", "search"),
    ("magnifier", "search"),
    ("cog", "settings"),
    ("gear", "settings"),
    ("email", "mail"),
    ("envelope", "mail"),
    ("person", "user"),
    ("people", "users"),
    ("notification", "bell"),
    ("alarm", "bell"),
    ("warning", "alert"),
    ("exclamation", "alert"),
    ("add", "plus"),
    ("close", "x"),
    ("cancel", "x"),
    ("cross", "x"),
    ("tick", "check"),
    ("done", "check"),
    ("photo", "image"),
    ("picture", "image"),
    ("money", "dollar"),
    ("currency", "dollar"),
    ("cart", "shopping"),
    ("location", "pin"),
    ("marker", "pin"),
    ("time", "clock"),
    ("favorite", "heart"),
    ("love", "heart"),
    ("graph", "chart"),
    ("bars", "bar"),
    ("logout", "log"),
    ("login", "log"),
    ("refresh", "refresh"),
    ("reload", "refresh"),
    ("house", "home"),
    ("question", "help"),
    ("sound", "volume"),
    ("speaker", "volume"),
];

/// For each of the names that `names` lacks and that looks like an icon's, the icon to show.
pub(crate) fn stand_ins<'n>(
    package: &str,
    wanted: impl IntoIterator<Item = &'n String>,
    names: &[String],
) -> BTreeMap<String, String> {
    let Some((_, affixes)) = PACKAGES.iter().find(|(name, _)| *name == package) else { return BTreeMap::new() };
    let lacking =
        wanted.into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()) && !names.contains(name));
    lacking.filter_map(|name| Some((name.clone(), nearest(name, names, affixes)?.to_owned()))).collect()
}

fn nearest<'n>(name: &str, names: &'n [String], affixes: &[&str]) -> Option<&'n str> {
    let wanted = words(name, affixes);
    let icons = || names.iter().map(String::as_str).filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    let best = icons()
        .map(|icon| (likeness(&wanted, &words(icon, affixes)), icon))
        .filter(|(score, _)| *score >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.len().cmp(&a.1.len())).then_with(|| b.1.cmp(a.1)));
    let plain = || PLAIN.iter().find_map(|plain| icons().find(|icon| icon == plain));
    best.map(|(_, icon)| icon).or_else(plain).or_else(|| icons().next())
}

/// The words of an icon's name: of `ChartBarIcon`, `bar` and `chart`.
fn words(name: &str, affixes: &[&str]) -> BTreeSet<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in name.chars() {
        if (c.is_uppercase() || c.is_ascii_digit()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    words.push(word);
    let spelled =
        |word: String| SAME.iter().find(|(one, _)| *one == word).map_or(word.clone(), |(_, other)| (*other).to_owned());
    words
        .into_iter()
        .filter(|word| !affixes.contains(&word.as_str()) && !word.chars().all(|c| c.is_ascii_digit()))
        .map(spelled)
        .collect()
}

/// From 0 to 1: how much of the words two names share, a slip of the pen allowed.
fn likeness(wanted: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    if wanted.is_empty() || other.is_empty() {
        return 0.0;
    }
    let shared: f64 = wanted.iter().map(|word| other.iter().map(|other| alike(word, other)).fold(0.0, f64::max)).sum();
    2.0 * shared / (wanted.len() + other.len()) as f64
}

fn alike(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let score = strsim::jaro_winkler(a, b);
    if score > 0.9 && a.len().min(b.len()) > 3 { 0.85 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_icon_stands_in_and_a_plain_one_for_an_invention() {
        let names: Vec<String> = [
            "Home",
            "Trash",
            "Trash2",
            "ChartBar",
            "CircleUser",
            "CircleDashed",
            "Settings",
            "TrendingUp",
            "createLucideIcon",
        ]
        .map(str::to_owned)
        .to_vec();
        let wanted: Vec<String> = [
            "Run",
            "Home",
            "BarChart",
            "UserCircle",
            "Bin",
            "Cog",
            "ArrowTrendingUp",
            "DeleteIcon",
            "useLucide",
            "Trsah",
        ]
        .map(str::to_owned)
        .to_vec();
        let found = stand_ins("lucide-react", &wanted, &names);
        let shown: Vec<(&str, &str)> = found.iter().map(|(name, icon)| (name.as_str(), icon.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("ArrowTrendingUp", "TrendingUp"),
                ("BarChart", "ChartBar"),
                ("Bin", "Trash"),
                ("Cog", "Settings"),
                ("DeleteIcon", "Trash"),
                ("Run", "CircleDashed"),
                ("Trsah", "Trash"),
                ("UserCircle", "CircleUser"),
            ]
        );
        assert!(stand_ins("recharts", &wanted, &names).is_empty());
    }
}
