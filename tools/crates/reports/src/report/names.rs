// SPDX-License-Identifier: Apache-2.0
//! How a table names its sites: `file:line function`.
//!
//! Their width is limited. First the leading folders are cut, and then the middle of the function's
//! name; file name and line stay. If that would give two sites the same name, the function's name
//! is cut on both sides of the place at which these two differ. If they would still be equal, as
//! where only their folders differ, the table becomes wider. The JSON form has the whole names.

use std::collections::HashMap;

use terminal::printable;

use super::facts::Site;

/// What is always left of a function's name.
const LEAST_FUNCTION: usize = 12;
/// The number of columns by which names may grow if two of them would be equal.
const STEP: usize = 8;

/// The names of the sites of one table, in `room` columns.
pub fn of(sites: &[&Site], room: usize) -> Vec<String> {
    let names: Vec<Name> = sites.iter().map(|site| Name::of(site)).collect();
    let longest = names.iter().map(|name| length(&name.whole())).max().unwrap_or(0);
    let mut room = room;
    loop {
        let cut: Vec<String> = names.iter().map(|name| name.within(room)).collect();
        if room >= longest || tells_apart(&names, &cut) {
            return cut;
        }
        let apart = cut_apart(&names, &cut, room);
        if tells_apart(&names, &apart) {
            return apart;
        }
        room += STEP;
    }
}

/// Cuts those that are equal at the place where their functions' names differ.
fn cut_apart(names: &[Name], cut: &[String], room: usize) -> Vec<String> {
    let mut equal: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, text) in cut.iter().enumerate() {
        equal.entry(text).or_default().push(at);
    }
    let mut apart = cut.to_vec();
    for rows in equal.values() {
        let first = &names[rows[0]].function;
        let differ = rows.iter().filter_map(|&row| first_difference(first, &names[row].function)).min();
        for &row in rows {
            if let Some(at) = differ {
                apart[row] = names[row].around(room, at);
            }
        }
    }
    apart
}

/// The number of characters before the first difference of two texts. None: they are equal.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    (one != other).then_some(same)
}

/// One name by itself.
pub fn one(file: &str, line: u32, function: &str, room: Option<usize>) -> String {
    let name = Name { file: printable(file), line, function: printable(function) };
    room.map_or_else(|| name.whole(), |room| name.within(room))
}

#[derive(PartialEq)]
struct Name {
    /// Empty: not known.
    file: String,
    line: u32,
    function: String,
}

impl Name {
    fn of(site: &Site) -> Self {
        let function = if site.function.is_empty() { "(unknown)" } else { &site.function };
        Self { file: printable(&site.file), line: site.line, function: printable(function) }
    }

    fn whole(&self) -> String {
        self.with(&self.file, &self.function)
    }

    fn with(&self, file: &str, function: &str) -> String {
        match file {
            "" => function.to_owned(),
            file => format!("{file}:{} {function}", self.line),
        }
    }

    /// In `room` columns, with the middle of the function left out.
    fn within(&self, room: usize) -> String {
        self.cut(room, cut_middle)
    }

    /// In `room` columns, with what the function has at `at`.
    fn around(&self, room: usize, at: usize) -> String {
        self.cut(room, |function, width| cut_around(function, width, at))
    }

