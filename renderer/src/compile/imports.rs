//! The import table of a module: what each imported name means, with misplaced imports put right.

use super::lint::Finding;
use super::names::Target;
use super::surface::{Binding, Import};
use crate::kit_names::{KitNames, REACT};
use std::collections::{BTreeMap, HashMap, HashSet};
use swc_atoms::Atom;
use ui4a_types::{ImportUse, Phase, Severity};

/// What is taken from one specifier.
struct Taken {
    /// The specifier's offset.
    at: u32,
    /// Names, and the offsets where they are imported.
    names: Vec<(String, u32)>,
}

impl Taken {
    fn at(at: u32) -> Self {
        Self { at, names: Vec::new() }
    }

    fn add(&mut self, name: &str, at: u32) {
        if !self.names.iter().any(|(known, _)| known == name) {
            self.names.push((name.to_owned(), at));
        }
    }
}

/// Where icons come from.
const ICONS: &str = "lucide-react";

/// Imported names of a module.
#[derive(Default)]
pub(crate) struct Imports {
    /// Meaning of each local name.
    pub bindings: HashMap<Atom, Target>,
    /// The local names met so far.
    places: HashSet<Atom>,
    /// What is taken from each specifier.
    uses: BTreeMap<String, Taken>,
    /// What is wrong with them; offsets in the text.
    pub findings: Vec<Finding>,
    /// The statements that stand for what was supplied.
    pub supplied: Vec<String>,
}

impl Imports {
    /// Adds one import statement that starts at `start`. Names that are not `used` are taken for types and dropped, the way
    /// TypeScript does; `keep` keeps the specifier all the same, so that it can be fetched while the rest is written.
    pub fn add(&mut self, import: &Import, start: u32, kit: &KitNames, used: &dyn Fn(&Atom) -> bool, keep: bool) {
        if import.type_only {
            return;
        }
        let at = (start + import.at.0, start + import.at.1);
        let mut place = Place { kit, specifier: &import.specifier, statement: at, findings: &mut self.findings };
        if import.bindings.is_empty() {
            self.uses.entry(import.specifier.to_string()).or_insert_with(|| Taken::at(at.0));
            return;
        }
        for binding in &import.bindings {
            let here = (start + binding.at.0, start + binding.at.1);
            if !binding.local.is_empty() && !self.places.insert(binding.local.clone()) {
                place.findings.push(duplicate(&binding.local, here));
                continue;
            }
            let is_used = binding.local.is_empty() || used(&binding.local);
            if !is_used && !keep {
                continue;
            }
            let (specifier, name) = place.resolve(binding, here, is_used);
            let taken = self.uses.entry(specifier.to_string()).or_insert_with(|| Taken::at(at.0));
            // While the module is written, what is imported will be used: asking for it early saves asking again.
            taken.add(&name, here.0);
            if !binding.local.is_empty() {
                self.bindings.insert(binding.local.clone(), Target::Import { specifier, name });
            }
        }
    }

    /// Supplies a name that the module uses and nothing declares.
    pub fn supply(&mut self, local: &Atom, specifier: &str, name: &str, at: (u32, u32)) -> Target {
        let target = Target::Import { specifier: specifier.into(), name: name.into() };
        self.bindings.insert(local.clone(), target.clone());
        self.uses.entry(specifier.to_owned()).or_insert_with(|| Taken::at(at.0)).add(name, at.0);
        let written = if name == "*" { format!("* as {local}") } else { format!("{{ {local} }}") };
        let statement = format!("import {written} from \"{specifier}\";");
        self.supplied.push(statement.clone());
        self.findings.push(
            Finding::new(
                "import-added",
                Severity::Hint,
                Phase::Import,
                format!("{local} was not imported; it is taken from {specifier}"),
                at,
            )
            .help(statement),
        );
        target
    }

    /// A specifier of a dynamic import.
    pub fn dynamic(&mut self, specifier: &str, at: u32) {
        self.uses.entry(specifier.to_owned()).or_insert_with(|| Taken::at(at)).add("*", at);
    }

    /// What the module takes, with positions by `position`.
    pub fn uses(&self, position: impl Fn(u32) -> (u32, u32)) -> BTreeMap<String, ImportUse> {
        self.uses
            .iter()
            .map(|(specifier, taken)| {
                let (line, column) = position(taken.at);
                let places = taken.names.iter().map(|(name, at)| (name.clone(), position(*at))).collect();
                let names = taken.names.iter().map(|(name, _)| name.clone()).collect();
                (specifier.clone(), ImportUse { names, line, column, places })
            })
            .collect()
    }
}

fn duplicate(name: &Atom, at: (u32, u32)) -> Finding {
    Finding::new(
        "duplicate-import",
        Severity::Warning,
        Phase::Import,
        format!("{name} is imported twice; the first import counts"),
        at,
    )
    .help("Remove this import")
}

/// Puts one imported name in its place.
struct Place<'a> {
    kit: &'a KitNames,
    specifier: &'a Atom,
    statement: (u32, u32),
    findings: &'a mut Vec<Finding>,
}

