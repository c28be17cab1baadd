//! JSON text to our own types, whatever features other crates give `serde_json`.
//!
//! With the feature `arbitrary_precision`, which the bundler's crates turn on for the whole program, `serde_json` hands
//! numbers to `serde` as maps. Flattened fields and tagged enums buffer their input and then see a map where a number was
//! (serde-rs/json#1157). Reading through [`serde_json::Value`] and handing its numbers over as numbers is immune to that.

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde_json::Value;

/// Reads JSON text.
///
/// # Errors
/// It is not JSON, or not of this type.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    from_value(serde_json::from_str(text)?)
}

/// Reads a JSON value.
///
/// # Errors
/// It is not of this type.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    T::deserialize(Plain(value))
}

struct Plain(Value);

impl<'de> IntoDeserializer<'de, serde_json::Error> for Plain {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Plain {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), ..) => visitor.visit_u64(value),
                (_, Some(value), _) => visitor.visit_i64(value),
                (.., Some(value)) => visitor.visit_f64(value),
                _ => Err(Self::Error::custom(format!("the number {number} is out of range"))),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Plain))),
            Value::Object(fields) => {
                visitor.visit_map(MapDeserializer::new(fields.into_iter().map(|(key, value)| (key, Plain(value)))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.into_deserializer()),
            Value::Object(fields) => {
                let map = MapDeserializer::new(fields.into_iter().map(|(key, value)| (key, Plain(value))));
                visitor.visit_enum(MapAccessDeserializer::new(map))
            }
            _ => Err(Self::Error::custom("an enum is a name or an object of one field")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::LoggedEvent;
    use crate::{Event, Frame, Specialist, TextPatch};
    use serde_json::json;

    #[test]
    fn events_round_trip_with_their_numbers() {
        let report = serde_json::from_value(json!({"rev": 1, "frame": 2, "status": "rendered", "ms": 1.5, "width": 3}));
        let action = json!({"id": "8b1c3a52-4a5e-4c3c-9d7e-1f2a3b4c5d6e", "kind": "event", "payload": {"n": 1, "f": 0.5, "x": null}});
        let events = [
            Event::RouteDecided {
                turn: "t".into(),
                specialist: Specialist::L3,
                probabilities: [(Specialist::L3, 0.75)].into(),
                previous: None,
                ms: 12,
            },
            Event::ArtifactFrame {
                artifact: "a".into(),
                rev: 1,
                frame: 2,
                complete: false,
                patch: Frame {
                    text: Some(TextPatch { keep_start: 3, insert: "x".into(), keep_end: 4 }),
                    ..Frame::default()
                },
            },
            Event::ArtifactReport { artifact: "a".into(), report: report.expect("a report") },
            Event::ActionReceived { action: serde_json::from_value(action).expect("an action") },
        ];
        for (at, event) in events.into_iter().enumerate() {
            let logged = LoggedEvent { seq: at as u64 + 1, event };
            let text = serde_json::to_string(&logged).expect("is written");
            assert_eq!(from_str::<LoggedEvent>(&text).expect("is read"), logged, "{text}");
        }
    }
}
