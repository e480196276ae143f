// SPDX-License-Identifier: Apache-2.0
//! The stacks of samples, and the functions of Python in them, as a stream has them.

use trace::{Code, Stack, StackFrame};

use crate::place::PythonCode;

pub(crate) struct OwnedStack {
    /// The stream's own.
    pub id: u32,
    pub flags: u8,
    pub frames: Vec<StackFrame>,
}

#[derive(Default)]
pub(crate) struct RecordedStacks {
    pub stacks: Vec<OwnedStack>,
    /// With the stream's own ids.
    pub codes: Vec<(u32, PythonCode)>,
}

impl RecordedStacks {
    pub fn stack(&mut self, stack: &Stack) {
        self.stacks.push(OwnedStack {
            id: stack.stack,
            flags: stack.flags,
            frames: stack.frames().collect(),
        });
    }

    /// The function's name is behind the last newline: the file's name may have one.
    pub fn code(&mut self, code: &Code) {
        let text = String::from_utf8_lossy(code.text).into_owned();
        let (file, function) = text.rsplit_once('\n').unwrap_or((&text, ""));
        let (file, function) = (file.to_owned(), function.to_owned());
        self.codes.push((code.code, PythonCode { file, function }));
    }
}
