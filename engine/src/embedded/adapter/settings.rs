//! `adapter_config.json`: which of its fields are honoured, which change nothing, and which are refused.

use serde_json::{Map, Value};

/// A rank beyond this is a mistake: it would be a second model.
const MOST_RANK: u64 = 1024;

/// Fields that say nothing about an answer: how it was trained, where it came from, and which modules the tensors,
/// which are looked at themselves, stand for.
const SILENT: [&str; 21] = [
    "auto_mapping",
    "base_model_name_or_path",
    "bias",
    "corda_config",
    "eva_config",
    "exclude_modules",
    "inference_mode",
    "init_lora_weights",
    "layers_pattern",
    "layers_to_transform",
    "loftq_config",
    "lora_alpha",
    "lora_dropout",
    "peft_type",
    "peft_version",
    "r",
    "revision",
    "runtime_config",
    "target_modules",
    "task_type",
    "use_rslora",
];
/// Ways of beginning that also change the base: without its own base such an adapter is wrong.
const CHANGES_BASE: [&str; 4] = ["pissa", "olora", "corda", "loftq"];

/// What an adapter asks for.
pub struct Settings {
    /// Its rank.
    pub rank: usize,
    /// What `B · A` is multiplied by.
    pub scale: f32,
}

impl Settings {
    /// Reads `text`.
    ///
    /// # Errors
    /// In words: it is no such file, or wants what is not done here.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let fields: Map<String, Value> =
            serde_json::from_slice(text).map_err(|e| format!("adapter_config.json is not a JSON object: {e}"))?;
        let kind = fields.get("peft_type").and_then(Value::as_str).unwrap_or("missing");
        if kind != "LORA" {
            return Err(format!("its `peft_type` is {kind}, and LORA is what runs here"));
        }
        if let Some(bias) = fields.get("bias").and_then(Value::as_str).filter(|bias| *bias != "none") {
            return Err(format!("its `bias` is `{bias}`, and only `none` is honoured"));
        }
        let begun = fields.get("init_lora_weights").and_then(Value::as_str).unwrap_or_default();
        if CHANGES_BASE.iter().any(|way| begun.to_ascii_lowercase().starts_with(way)) {
            return Err(format!("its `init_lora_weights` is `{begun}`, which changes the base model too"));
        }
        // Whatever else is set would change an answer, or might.
        let off = |value: &Value| match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(all) => all.is_empty(),
            Value::Object(all) => all.is_empty(),
            _ => false,
        };
        let unknown =
            fields.iter().find(|(name, value)| !SILENT.contains(&name.as_str()) && !off(value) && !fits(name, value));
        if let Some((name, value)) = unknown {
            let shown: String = value.to_string().chars().take(60).collect();
            return Err(format!("its `{name}` is {shown}, which is not honoured here"));
        }
        let rank = fields.get("r").and_then(Value::as_u64).filter(|r| (1..=MOST_RANK).contains(r));
        let rank = rank.ok_or_else(|| format!("its `r` is not a whole number from 1 to {MOST_RANK}"))?;
        let alpha = fields.get("lora_alpha").and_then(Value::as_f64).filter(|alpha| alpha.is_finite());
        let alpha = alpha.ok_or("its `lora_alpha` is not a number")?;
        let root = fields.get("use_rslora").and_then(Value::as_bool).unwrap_or(false);
        let divisor = if root { (rank as f64).sqrt() } else { rank as f64 };
        Ok(Self { rank: rank as usize, scale: (alpha / divisor) as f32 })
    }
}

/// A field whose value only means something where its feature is on.
fn fits(name: &str, value: &Value) -> bool {
    matches!(name, "qalora_group_size" | "megatron_core") && (value.is_number() || value.is_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(more: &str) -> String {
        let text = format!(r#"{{"peft_type": "LORA", "r": 8, "lora_alpha": 16{more}}}"#);
        Settings::read(text.as_bytes()).err().unwrap_or_default()
    }

    #[test]
    fn the_scale_is_alpha_by_r_or_by_its_root() {
        let scale = |rs: bool| {
            let text = format!(r#"{{"peft_type": "LORA", "r": 16, "lora_alpha": 32, "use_rslora": {rs}}}"#);
            Settings::read(text.as_bytes()).expect("it is read").scale
        };
        assert_eq!((scale(false), scale(true)), (2.0, 8.0));
    }

    #[test]
    fn what_cannot_be_honoured_is_refused_by_name() {
        assert_eq!(refusal(r#", "target_modules": ["q_proj"], "use_dora": false, "modules_to_save": null"#), "");
        for (field, name) in [
            (r#", "use_dora": true"#, "use_dora"),
            (r#", "bias": "all""#, "bias"),
            (r#", "modules_to_save": ["lm_head"]"#, "modules_to_save"),
            (r#", "rank_pattern": {"q_proj": 4}"#, "rank_pattern"),
            (r#", "alpha_pattern": {"q_proj": 4}"#, "alpha_pattern"),
            (r#", "fan_in_fan_out": true"#, "fan_in_fan_out"),
            (r#", "init_lora_weights": "pissa_niter_16""#, "init_lora_weights"),
            (r#", "trainable_token_indices": [1]"#, "trainable_token_indices"),
            (r#", "something_new": 3"#, "something_new"),
        ] {
            assert!(refusal(field).contains(name), "{field}: {}", refusal(field));
        }
        assert!(Settings::read(br#"{"peft_type": "IA3"}"#).err().is_some_and(|e| e.contains("IA3")));
        assert!(
            Settings::read(br#"{"peft_type": "LORA", "r": 0, "lora_alpha": 1}"#)
                .err()
                .is_some_and(|e| e.contains("`r`"))
        );
        assert!(Settings::read(b"[]").is_err());
    }
}
