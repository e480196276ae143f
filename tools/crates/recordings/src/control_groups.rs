// SPDX-License-Identifier: Apache-2.0
//! The files by which control groups limit a process.

use std::path::{Path, PathBuf};

/// A resource that groups limit, and the files with the limits.
pub struct Controller {
    pub name: &'static str,
    /// The file in the single hierarchy of version 2.
    pub file: &'static str,
    /// The file in the controller's hierarchy of version 1.
    pub old_file: &'static str,
}

/// The files that may hold a limit: of the process's group and of all groups around it. In a
/// container the process's own group may not be visible; the outermost visible group has the
/// container's limit. `groups` is the text of /proc/self/cgroup.
pub fn files(mount: &Path, groups: &str, controller: &Controller) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => (mount.to_owned(), controller.file),
            _ if controllers.split(',').any(|name| name == controller.name) => {
                (mount.join(controller.name), controller.old_file)
            }
            _ => continue,
        };
        let relative = Path::new(group.trim_start_matches('/'));
        files.extend(relative.ancestors().map(|group| root.join(group).join(file)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: Controller =
        Controller { name: "memory", file: "memory.max", old_file: "memory.limit_in_bytes" };

    #[test]
    fn limits_are_those_of_all_groups_around() {
        let names = |groups| -> Vec<String> {
            let files = files(Path::new("/c"), groups, &MEMORY);
            files.iter().map(|file| file.display().to_string()).collect()
        };
        assert_eq!(names("0::/a/b\n"), ["/c/a/b/memory.max", "/c/a/memory.max", "/c/memory.max"]);
        let old = names("7:cpu,cpuacct:/x\n4:memory:/a\n");
        assert_eq!(old, ["/c/memory/a/memory.limit_in_bytes", "/c/memory/memory.limit_in_bytes"]);
    }
}
