// SPDX-License-Identifier: Apache-2.0
//! What to predict: parses the words of the command line, and converts them to rows of places.

use std::collections::BTreeSet;

use grains::predict::Changes;
use grains::units::time;
use grains::{PlaceRow, Profile, Ticks};
use symbols::{Symbol, Symbols};
use terminal::{Failure, Result};

use crate::args::PredictArgs;

/// As the user says it.
pub struct Wishes {
    /// Increasing, each once. Empty: the usual ones.
    pub threads: Vec<u32>,
    sites: Vec<(String, Wish)>,
    merge_below_ns: Option<f64>,
    cutoff_depth: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Wish {
    Factor(f64),
    Serial,
}

/// One change, in words and as the machine takes it.
pub struct WhatIf {
    pub words: String,
    pub changes: Changes,
}

pub fn parse(args: &PredictArgs) -> Result<Wishes> {
    let threads: BTreeSet<u32> = args.threads.iter().copied().collect();
    Ok(Wishes {
        threads: threads.into_iter().collect(),
        sites: args.what_if.iter().map(|words| parse_site(words)).collect::<Result<_>>()?,
        merge_below_ns: args
            .merge_below
            .as_deref()
            .map(|words| parse_time("--merge-below", words))
            .transpose()?,
        cutoff_depth: args.cutoff_depth,
    })
}

fn parse_site(words: &str) -> Result<(String, Wish)> {
    let wrong = || {
        Failure::Usage(format!(
            "--what-if {words}: this is neither SITE=F, with a number F from 0 to 1000, nor SITE:serial. A site is a \
             function, FILE:LINE or LINE, as `teff report` names it: --what-if sort.c:42=0.5."
        ))
    };
    let (site, wish) = if let Some(site) = words.strip_suffix(":serial") {
        (site, Wish::Serial)
    } else {
        let (site, factor) = words.rsplit_once('=').ok_or_else(wrong)?;
        let factor = factor.parse().ok().filter(|factor| (0.0..=1000.0).contains(factor));
        (site, Wish::Factor(factor.ok_or_else(wrong)?))
    };
    if site.is_empty() {
        return Err(wrong());
    }
    Ok((site.to_owned(), wish))
}

/// In ns.
pub(super) fn parse_time(option: &str, words: &str) -> Result<f64> {
    let units = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let found = units.iter().find_map(|(unit, ns)| {
        let number: f64 = words.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * ns).filter(|time| *time > 0.0 && time.is_finite())
    });
    found.ok_or_else(|| {
        Failure::Usage(format!(
            "{option} {words}: this is no length of time. Give a number with ns, us, ms or s: 5us."
        ))
    })
}

pub fn find(wishes: &Wishes, profile: &Profile, symbols: &Symbols) -> Result<Vec<WhatIf>> {
    let constructs = Constructs::of(profile);
    let mut all = Vec::new();
    for (site, wish) in &wishes.sites {
        all.push(what_if(site, *wish, &constructs, symbols)?);
    }
    if let Some(ns) = wishes.merge_below_ns {
        let ns_of_tick = profile.ns(Ticks(1 << 30)) / f64::from(1 << 30);
        let merge_below = Ticks((ns / ns_of_tick).ceil() as u64);
        let words = format!("grains shorter than {} ran inside their parent", time(ns));
        all.push(WhatIf { words, changes: Changes { merge_below, ..Changes::default() } });
    }
    if let Some(depth) = wishes.cutoff_depth {
        let words = format!("tasks nested deeper than {depth} ran inside their parent");
        all.push(WhatIf { words, changes: Changes { cutoff_depth: Some(depth), ..Changes::default() } });
    }
    if all.len() > 1 {
        all.push(WhatIf { words: "all of this together".to_owned(), changes: together(&all) });
    }
    Ok(all)
}

fn together(all: &[WhatIf]) -> Changes {
    let mut sum = Changes::default();
    for WhatIf { changes, .. } in all {
        sum.factors.extend_from_slice(&changes.factors);
        sum.serial.extend_from_slice(&changes.serial);
        sum.merge_below = sum.merge_below.max(changes.merge_below);
        sum.cutoff_depth = sum.cutoff_depth.or(changes.cutoff_depth);
    }
    sum
}

