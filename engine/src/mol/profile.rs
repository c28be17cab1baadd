//! A model's profile: what its specialists are for and what they are told, read from files in the published format.
//!
//! A folder holds `lora.md` (a section `## L0` … a specialist: a line `adapter_name:`, `### Description`, and ours,
//! `### Instructions`), `route.md` (ends in the stem that a label completes), `intro.md` and `summary.md`.

use crate::EngineError;
use std::collections::BTreeMap;
use std::path::Path;
use ui4a_types::Specialist;

/// What one specialist is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lora {
    /// Its adapter; empty where the base model answers.
    pub adapter: String,
    /// What it is for, as the router reads it.
    pub description: String,
    /// What it is told; empty: only the introduction.
    pub instructions: String,
}

/// A Mixture-of-LoRA model as its profile folder describes it, with all places but the model's name filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The public name of the model.
    pub name: String,
    /// The specialists.
    pub loras: BTreeMap<Specialist, Lora>,
    /// What the router is told, before the stem.
    pub route: String,
    /// What an answer of the router begins with: a label follows.
    pub stem: String,
    /// Who the model is; the end of the system message of every answer.
    pub intro: String,
    /// How to summarise a conversation.
    pub summary: String,
}

const BASE: &str = "the base model";

impl Profile {
    /// The profile that comes with the program; the base model answers for all four.
    pub fn builtin() -> Self {
        let read = |name: &str| {
            Ok(match name {
                "lora.md" => include_str!("../../profiles/ui4a/lora.md"),
                "route.md" => include_str!("../../profiles/ui4a/route.md"),
                "intro.md" => include_str!("../../profiles/ui4a/intro.md"),
                _ => include_str!("../../profiles/ui4a/summary.md"),
            }
            .to_owned())
        };
        // The files are part of the program, and a test reads them.
        Self::build("ui4a", BASE, read).unwrap_or_else(|error| unreachable!("the built-in profile: {error}"))
    }

    /// Reads the profile in `folder`, whose name is the model's public name. A specialist without instructions gets the
    /// built-in ones.
    ///
    /// # Errors
    /// [`EngineError::Io`] for a file that is missing, [`EngineError::Profile`] for one that is not in the format.
    pub fn read(folder: &Path, base_model: &str) -> Result<Self, EngineError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut profile = Self::build(&name, base_model, |file| {
            let path = folder.join(file);
            std::fs::read_to_string(&path).map_err(|error| EngineError::io(path, error))
        })?;
        let builtin = Self::builtin();
        for (specialist, lora) in &mut profile.loras {
            if lora.instructions.is_empty() {
                lora.instructions = builtin.instructions(*specialist).to_owned();
            }
        }
        Ok(profile)
    }

    fn build(
        name: &str,
        base_model: &str,
        read: impl Fn(&str) -> Result<String, EngineError>,
    ) -> Result<Self, EngineError> {
        let fill = |text: String| text.replace("{{MODEL_NAME}}", name).replace("{{BASE_MODEL}}", base_model);
        let loras = loras(&fill(read("lora.md")?))?;
        let described: Vec<String> =
            loras.iter().map(|(which, lora)| format!("{}: {}", which.label(), lora.description)).collect();
        let labels: Vec<&str> = loras.keys().map(|specialist| specialist.label()).collect();
        let route = fill(read("route.md")?)
            .replace("{{LORA_DESCRIPTIONS}}", &described.join("\n"))
            .replace("{{ROUTE_LABELS}}", &labels.join(", "));
        let route = route.trim_end();
        let stem_at = route.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (route, stem) = route.split_at(stem_at);
        if !stem.ends_with('=') {
            return Err(bad("route.md", "it does not end in a stem such as `model_id=`"));
        }
        Ok(Self {
            name: name.to_owned(),
            loras,
            route: route.trim().to_owned(),
            stem: stem.to_owned(),
            intro: fill(read("intro.md")?).trim().to_owned(),
            summary: fill(read("summary.md")?).trim().to_owned(),
        })
    }

    /// What `specialist` is told, without the introduction.
    pub fn instructions(&self, specialist: Specialist) -> &str {
        self.loras.get(&specialist).map_or("", |lora| lora.instructions.as_str())
    }

    /// The system message of an answer: what never changes, so that its KV is used again.
    pub fn system(&self, specialist: Specialist) -> String {
        format!("{}\n\n{}", self.instructions(specialist), self.intro).trim().to_owned()
    }
}

fn bad(file: &str, reason: &str) -> EngineError {
    EngineError::Profile { file: file.to_owned(), reason: reason.to_owned() }
}

/// The sections of `lora.md`. Headings inside code fences are text.
fn loras(text: &str) -> Result<BTreeMap<Specialist, Lora>, EngineError> {
    let mut loras = BTreeMap::new();
    let mut current: Option<(Specialist, Lora)> = None;
    let mut part = String::new();
    let mut fence: Option<usize> = None;
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open && line.trim_matches('`').trim().is_empty() => fence = None,
            _ => {}
        }
        if fence.is_none() {
            if let Some(heading) = line.strip_prefix("## ") {
                loras.extend(current.take());
                let label = heading.trim();
                current = Specialist::ALL
                    .into_iter()
                    .find(|specialist| specialist.label() == label)
                    .map(|specialist| (specialist, Lora::default()));
                part.clear();
                continue;
            }
            if let Some(heading) = line.strip_prefix("### ") {
                part = heading.trim().to_lowercase();
                continue;
            }
        }
        let Some((_, lora)) = &mut current else { continue };
        match part.as_str() {
            "" => {
                if let Some(name) = line.trim().strip_prefix("adapter_name:") {
                    name.trim().clone_into(&mut lora.adapter);
                }
            }
            "description" => push_line(&mut lora.description, line),
            "instructions" => push_line(&mut lora.instructions, line),
            _ => {}
        }
    }
    loras.extend(current);
    for lora in loras.values_mut() {
        lora.description = lora.description.trim().to_owned();
        lora.instructions = lora.instructions.trim().to_owned();
    }
    if let Some(missing) = Specialist::ALL.iter().find(|specialist| !loras.contains_key(specialist)) {
        return Err(bad("lora.md", &format!("it has no section `## {}`", missing.label())));
    }
    Ok(loras)
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_profile_describes_four_specialists() {
        let profile = Profile::builtin();
        assert_eq!(profile.stem, "model_id=");
        for specialist in Specialist::ALL {
            assert!(!profile.loras[&specialist].description.is_empty(), "{}", specialist.label());
            assert!(profile.route.contains(&profile.loras[&specialist].description));
        }
        assert!(profile.route.contains("L0, L1, L2, L3"));
        assert!(!profile.route.contains("{{") && !profile.intro.contains("{{"));
    }

    #[test]
    fn headings_in_an_example_do_not_end_the_instructions() {
        let text = "## L0\n### Description\na\n## L1\n### Description\nb\n## L2\n### Description\nc\n## L3\n\
                    adapter_name: ui\n### Description\nd\n\n### Instructions\nx\n````md\n## L0\n```\n### y\n````\nz\n";
        let loras = loras(text).expect("four sections");
        assert_eq!(loras[&Specialist::L3].adapter, "ui");
        assert_eq!(loras[&Specialist::L3].instructions, "x\n````md\n## L0\n```\n### y\n````\nz");
        assert_eq!(loras[&Specialist::L0].description, "a");
    }

    #[test]
    fn a_profile_without_a_specialist_says_which() {
        let error = loras("## L0\n## L1\n## L2\n").expect_err("L3 is missing");
        assert!(error.to_string().contains("## L3"), "{error}");
    }
}
