// SPDX-License-Identifier: Apache-2.0
//! Opens the user's browser on an address that must stay secret.
//!
//! Every user of the machine can read a command line. So the browser is given a file that only its
//! owner can read, and that redirects to the address.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::NamedTempFile;

/// The file that redirects to the page. It is removed when this object is dropped. `None`: there is
/// no browser to open.
pub fn open(address: &str) -> Option<NamedTempFile> {
    let file = signpost(address).ok()?;
    let mut opener = Command::new("xdg-open");
    opener.arg(file.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // We do not wait for the opener, because it may run as long as the browser.
    opener.spawn().ok().map(|_| file)
}

fn signpost(address: &str) -> io::Result<NamedTempFile> {
    let directory = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|directory| directory.is_dir());
    let directory = directory.unwrap_or_else(env::temp_dir);
    let mut file = tempfile::Builder::new().prefix("teff-view-").suffix(".html").tempfile_in(directory)?;
    write!(
        file,
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Teff</title>\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n<a href=\"{address}\">The recording</a>\n"
    )?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_file_leads_to_the_page_and_is_the_users_alone() {
        let file = signpost("http://127.0.0.1:1/key/").unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("content=\"0; url=http://127.0.0.1:1/key/\""), "{text}");
        assert_eq!(file.path().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let path = file.path().to_owned();
        drop(file);
        assert!(!path.exists());
    }
}
