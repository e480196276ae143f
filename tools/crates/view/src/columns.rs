// SPDX-License-Identifier: Apache-2.0
//! Columns of the view model: numbers as base64 of their little-endian bytes.

use base64::prelude::{Engine, BASE64_STANDARD};
use serde::ser::{Serialize, SerializeStruct, Serializer};

pub trait Number: Copy {
    const TYPE: &'static str;
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! number {
    ($($type:ident),*) => {$(
        impl Number for $type {
            const TYPE: &'static str = stringify!($type);
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

number!(u8, u16, u32, f32, f64);

#[derive(Clone, Default)]
pub struct Column<T>(pub Vec<T>);

impl<T> Column<T> {
    pub fn push(&mut self, value: T) {
        self.0.push(value);
    }
}

impl<T: Number> Serialize for Column<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(self.0.len() * size_of::<T>());
        for &value in &self.0 {
            value.put(&mut bytes);
        }
        let mut column = serializer.serialize_struct("Column", 2)?;
        column.serialize_field("type", T::TYPE)?;
        column.serialize_field("data", &BASE64_STANDARD.encode(bytes))?;
        column.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian() {
        let json = serde_json::to_string(&Column(vec![1u16, 0x0203])).unwrap();
        assert_eq!(json, r#"{"type":"u16","data":"AQADAg=="}"#);
    }
}
