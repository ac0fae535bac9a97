//! A whole game as one web page that works offline and steps with keys and buttons.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::svg;
use crate::game::{Scene, Spot};
use crate::hive::Color;

/// What a page shows of a position.
#[derive(Clone, Debug)]
pub struct PagePly {
    /// The position.
    pub scene: Scene,
    /// The move that led to it.
    pub last_move: Option<String>,
    /// What there is to say about it, in plain text.
    pub note: String,
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}\
h1{font-size:1.3rem;margin:0 0 .5rem}\
main{display:grid;grid-template-columns:minmax(0,1fr) 16rem;gap:1rem}\
@media(max-width:44rem){main{grid-template-columns:1fr}}\
svg{width:100%;height:auto}\
ol{max-height:26rem;overflow:auto;margin:0;padding:0 0 0 2.2rem;font-variant-numeric:tabular-nums}\
ol button{border:0;background:none;font:inherit;cursor:pointer;padding:0 .3rem;color:inherit}\
ol button[aria-current]{background:#e0a100;color:#000;border-radius:.2rem}\
nav button{font:inherit;padding:.2rem .7rem}\
.ply{display:none}.ply.shown{display:block}\
p{margin:.3rem 0}.note{white-space:pre-line}";

const SCRIPT: &str = "\
const plies=[...document.querySelectorAll('.ply')],moves=[...document.querySelectorAll('ol button')];\
const last=moves.length-1;let at=0;\
function show(n){at=Math.max(0,Math.min(last,n));\
plies.forEach(p=>p.classList.toggle('shown',+p.dataset.ply===at));\
moves.forEach((m,i)=>{if(i===at){m.setAttribute('aria-current','true');m.scrollIntoView({block:'nearest'})}\
else m.removeAttribute('aria-current')});location.replace('#'+at)}\
moves.forEach((m,i)=>m.onclick=()=>show(i));\
document.querySelectorAll('nav button').forEach(b=>b.onclick=()=>step(b.dataset.step));\
function step(s){show(s==='first'?0:s==='last'?last:at+Number(s))}\
addEventListener('keydown',e=>{const s={ArrowLeft:'-1',ArrowRight:'1',Home:'first',End:'last'}[e.key];\
if(s){e.preventDefault();step(s)}});\
const wanted=Number(location.hash.slice(1));show(Number.isInteger(wanted)?wanted:0);";

/// The page. `players` says who plays, `result` how the game ended.
pub fn game_page(players: &str, plies: &[PagePly], result: &str) -> String {
    let heading = escape(players);
    let mut moves = String::new();
    let mut boards = String::new();
    let mut notes = String::new();
    for (i, ply) in plies.iter().enumerate() {
        let name = ply.last_move.as_deref().unwrap_or("start");
        let _ = write!(
            moves,
            "<li value=\"{}\"><button>{}</button></li>",
            ply.scene.turn,
            escape(name)
        );
        let _ = write!(
            boards,
            "<g class=\"ply\" data-ply=\"{i}\">{}</g>",
            svg::pieces(&ply.scene)
        );
        let _ = write!(
            notes,
            "<div class=\"ply\" data-ply=\"{i}\">{}</div>",
            note(ply)
        );
    }
    let fields = all_fields(plies);
    let ground = plies.first().map(|ply| svg::ground(&ply.scene, &fields));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{heading}</title>\
         <style>{STYLE}{}</style></head>\n<body><h1>{heading}</h1><p>{}</p>\n\
         <nav><button data-step=\"first\" title=\"Home\">|◀</button> \
         <button data-step=\"-1\" title=\"Left arrow\">◀</button> \
         <button data-step=\"1\" title=\"Right arrow\">▶</button> \
         <button data-step=\"last\" title=\"End\">▶|</button> <small>← → Home End</small></nav>\n\
         <main><div><svg viewBox=\"{}\" role=\"img\">{}{boards}</svg>{notes}</div>\n\
         <ol>{moves}</ol></main>\n<script>{SCRIPT}</script></body></html>\n",
        svg::STYLE,
        escape(result),
        svg::view_box(&fields),
        ground.unwrap_or_default(),
    )
}

/// The fields of all positions, each once.
fn all_fields(plies: &[PagePly]) -> Vec<Spot> {
    let spots = plies
        .iter()
        .flat_map(|ply| ply.scene.fields.iter().copied());
    let fields: BTreeSet<Spot> = spots.collect();
    fields.into_iter().collect()
}

fn note(ply: &PagePly) -> String {
    let scene = &ply.scene;
    let mut out = format!(
        "<p>After {} plies: {}</p>",
        scene.turn,
        escape(&scene.state)
    );
    for color in Color::ALL {
        let _ = write!(
            out,
            "<p>{} has in reserve: {}</p>",
            scene.paints[color],
            scene.reserve_in_words(color)
        );
    }
    if !ply.note.is_empty() {
        let _ = write!(out, "<p class=\"note\">{}</p>", escape(&ply.note));
    }
    out
}

/// Text as it may stand in a page, in content and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::Position;
    use crate::view::marked_scene;

    #[test]
    fn names_and_notes_cannot_break_out_of_the_page() {
        let position: Position = "0 - - AQ/AQ".parse().unwrap();
        let plies = [PagePly {
            scene: marked_scene(&position, None),
            last_move: Some("<i>".to_owned()),
            note: "</p><b>".to_owned(),
        }];
        let page = game_page("<script>alert(1)</script> \"&'", &plies, "a > b");
        assert_eq!(page.matches("<script>").count(), 1);
        assert!(page.contains("&lt;script&gt;") && page.contains("&lt;/p&gt;&lt;b&gt;"));
        assert!(page.contains("a &gt; b") && page.contains("<button>&lt;i&gt;"));
    }
}
