//! Linux control groups, which kill a program together with its descendants.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Usual mount point of cgroup v2, and the one used next to v1.
const MOUNTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// Number and interval of checks for killed processes to exit.
const EXIT_CHECKS: (u32, Duration) = (500, Duration::from_millis(2));

/// A control group for one program. Its descendants cannot leave it, unlike a process group.
#[derive(Debug)]
pub(super) struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Creates a group below that of this process. Returns `None` if that is not permitted, or if
    /// the kernel is older than 5.14 and has no `cgroup.kill`.
    pub(super) fn create() -> Option<ControlGroup> {
        static PARENT: OnceLock<Option<PathBuf>> = OnceLock::new();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let parent = PARENT.get_or_init(own_group).as_ref()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let group = ControlGroup(parent.join(format!("wabe-{}-{number}", process::id())));
        fs::create_dir(&group.0).ok()?;
        group.0.join("cgroup.kill").exists().then_some(group)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Kills all processes of the group and waits for them to exit.
    pub(super) fn kill(&self) {
        let _ = fs::write(self.0.join("cgroup.kill"), "1");
        let (checks, interval) = EXIT_CHECKS;
        for _ in 0..checks {
            // The folder cannot be removed while a process is alive.
            if fs::remove_dir(&self.0).is_ok() || !self.0.exists() {
                return;
            }
            thread::sleep(interval);
        }
        log::warn!("{}: processes are still alive", self.0.display());
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Moves this process into a control group.
pub(super) fn enter(group: &Path) -> std::io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

/// Finds the control group of this process. Removes empty groups in it, left over from killed runs.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mut folders = MOUNTS.iter().map(|mount| Path::new(mount).join(path));
    let folder = folders.find(|folder| folder.join("cgroup.procs").exists())?;
    for entry in fs::read_dir(&folder).ok()?.flatten() {
        let name = entry.file_name();
        let run = name.to_str().and_then(|name| name.strip_prefix("wabe-"));
        let process = run.and_then(|run| run.split_once('-'));
        if process.is_some_and(|(id, _)| !Path::new("/proc").join(id).exists()) {
            // Fails while the group contains a process.
            let _ = fs::remove_dir(entry.path());
        }
    }
    Some(folder)
}
