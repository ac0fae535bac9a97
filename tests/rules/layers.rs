//! The modules' layers: the table in `docs/architecture.md` is true, a module uses only what stands below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules and one that each uses although it stands above, with the reason. There is no such case; a new one needs a good reason.
const ALLOWED: [(&str, &str, &str); 0] = [];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The modules of the table, the uppermost first.
fn layers() -> Vec<String> {
    let text = read(&root().join("docs/architecture.md"));
    let section = text.split("\n## ").find(|s| s.starts_with("Modules\n"));
    let rows = section.expect("a section `Modules`").lines();
    rows.filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The source files below a folder, those with nothing but tests left out.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The source files of the modules, each with the name of its module.
fn files_of_modules() -> Vec<(String, PathBuf)> {
    let src = root().join("src");
    let mut files = Vec::new();
    for path in sources(&src) {
        let inside = path.strip_prefix(&src).expect("a path in src");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if module != "lib" && module != "main" {
            files.push((module, path));
        }
    }
    files
}

/// The code without comment lines and without items under `#[cfg(test)]`, as rustfmt lays them out.
fn code(source: &str) -> String {
    let mut kept = String::new();
    let mut is_test_item = false;
    let mut indentation_of_test = None;
    for line in source.lines() {
        let text = line.trim();
        let indentation = line.len() - line.trim_start().len();
        if let Some(of_test) = indentation_of_test {
            // An item ends with a brace, or a `;`, at the place where it began.
            if indentation == of_test && text.starts_with('}') {
                indentation_of_test = None;
            }
        } else if text.starts_with("#[cfg(test)]") {
            is_test_item = true;
        } else if is_test_item {
            is_test_item = text.starts_with("#[") || text.starts_with("//");
            if !is_test_item && !text.ends_with([';', '}']) {
                indentation_of_test = Some(indentation);
            }
        } else if !text.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The modules that code names by paths from the root.
fn used_modules(code: &str, is_face: bool) -> BTreeSet<String> {
    let mut code = code.to_owned();
    if is_face {
        // In `src/hive/mod.rs` and `src/verify.rs`, `super` is the root.
        code = code.replace("\nuse super::", "\nuse crate::");
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let paths = code.split("crate::").skip(1);
    paths
        .map(|path| {
            let end = path.find(|c| !is_name(c)).unwrap_or(path.len());
            path[..end].to_owned()
        })
        .collect()
}

#[test]
fn every_module_stands_in_the_table_of_layers() {
    let layers = layers();
    let in_table: BTreeSet<&str> = layers.iter().map(String::as_str).collect();
    let files = files_of_modules();
    let in_src: BTreeSet<&str> = files.iter().map(|(module, _)| module.as_str()).collect();
    assert_eq!(in_table, in_src);
    assert_eq!(layers.len(), in_table.len(), "a module stands there twice");
}

/// The public items of a source, in the words of their declarations, without those of tests.
fn public_items(source: &str) -> Vec<String> {
    let code = code(source);
    let lines = code.lines().map(str::trim);
    let items = lines.filter_map(|line| line.strip_prefix("pub "));
    items
        .filter_map(|item| {
            let item = item.strip_prefix("use ").map_or(item, |used| used);
            let end = item
                .find(['(', '{', '=', ';', '<', ','])
                .unwrap_or(item.len());
            let words: Vec<&str> = item[..end].split_whitespace().collect();
            // Fields belong to their type.
            let is_field = words.first().is_some_and(|word| word.ends_with(':'));
            (!is_field).then(|| words.join(" "))
        })
        .collect()
}

#[test]
fn the_public_surface_is_the_one_on_file() {
    let mut surface = String::new();
    let mut files = files_of_modules();
    files.sort();
    for (_, path) in files {
        let name = path
            .strip_prefix(root().join("src"))
            .expect("a path in src");
        let items = public_items(&read(&path));
        if !items.is_empty() {
            surface += &format!("{}\n", name.display());
        }
        for item in items {
            surface += &format!("    {item}\n");
        }
    }
    let file = root().join("tests/data/public-surface.txt");
    if std::env::var_os("WABE_UPDATE").is_some() {
        fs::write(&file, &surface).expect("a file");
    }
    let is_same = read(&file) == surface;
    assert!(
        is_same,
        "public items have changed: set WABE_UPDATE=1 for one run of this test, and read the difference before you commit it"
    );
}

#[test]
fn the_front_page_leads_to_every_public_module() {
    let lib = read(&root().join("src/lib.rs"));
    for module in lib.lines().filter_map(|line| line.strip_prefix("pub mod ")) {
        let link = format!("[`{}`]", module.trim_end_matches(';'));
        assert!(lib.contains(&link), "{link}");
    }
}

#[test]
fn a_module_uses_only_what_stands_below_it() {
    let layers = layers();
    let layer = |module: &str| layers.iter().position(|name| name == module);
    let mut uses = 0;
    let mut wrong = Vec::new();
    for (module, path) in files_of_modules() {
        let face = root().join("src").join(&module);
        let is_face = path == face.join("mod.rs") || path == face.with_extension("rs");
        for used in used_modules(&code(&read(&path)), is_face) {
            let is_allowed = ALLOWED
                .iter()
                .any(|&(above, below, _)| (above, below) == (module.as_str(), used.as_str()));
            if used == module || is_allowed {
                continue;
            }
            uses += 1;
            // A name that is no module is a group, `use crate::{…}`, or an item of the root: both hide who uses whom.
            if layer(&used).is_none_or(|used| Some(used) < layer(&module)) {
                wrong.push(format!("{}: {module} uses `{used}`", path.display()));
            }
        }
    }
    assert!(uses > 100, "only {uses} uses found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn referees_take_all_times_from_one_clock() {
    for (module, path) in files_of_modules() {
        if ["arena", "room", "server"].contains(&module.as_str()) {
            let code = code(&read(&path));
            // The machine's clock runs on while the process is stopped.
            for other in ["Instant::now", ".elapsed()", "SystemTime"] {
                assert!(!code.contains(other), "{other} in {}", path.display());
            }
        }
    }
}

#[test]
fn tests_and_comments_are_not_code() {
    let source = "\
use crate::hex::Cell;
// use crate::cli::run;
#[cfg(test)]
#[path = \"x_tests.rs\"]
mod tests;
fn f() {
    let _ = crate::hive::f();
}
#[cfg(test)]
mod more {
    use crate::cli::g;
    fn g() {
    }
}
use super::game::h;
";
    let used = |is_face| {
        let used = used_modules(&code(source), is_face);
        used.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(used(false), "hex hive");
    assert_eq!(used(true), "game hex hive");
}