fn what_if(site: &str, wish: Wish, constructs: &Constructs, symbols: &Symbols) -> Result<WhatIf> {
    let rows = |places: &BTreeSet<PlaceRow>| -> Vec<PlaceRow> {
        places.iter().copied().filter(|&place| is_named(&symbols.of(Some(place)), site)).collect()
    };
    let (places, what) = match wish {
        Wish::Factor(_) => (&constructs.grains, "grains"),
        Wish::Serial => (&constructs.parallel, "tasks, loops or parallel regions"),
    };
    let found = rows(places);
    if found.is_empty() {
        let known = places.iter().map(|&place| symbols.of(Some(place))).map(|symbol| short(&symbol));
        let known: BTreeSet<String> = known.filter(|name| !name.is_empty()).collect();
        let known: Vec<_> = known.into_iter().take(8).collect();
        return Err(Failure::Usage(format!(
            "--what-if {site}: no {what} of this recording have this name. Some that it has: {}.",
            if known.is_empty() { "none with a name".to_owned() } else { known.join(", ") }
        )));
    }
    Ok(match wish {
        Wish::Factor(factor) => WhatIf {
            words: format!("grains of {site} took {factor} of their time"),
            changes: Changes {
                factors: found.into_iter().map(|place| (place, factor)).collect(),
                ..Changes::default()
            },
        },
        Wish::Serial => WhatIf {
            words: format!("{site} ran on one thread"),
            changes: Changes { serial: found, ..Changes::default() },
        },
    })
}

/// Places: those that have grains, and those whose constructs make work parallel.
struct Constructs {
    grains: BTreeSet<PlaceRow>,
    parallel: BTreeSet<PlaceRow>,
}

impl Constructs {
    fn of(profile: &Profile) -> Self {
        let grains = &profile.grains;
        let explicit = |&row: &grains::GrainRow| grains.kind[row] == grains::GrainKind::Task;
        let mut parallel: BTreeSet<PlaceRow> =
            grains.task_rows().filter(explicit).filter_map(|row| grains.place[row]).collect();
        parallel.extend(profile.loops.iter().filter_map(|info| info.place));
        parallel.extend(profile.regions.iter().filter_map(|info| info.place));
        Self { grains: grains.place.iter().copied().flatten().collect(), parallel }
    }
}

/// By its function, FILE:LINE, or LINE; where there are no lines also by its address.
fn is_named(symbol: &Symbol, site: &str) -> bool {
    if symbol.function == site || symbol.function.rsplit(" at ").next() == Some(site) {
        return true;
    }
    let (file, line) = site.rsplit_once(':').unwrap_or(("", site));
    let is_line = symbol.line != 0 && line.parse() == Ok(symbol.line);
    let of_file = symbol
        .file
        .strip_suffix(file)
        .is_some_and(|folders| file.is_empty() || folders.is_empty() || folders.ends_with('/'));
    is_line && of_file
}

/// `sort.c:42`, or the function where there are no lines.
pub fn short(symbol: &Symbol) -> String {
    match symbol.line {
        0 => symbol.function.clone(),
        line => format!("{}:{line}", symbol.file.rsplit('/').next().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_named_as_the_report_does() {
        let sort = Symbol { file: "/home/user/src/sort.c".to_owned(), line: 42, function: "sort".to_owned() };
        for name in ["sort", "42", "sort.c:42", "src/sort.c:42", "/home/user/src/sort.c:42"] {
            assert!(is_named(&sort, name), "{name}");
        }
        for name in ["sor", "4", "ort.c:42", "sort.c:43", ":", "sort.c", "sort.c:"] {
            assert!(!is_named(&sort, name), "{name}");
        }
        let address = Symbol { function: "f at prog+0x12".to_owned(), ..Symbol::default() };
        assert!(is_named(&address, "prog+0x12") && !is_named(&address, "0"));
        assert_eq!((short(&sort), short(&address)), ("sort.c:42".to_owned(), "f at prog+0x12".to_owned()));
    }

    #[test]
    fn wishes_that_cannot_be_say_what_can() {
        assert_eq!(parse_site("a=b=0.5").unwrap(), ("a=b".to_owned(), Wish::Factor(0.5)));
        assert_eq!(parse_site("a.c:3:serial").unwrap(), ("a.c:3".to_owned(), Wish::Serial));
        for wrong in ["", "a", "=1", ":serial", "a=", "a=-1", "a=NaN", "a=inf", "a=1001", "a=x", "a:parallel"]
        {
            let message = parse_site(wrong).unwrap_err().to_string();
            assert!(message.contains("SITE=F") && message.contains("SITE:serial"), "{message}");
        }
    }

    #[test]
    fn times_have_units() {
        let ns = |words| parse_time("--merge-below", words).map_err(|error| error.to_string());
        assert_eq!([ns("5us"), ns("1.5 ms"), ns("7ns"), ns("2s")], [Ok(5e3), Ok(1.5e6), Ok(7.0), Ok(2e9)]);
        for wrong in ["", "5", "us", "-1us", "0us", "NaNus", "infs", "1e300s", "5 parsecs"] {
            assert!(ns(wrong).unwrap_err().contains("5us"), "{wrong}");
        }
    }
}