impl Place<'_> {
    fn resolve(&mut self, binding: &Binding, at: (u32, u32), report: bool) -> (Atom, Atom) {
        let imported = binding.imported.as_str();
        let asked = if imported == "default" { binding.local.as_str() } else { imported };
        let known: Option<Vec<&str>> = match self.specifier.as_str() {
            "react" => Some(REACT.to_vec()),
            specifier => self.kit.exports(specifier).map(|names| names.iter().map(String::as_str).collect()),
        };
        let is_react = self.specifier == "react";
        if let Some(known) = known {
            if imported == "*" || known.contains(&imported) || (is_react && imported == "default") {
                return self.as_written(binding);
            }
            if imported == "default" && known.contains(&asked) {
                return (self.specifier.clone(), asked.into());
            }
            if let Some(found) = self.elsewhere(asked) {
                return self.redirect(&found, asked, at, report);
            }
            if is_react {
                // React exports more than models use; whether it has this one is the registry's to say.
                return self.as_written(binding);
            }
            if report {
                self.unknown_export(asked, &known, at);
            }
            return self.as_written(binding);
        }
        if !self.is_ours_or_relative() {
            return self.as_written(binding);
        }
        if imported == "*" {
            if let (false, Some(first)) = (self.is_relative(), self.kit.specifiers().next().map(str::to_owned)) {
                return self.redirect(&first, "*", at, report);
            }
        } else if let Some(found) = self.elsewhere(asked) {
            return self.redirect(&found, asked, at, report);
        }
        if imported != "*" && asked.starts_with(char::is_uppercase) && self.is_about_icons() {
            return self.redirect(ICONS, asked, at, report);
        }
        if report {
            self.no_module(asked, at);
        }
        self.as_written(binding)
    }

    /// `@ui4a/ui/icons`, `./icons`, `@/components/icons/trash`: modules of icons that there are not.
    fn is_about_icons(&self) -> bool {
        let lower = self.specifier.to_ascii_lowercase();
        lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "icon" | "icons" | "lucide"))
    }

    fn as_written(&self, binding: &Binding) -> (Atom, Atom) {
        (self.specifier.clone(), binding.imported.clone())
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        self.kit.find(name).map(str::to_owned).or_else(|| REACT.contains(&name).then(|| "react".to_owned()))
    }

    fn is_relative(&self) -> bool {
        self.specifier.starts_with('.') || self.specifier.starts_with('/') || self.specifier.starts_with("~/")
    }

    fn is_ours_or_relative(&self) -> bool {
        let bare = self.specifier.trim_start_matches(['@', '$']).to_ascii_lowercase();
        self.is_relative()
            || self.specifier.starts_with("@/")
            || bare == "ui4a"
            || bare.starts_with("ui4a/")
            || bare.starts_with("ui4a-")
            || bare == "shadcn"
            || bare.starts_with("shadcn/")
            || bare.starts_with("shadcn-ui")
            || bare == "macaron"
            || bare.starts_with("macaron/")
    }

    fn redirect(&mut self, specifier: &str, name: &str, at: (u32, u32), report: bool) -> (Atom, Atom) {
        // The shadcn paths and the older dialect are ways of writing the kit, not mistakes.
        let is_alias = ["@/", "$macaron/"].iter().any(|start| self.specifier.starts_with(start));
        if report && !is_alias {
            self.findings.push(
                Finding::new(
                    "import-redirected",
                    Severity::Warning,
                    Phase::Import,
                    format!("“{}” has no {name}; it is taken from {specifier}", self.specifier),
                    at,
                )
                .help(format!("import {{ {name} }} from \"{specifier}\";")),
            );
        }
        (specifier.into(), name.into())
    }

    fn unknown_export(&mut self, name: &str, known: &[&str], at: (u32, u32)) {
        let finding = Finding::new(
            "unknown-export",
            Severity::Error,
            Phase::Import,
            format!("“{}” does not export {name}", self.specifier),
            at,
        );
        let near = nearest(name, known.iter().copied());
        self.findings.push(if near.is_empty() {
            finding.help("A stand-in is shown in its place")
        } else {
            finding.help(format!("Nearest: {}", near.join(", ")))
        });
    }

    fn no_module(&mut self, name: &str, at: (u32, u32)) {
        let (code, message, help) = if self.is_relative() || self.specifier.starts_with("@/") {
            (
                "relative-import",
                format!("There is no file “{}”: the artifact is this one module", self.specifier),
                format!("Write {name} in this module"),
            )
        } else {
            let specifiers: Vec<&str> = self.kit.specifiers().collect();
            let near = nearest(self.specifier, specifiers.iter().copied());
            let near = if near.is_empty() { specifiers.join(", ") } else { near.join(", ") };
            ("unknown-module", format!("There is no module “{}”", self.specifier), format!("There are: {near}"))
        };
        let at = if code == "relative-import" { self.statement } else { at };
        self.findings.push(Finding::new(code, Severity::Error, Phase::Import, message, at).help(help));
    }
}

/// Up to three of `names` that look most like `name`.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let lower = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(score, candidate)| *score > 0.8 && *candidate != name)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}
