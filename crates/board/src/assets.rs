//! The page's files, embedded in the binary.

#[cfg(feature = "server")]
use std::hash::{DefaultHasher, Hash, Hasher};
#[cfg(feature = "server")]
use std::sync::LazyLock;

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    /// Path in the URL, without the leading slash.
    pub(super) path: &'static str,
    pub(super) content: &'static str,
}

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(Asset { path: $path, content: include_str!(concat!("page/", $path)) }),*]
    };
}

/// All files. Empty without the feature `server`, because the site serves its own copies.
pub(super) const ASSETS: &[Asset] = if cfg!(feature = "server") { FILES } else { &[] };

const FILES: &[Asset] = assets![
    "index.html",
    "style.css",
    "board.css",
    "panels.css",
    "address.js",
    "analysis.js",
    "app.js",
    "arrows.js",
    "board.js",
    "camera.js",
    "chart.js",
    "clock.js",
    "connection.js",
    "curve.js",
    "dialogs.js",
    "drag.js",
    "editor.js",
    "explorer.js",
    "edits.js",
    "files.js",
    "flight.js",
    "geometry.js",
    "ground.js",
    "history.js",
    "i18n.js",
    "icon.svg",
    "icons.js",
    "keys.js",
    "mistakes.js",
    "library.js",
    "libraryview.js",
    "levels.js",
    "lines.js",
    "match.js",
    "livegames.js",
    "movelist.js",
    "moves.js",
    "open.js",
    "picture.js",
    "pieces.js",
    "play.js",
    "playpanel.js",
    "pointers.js",
    "premove.js",
    "puzzles.js",
    "problems.js",
    "recorded.js",
    "reserve.js",
    "review.js",
    "select.js",
    "settings.js",
    "sound.js",
    "space.js",
    "standings.js",
    "start.js",
    "store.js",
    "table.js",
    "tour.js",
    "tree.js",
    "watch.js",
    "worker.js",
    "book.json",
    "puzzles.json",
    "texts/de.js",
    "texts/en.js",
    "vendor/gifenc/gifenc.js",
    "vendor/lit-html/directive-helpers.js",
    "vendor/lit-html/directive.js",
    "vendor/lit-html/lit-html.js",
    "vendor/lit-html/directives/repeat.js",
];

impl Asset {
    /// The file at a URL path. The root is `index.html`.
    pub(super) fn at(path: &str) -> Option<&'static Asset> {
        let path = match path.trim_start_matches('/') {
            "" => "index.html",
            path => path,
        };
        ASSETS.iter().find(|asset| asset.path == path)
    }

    /// The content to send. Leaves out comment lines and indentation, a quarter of the page, except
    /// in `vendor`, where comments contain licences.
    pub(super) fn sent(&self) -> String {
        if self.path.starts_with("vendor/") {
            return self.content.to_owned();
        }
        let mut is_inside = false;
        let mut is_comment = |line: &str| {
            let is_block = is_inside || line.starts_with("/*");
            is_inside = is_block && !line.contains("*/");
            is_block || line.starts_with("//")
        };
        let lines = self.content.split_inclusive('\n').map(str::trim_start);
        lines.filter(|line| !is_comment(line)).collect()
    }

    /// The `Content-Type` header.
    #[cfg(feature = "server")]
    pub(super) fn content_type(&self) -> &'static str {
        match self.path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("json") => "application/json",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        }
    }
}

/// The import map in `index.html`.
#[cfg(feature = "server")]
pub(super) fn import_map() -> &'static str {
    let page = Asset::at("").map_or("", |asset| asset.content);
    let map = page.split_once("<script type=\"importmap\">");
    let map = map.and_then(|(_, rest)| rest.split_once("</script>"));
    map.map_or("", |(map, _)| map)
}

/// The `ETag` of all files, a hash of their contents.
#[cfg(feature = "server")]
pub(super) static TAG: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    for asset in ASSETS {
        asset.content.hash(&mut hasher);
    }
    format!("\"{:016x}\"", hasher.finish())
});

#[cfg(all(test, feature = "server"))]
mod tests {
    use super::*;

    #[test]
    fn sent_files_have_no_comment_lines() {
        let app = Asset::at("app.js").unwrap();
        let sent = app.sent();
        assert!(app.content.starts_with("// "));
        assert!(!sent.lines().any(|line| line.trim_start().starts_with('/')));
        assert!(sent.contains("\nexport class App {\n"));
        let style = Asset::at("style.css").unwrap();
        assert!(style.sent().contains("* { box-sizing: border-box; }"));
        for asset in ASSETS
            .iter()
            .filter(|asset| !asset.path.starts_with("vendor/"))
        {
            let comments = asset.content.lines().map(str::trim);
            let mut comments =
                comments.filter(|line| line.starts_with("/*") && line.contains("*/"));
            assert!(comments.all(|line| line.ends_with("*/")), "{}", asset.path);
        }
        let library = Asset::at("vendor/lit-html/lit-html.js").unwrap();
        assert_eq!(library.sent(), library.content);
    }
}
