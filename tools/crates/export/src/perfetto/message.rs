// SPDX-License-Identifier: Apache-2.0
//! Messages of Protocol Buffers, as <https://protobuf.dev/programming-guides/encoding> defines the
//! wire format.

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;

/// The fields of a message, one after the other.
#[derive(Default)]
pub struct Message(Vec<u8>);

impl Message {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn number(&mut self, field: u32, value: u64) {
        self.tag(field, VARINT);
        self.varint(value);
    }

    pub fn fixed(&mut self, field: u32, value: u64) {
        self.tag(field, FIXED64);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn text(&mut self, field: u32, text: &str) {
        self.raw(field, text.as_bytes());
    }

    /// A text, or the fields of a message.
    pub fn raw(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, LENGTH);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub fn message(&mut self, field: u32, fields: impl FnOnce(&mut Self)) {
        self.tag(field, LENGTH);
        let start = self.0.len();
        fields(self);
        let mut length = Self::default();
        length.varint((self.0.len() - start) as u64);
        self.0.splice(start..start, length.0);
    }

    fn tag(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_as_the_guide_has_them() {
        let mut message = Message::default();
        message.number(1, 150);
        message.text(2, "testing");
        message.message(3, |inner| inner.number(1, 150));
        message.fixed(4, 2);
        let expected = b"\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01\x21\x02\0\0\0\0\0\0\0";
        assert_eq!(message.bytes(), expected);
    }

    #[test]
    fn numbers_and_lengths_take_as_many_bytes_as_they_need() {
        let mut message = Message::default();
        message.number(1, u64::MAX);
        assert_eq!(message.bytes(), b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
        message.clear();
        message.message(60, |inner| inner.text(2, &"x".repeat(300)));
        assert_eq!(message.bytes()[..4], *b"\xe2\x03\xaf\x02");
        assert_eq!(message.bytes().len(), 4 + 303);
    }
}
