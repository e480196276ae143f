// SPDX-License-Identifier: Apache-2.0
//! The key to a served recording: only clients that know this key may read the
//! recording.

use std::fmt;

use subtle::ConstantTimeEq;
use terminal::{Failure, Result};

/// 128 random bits, in hexadecimal.
pub struct Token(String);

impl Token {
    pub fn new() -> Result<Self> {
        let bits = getrandom::u64().and_then(|high| Ok((high, getrandom::u64()?)));
        let (high, low) =
            bits.map_err(|error| Failure::Missing(format!("the system gives no random numbers: {error}.")))?;
        Ok(Self(format!("{high:016x}{low:016x}")))
    }

    /// The comparison takes the same time however many characters are right.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_another_one_and_knows_itself_alone() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        let text = one.to_string();
        assert!(text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
        assert!(one.is(&text) && !other.is(&text));
        assert!(!one.is("") && !one.is(&text[1..]) && !one.is(&format!("{text}0")));
    }
}
