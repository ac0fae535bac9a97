//! Links of the documents lead somewhere, and the tests that they name exist. No network is used: addresses of other hosts are not looked at.

use std::fs;
use std::path::{Path, PathBuf};

/// The anchors of a document's headings, as GitHub and mdBook name them.
pub(crate) fn anchors(document: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for line in prose(document).lines().filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        let anchor = heading
            .chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-");
        let same = |other: &&String| {
            other.trim_end_matches(|c: char| c.is_ascii_digit()) == format!("{anchor}-")
        };
        match anchors.contains(&anchor) {
            true => anchors.push(format!(
                "{anchor}-{}",
                1 + anchors.iter().filter(same).count()
            )),
            false => anchors.push(anchor),
        }
    }
    anchors
}

/// A document without its blocks of code.
fn prose(document: &str) -> String {
    let mut is_code = false;
    let lines = document.lines().filter(|line| {
        // It may begin in an item of a list.
        let is_item = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '.' | '-');
        let is_fence = line.trim_start_matches(is_item).starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Where the links and pictures of a document lead.
fn targets(document: &str) -> Vec<String> {
    let prose = prose(document);
    // Every second part is code.
    let text: String = prose.split('`').step_by(2).collect();
    let targets = text.split("](").skip(1);
    let ends = |target: &str| {
        let mut depth = 1;
        target.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        })
    };
    let targets = targets.filter_map(|target| target.get(..ends(target)?));
    targets.map(str::to_owned).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = root.join("docs");
    let documents = |folder: &Path| {
        let files = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        files
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect::<Vec<PathBuf>>()
    };
    let mut seen = 0;
    let mut dead = Vec::new();
    for document in documents(root).into_iter().chain(documents(&docs)) {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match path {
                "" => document.clone(),
                _ => document.with_file_name(path),
            };
            // The book has the files of its folder, and no others.
            let is_in_book = !document.starts_with(&docs) || !target.starts_with("../");
            let is_there = path.exists() && is_in_book;
            let has_anchor = anchor.is_empty()
                || fs::read_to_string(&path)
                    .is_ok_and(|text| anchors(&text).iter().any(|a| a == anchor));
            if !is_there || !has_anchor {
                dead.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
    assert!(seen > 100, "{seen}");
}