    fn cut(&self, room: usize, cut: impl Fn(&str, usize) -> String) -> String {
        let whole = self.whole();
        if length(&whole) <= room {
            return whole;
        }
        if self.file.is_empty() {
            return cut(&self.function, room.max(LEAST_FUNCTION));
        }
        let line = self.line.to_string().len() + 2; // colon and blank
        let file = cut_folders(&self.file, room.saturating_sub(line + length(&self.function)));
        let left = room.saturating_sub(line + length(&file));
        self.with(&file, &cut(&self.function, left.max(LEAST_FUNCTION)))
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether names that are not the same are not cut to the same.
fn tells_apart(names: &[Name], cut: &[String]) -> bool {
    let mut known = HashMap::new();
    names.iter().zip(cut).all(|(name, cut)| *known.entry(cut).or_insert(name) == name)
}

fn cut_middle(text: &str, width: usize) -> String {
    let length = length(text);
    if length <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let head: String = text.chars().take(kept / 2).collect();
    let tail: String = text.chars().skip(length - (kept - kept / 2)).collect();
    format!("{head}…{tail}")
}

/// The first third of what fits, and the rest from `at` on.
fn cut_around(text: &str, width: usize, at: usize) -> String {
    let length = length(text);
    let head = width / 3;
    let rest = width.saturating_sub(head + 2);
    if length <= width || at <= head || at + rest >= length {
        return cut_middle(text, width);
    }
    let begin: String = text.chars().take(head).collect();
    let there: String = text.chars().skip(at).take(rest).collect();
    format!("{begin}…{there}…")
}

/// `…` and whole components from the end, as many as fit; at least the file's name.
fn cut_folders(path: &str, width: usize) -> String {
    if length(path) <= width {
        return path.to_owned();
    }
    let fits = |at: &usize| length(&path[*at..]) < width;
    match path.match_indices('/').map(|(at, _)| at).find(fits) {
        Some(at) => format!("…{}", &path[at..]),
        None => path.rsplit('/').next().unwrap_or(path).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(file: &str, line: u32, function: &str) -> Name {
        Name { file: file.to_owned(), line, function: function.to_owned() }
    }

    #[test]
    fn long_names_are_cut_where_they_say_least() {
        let sort = name("/home/user/project/src/sort.c", 142, "sort");
        assert_eq!(sort.within(99), "/home/user/project/src/sort.c:142 sort");
        assert_eq!(sort.within(26), "…/src/sort.c:142 sort");
        assert_eq!(sort.within(10), "sort.c:142 sort");
        let long = name("src/sort.c", 7, "outer::inner::operator+=");
        assert_eq!(long.within(24), "sort.c:7 outer::…rator+=");
        assert_eq!(name("", 0, "ns::tpl<double>").within(12), "ns::t…ouble>");
    }

    #[test]
    fn folders_go_first() {
        assert_eq!(cut_folders("/home/user/project/src/sort.c", 14), "…/src/sort.c");
        assert_eq!(cut_folders("a/quite_long_file_name.c", 10), "quite_long_file_name.c");
        assert_eq!(cut_folders("src/sort.c", 10), "src/sort.c");
        assert_eq!(cut_middle("ns::tpl<double>", 9), "ns::…ble>");
    }

    #[test]
    fn what_is_cut_still_tells_sites_apart() {
        let site = |file: &str, function: &str| Site {
            file: file.to_owned(),
            line: if file.is_empty() { 0 } else { 7 },
            function: function.to_owned(),
            ..Site::default()
        };
        let same = "a_long_name::of_a_template<int, WHICH>::operator()";
        let (int, long) = (same.replace("WHICH", "int"), same.replace("WHICH", "long"));
        let sites =
            [site("one/dir/main.c", "f"), site("two/dir/main.c", "f"), site("", &int), site("", &long)];
        let names = of(&sites.iter().collect::<Vec<_>>(), 14);
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), 4, "{names:?}");
        assert!(names[0].contains("main.c:7 f") && names[3].contains("long"), "{names:?}");
        assert_eq!(
            of(&[&sites[0], &sites[0]], 14),
            ["…/main.c:7 f"; 2],
            "the same site may have the same name"
        );
        assert_eq!(of(&[&sites[2]], 99), [int]);
    }

    #[test]
    fn names_that_differ_in_the_middle_do_not_make_the_table_wider() {
        let function =
            |which: &str| format!("{}<{which}, {}>::run", "outer::".repeat(15), "same, ".repeat(15));
        let site = |which| Site { function: function(which), ..Site::default() };
        let sites = [site("int"), site("long")];
        let names = of(&sites.iter().collect::<Vec<_>>(), 40);
        assert!(names.iter().all(|name| length(name) <= 40), "{names:?}");
        assert!(names[0].contains("int,") && names[1].contains("long,"), "{names:?}");
    }
}
