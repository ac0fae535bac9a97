//! The machine's cores and memory, read from `/proc` and `/sys` on Linux. On other systems, the
//! standard library counts the cores, and the memory size is a constant.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use super::options::{MAX_MEMORY_MIB, MAX_THREADS};
use wabe_engine::search::DEFAULT_MEMORY_MIB;

/// Number of physical cores that the process may use. The hyperthreads of a core count as one.
pub(super) fn cores() -> i64 {
    static CORES: OnceLock<i64> = OnceLock::new();
    *CORES.get_or_init(|| {
        let available = thread::available_parallelism().map_or(1, usize::from);
        let physical = physical_cores(Path::new("/sys/devices/system/cpu"));
        let cores = physical.map_or(available, |cores| cores.min(available));
        i64::try_from(cores).map_or(MAX_THREADS, |cores| cores.clamp(1, MAX_THREADS))
    })
}

/// Counts cores in a folder like `/sys/devices/system/cpu`, where
/// `cpu0/topology/thread_siblings_list` lists the processors of a core.
fn physical_cores(folder: &Path) -> Option<usize> {
    let processors = fs::read_dir(folder).ok()?.flatten();
    let siblings = processors.filter_map(|processor| {
        fs::read_to_string(processor.path().join("topology/thread_siblings_list")).ok()
    });
    let cores = siblings.collect::<HashSet<String>>().len();
    (cores > 0).then_some(cores)
}

/// A quarter of the memory that the process may use, in MiB.
pub(super) fn quarter_of_memory_mib() -> i64 {
    static QUARTER: OnceLock<i64> = OnceLock::new();
    *QUARTER.get_or_init(|| {
        let total = fs::read_to_string("/proc/meminfo").ok();
        let total = total.and_then(|text| total_bytes(&text));
        // Contains `max` on systems without a limit.
        let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
        let limit = limit.and_then(|text| text.trim().parse().ok());
        let bytes: Option<u64> = total.into_iter().chain(limit).min();
        let quarter = bytes.map_or(DEFAULT_MEMORY_MIB as u64, |bytes| (bytes / 4) >> 20);
        i64::try_from(quarter).map_or(MAX_MEMORY_MIB, |mib| mib.clamp(1, MAX_MEMORY_MIB))
    })
}

/// Total memory in bytes, from the text of `/proc/meminfo`.
fn total_bytes(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let total = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyperthreads_count_as_one_core() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(physical_cores(folder.path()), None);
        for (processor, siblings) in ["0,2", "1,3", "0,2", "1,3"].iter().enumerate() {
            let topology = folder.path().join(format!("cpu{processor}/topology"));
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("thread_siblings_list"), siblings).unwrap();
        }
        fs::create_dir(folder.path().join("cpufreq")).unwrap();
        assert_eq!(physical_cores(folder.path()), Some(2));
    }

    #[test]
    fn memory_total_is_read_in_bytes() {
        let text = "MemTotal:       24643312 kB\nMemFree:         1 kB\n";
        assert_eq!(total_bytes(text), Some(24_643_312 << 10));
        for text in ["", "MemTotal:", "MemTotal: x kB", "MemTotal: 5 MB"] {
            assert_eq!(total_bytes(text), None, "{text}");
        }
    }
}
