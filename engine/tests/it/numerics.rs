//! The embedded engine computes what torch, transformers and peft compute, on tiny random models of each family.
//!
//! `tests/fixtures/engine/make_tiny.py` made the files and says how.

use crate::tiny::{self, FAMILIES};
use ui4a_engine::embedded::{Adapter, Model};

/// How far F32 logits may be from the reference, relative to their own size.
const EXACT: f32 = 2e-3;
/// The same where activations are rounded to eight bits, 32 of them at a time, as ggml does for quantised weights: the
/// reference multiplies the same rounded weights exactly.
const ROUNDED: f32 = 5e-2;

/// The root of the squared difference by that of the squares.
fn distance(ours: &[Vec<f32>], theirs: &[Vec<f32>]) -> f32 {
    assert_eq!(ours.len(), theirs.len(), "tokens");
    let (mut apart, mut size) = (0.0, 0.0);
    for (a, b) in ours.iter().flatten().zip(theirs.iter().flatten()) {
        apart += (a - b) * (a - b);
        size += b * b;
    }
    (apart / size).sqrt()
}

fn logits(model: &Model, ids: &[u32], adapter: Option<&Adapter>) -> Vec<Vec<f32>> {
    model.logits(&[(ids, adapter)]).expect("it computes")
}

#[test]
fn three_families_agree_with_torch_plain_and_with_adapters() {
    let expected = tiny::expected();
    for family in FAMILIES {
        let said = &expected.models[family];
        let model = tiny::model(&format!("{family}.gguf"));
        let one = model.adapter(&tiny::path(&format!("{family}-one"))).expect("the adapter is read");
        let two = model.adapter(&tiny::path(&format!("{family}-two"))).expect("the adapter is read");
        for (name, adapter) in [("base", None), ("one", Some(&one)), ("two", Some(&two))] {
            let ours = logits(&model, &expected.ids, adapter);
            assert_eq!(ours[0].len(), expected.vocabulary);
            let apart = distance(&ours, &said[name]);
            println!("{family} {name}: {apart:.2e}");
            assert!(apart <= EXACT, "{family} {name} is {apart:.2e} from the reference");
        }
        assert!(distance(&said["one"], &said["base"]) > 0.1, "the adapter matters");
        assert!(distance(&said["two"], &said["one"]) > 0.1, "and so does which");
    }
}

#[test]
fn quantised_models_agree_within_what_rounding_does() {
    let expected = tiny::expected();
    for family in FAMILIES {
        for kind in ["q8_0", "q4_0"] {
            let model = tiny::model(&format!("{family}-{kind}.gguf"));
            let one = model.adapter(&tiny::path(&format!("{family}-one"))).expect("the adapter is read");
            for (name, adapter) in [(kind.to_owned(), None), (format!("{kind}-one"), Some(&one))] {
                let apart = distance(&logits(&model, &expected.ids, adapter), &expected.models[family][&name]);
                println!("{family} {name}: {apart:.2e}");
                assert!(apart <= ROUNDED, "{family} {name} is {apart:.2e} from the reference");
            }
        }
    }
}

#[test]
fn an_adapter_beside_the_weights_is_the_same_as_one_merged_into_them() {
    let expected = tiny::expected();
    for family in FAMILIES {
        let model = tiny::model(&format!("{family}.gguf"));
        let one = model.adapter(&tiny::path(&format!("{family}-one"))).expect("the adapter is read");
        let beside = logits(&model, &expected.ids, Some(&one));
        let merged = logits(&tiny::model(&format!("{family}-merged.gguf")), &expected.ids, None);
        let apart = distance(&beside, &merged);
        assert!(apart <= EXACT, "{family}: {apart:.2e}");
    }
}

#[test]
fn rows_of_a_batch_with_different_adapters_equal_single_runs() {
    let expected = tiny::expected();
    for family in FAMILIES {
        for file in [format!("{family}.gguf"), format!("{family}-q8_0.gguf")] {
            let model = tiny::model(&file);
            let one = model.adapter(&tiny::path(&format!("{family}-one"))).expect("the adapter is read");
            let two = model.adapter(&tiny::path(&format!("{family}-two"))).expect("the adapter is read");
            let ids = &expected.ids;
            let rows: [(&[u32], Option<&Adapter>); 5] = [
                (&ids[..1], Some(&two)),
                (&ids[..], None),
                (&ids[3..9], Some(&one)),
                (&ids[5..6], None),
                (ids, Some(&two)),
            ];
            let together = model.logits(&rows).expect("it computes");
            let alone: Vec<_> = rows.iter().flat_map(|(ids, adapter)| logits(&model, ids, *adapter)).collect();
            let apart = distance(&together, &alone);
            assert!(apart <= 1e-5, "{file}: {apart:.2e}");
        }
    }
}

#[test]
fn an_adapter_that_cannot_be_honoured_is_refused_by_name() {
    let model = tiny::model("qwen3.gguf");
    let said = |change: &dyn Fn(&std::path::Path)| {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["adapter_config.json", "adapter_model.safetensors"] {
            std::fs::copy(tiny::path("qwen3-one").join(file), folder.path().join(file)).expect("it is copied");
        }
        change(folder.path());
        model.adapter(folder.path()).err().expect("it is refused").to_string()
    };
    let settings = |from: &'static str, to: &'static str| {
        move |folder: &std::path::Path| {
            let path = folder.join("adapter_config.json");
            let text = std::fs::read_to_string(&path).expect("it is read").replace(from, to);
            std::fs::write(path, text).expect("it is written");
        }
    };
    let dora = said(&settings("\"use_dora\": false", "\"use_dora\": true"));
    assert!(dora.contains("use_dora") && dora.contains("Choose an adapter"), "{dora}");
    assert!(said(&settings("\"r\": 8", "\"r\": 4")).contains("lora_"), "its tensors have another rank");
    let cut = said(&|folder| {
        let path = folder.join("adapter_model.safetensors");
        let bytes = std::fs::read(&path).expect("it is read");
        std::fs::write(path, &bytes[..bytes.len() / 2]).expect("it is written");
    });
    assert!(cut.contains("adapter_model.safetensors"), "{cut}");
    let other = model.adapter(&tiny::path("llama-one")).err().expect("another shape").to_string();
    assert!(other.contains("this model needs"), "{other}");
    let missing = model.adapter(&tiny::path("none")).err().expect("no folder").to_string();
    assert!(missing.contains("none"), "{missing}");
}
