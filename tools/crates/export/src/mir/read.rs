// SPDX-License-Identifier: Apache-2.0
//! The CSV form of a profile, as MIR and its scripts write it. Columns are identified by their
//! names; unknown columns are skipped.

use std::collections::HashMap;

use super::Task;

/// A line, and what is wrong with it.
#[derive(Debug, PartialEq)]
pub struct Error {
    pub line: usize,
    pub what: String,
}

/// The columns that every profile must have.
const NEEDED: [&str; 8] = [
    "task",
    "parent",
    "joins_at",
    "cpu_id",
    "child_number",
    "exec_cycles",
    "creation_cycles",
    "exec_end_instant",
];

/// The tasks of a profile. The background task, which has no parent, is left out.
pub fn read(text: &str) -> Result<Vec<Task>, Error> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((_, header)) = lines.next() else {
        return Err(Error { line: 1, what: "it is empty".to_owned() });
    };
    let columns: HashMap<String, usize> =
        words(header).into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    if let Some(missing) = NEEDED.iter().find(|name| !columns.contains_key(**name)) {
        return Err(Error { line: 1, what: format!("there is no column {missing}") });
    }
    let mut tasks = Vec::new();
    for (at, line) in lines {
        let row = Row { columns: &columns, words: words(line) };
        if row.text("parent").is_none() {
            continue;
        }
        tasks.push(row.task().map_err(|what| Error { line: at + 1, what })?);
    }
    Ok(tasks)
}

/// Splits a line at its commas, except commas within quotes. Two quotes within quotes stand for one
/// quote.
pub fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => word.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => words.push(std::mem::take(&mut word)),
            character => word.push(character),
        }
    }
    words.push(word);
    words
}

struct Row<'a> {
    columns: &'a HashMap<String, usize>,
    words: Vec<String>,
}

impl Row<'_> {
    /// `None`: there is no such column, or its field is empty.
    fn text(&self, name: &str) -> Option<&str> {
        let word = self.words.get(*self.columns.get(name)?)?.as_str();
        (!word.is_empty() && word != "NA").then_some(word)
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| format!("{name} is \"{text}\" and not a number as it should be"))
    }

    fn count(&self, name: &str) -> Result<u64, String> {
        self.number(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    fn task(&self) -> Result<Task, String> {
        let or_zero = |name: &str| self.number(name).map(Option::unwrap_or_default);
        Ok(Task {
            task: self.count("task")?,
            parent: self.count("parent")?,
            joins_at: self.count("joins_at")?,
            cpu_id: self.number("cpu_id")?.ok_or("cpu_id is missing")?,
            child_number: self.count("child_number")?,
            num_children: or_zero("num_children")?,
            exec_cycles: self.count("exec_cycles")?,
            creation_cycles: self.count("creation_cycles")?,
            overhead_cycles: or_zero("overhead_cycles")?,
            queue_size: self.number("queue_size")?,
            create_instant: or_zero("create_instant")?,
            exec_end_instant: self.count("exec_end_instant")?,
            tag: self.text("tag").unwrap_or_default().to_owned().into(),
            metadata: self.text("metadata").map(str::to_owned),
            outline_function: or_zero("outline_function")?,
            wait_instants: self.wait_instants()?,
            source_line: self.text("source_line").map(str::to_owned),
            stalls: self.number("PAPI_RES_STL_sum")?,
        })
    }

    /// Reads a list such as `[0;7;9]`; the value 0 has no meaning.
    fn wait_instants(&self) -> Result<Vec<u64>, String> {
        let text = self.text("wait_instants").unwrap_or("[]");
        let list =
            text.trim_start_matches('[').trim_end_matches(']').split(';').filter(|word| !word.is_empty());
        let instants: Result<Vec<u64>, _> = list.map(str::parse).collect();
        let instants = instants.map_err(|_| format!("wait_instants is \"{text}\", and not [a;b;...]"))?;
        Ok(instants.into_iter().filter(|&instant| instant > 0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "\"task\",parent,joins_at,cpu_id,child_number,exec_cycles,creation_cycles,exec_end_instant,tag,\
                          wait_instants";

    #[test]
    fn rows_are_read_by_the_names_of_columns() {
        let text = format!(
            "{HEADER}\n# a remark\n1,0,0,7,1,100,5,200,\"a,\"\"b\"\"\",[0;40;50]\n2,NA,0,0,0,0,0,0,x,[0]\n"
        );
        let tasks = read(&text).unwrap();
        assert_eq!(tasks.len(), 1, "the background task has no parent");
        assert_eq!((tasks[0].cpu_id, tasks[0].exec_cycles, &*tasks[0].tag), (7, 100, "a,\"b\""));
        assert_eq!(tasks[0].wait_instants, [40, 50]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: String| read(&text).unwrap_err();
        assert_eq!(error(String::new()).what, "it is empty");
        assert_eq!(error("task,parent".to_owned()).what, "there is no column joins_at");
        let bad = error(format!("{HEADER}\n1,0,0,7,1,many,5,200,x,[0]\n"));
        assert_eq!((bad.line, bad.what.contains("exec_cycles is \"many\"")), (2, true));
        assert_eq!(error(format!("{HEADER}\n1,0,0\n")).what, "cpu_id is missing");
    }
}
