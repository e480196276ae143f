// SPDX-License-Identifier: Apache-2.0
//! The page: one HTML file that the viewer's build made, embedded when this program was built.

use terminal::{Failure, Result};

const PAGE: Option<&str> = include!(concat!(env!("OUT_DIR"), "/viewer_page.rs"));

pub fn template() -> Result<&'static str> {
    PAGE.ok_or_else(|| {
        Failure::Missing(
            "this teff was built without the viewer's page (viewer/dist/index.html). Build the viewer first, then \
             teff again; TEFF_VIEWER_HTML names the page at build time.".to_owned(),
        )
    })
}

/// The page with the model inside: needs no server.
pub fn with_data(template: &str, json: &str) -> Result<String> {
    let at = data_position(template).ok_or_else(|| {
        Failure::Missing(
            "the viewer's page has no element teff-data. Build viewer and teff again.".to_owned(),
        )
    })?;
    let mut page = String::with_capacity(template.len() + json.len() + 64);
    page.push_str(&template[..at]);
    page.push_str(&escape(json));
    page.push_str(&template[at..]);
    Ok(page)
}

/// Where the content of `<script id="teff-data" ...>` begins.
fn data_position(template: &str) -> Option<usize> {
    // The page's own code may name the element too: only a script tag counts.
    let mut from = 0;
    while let Some(start) = template[from..].find("<script").map(|at| from + at) {
        let end = start + template[start..].find('>')? + 1;
        let tag = &template[start..end];
        if tag.contains("id=\"teff-data\"") || tag.contains("id=teff-data") {
            return Some(end);
        }
        from = end;
    }
    None
}

/// Nothing in the data may end the script element or start a comment in it; `<` stands in JSON
/// strings only.
fn escape(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_goes_into_its_element_and_cannot_leave_it() {
        let page =
            "<script>x('teff-data')</script><script id=\"teff-data\" type=\"application/json\"></script>";
        let filled = with_data(page, r#"{"a":"</script><!--"}"#).unwrap();
        let data = r#"type="application/json">{"a":"\u003c/script>\u003c!--"}</script>"#;
        assert!(filled.ends_with(data), "{filled}");
    }

    #[test]
    fn a_page_without_the_element_is_refused() {
        assert!(with_data("<html></html>", "{}").is_err());
    }
}
