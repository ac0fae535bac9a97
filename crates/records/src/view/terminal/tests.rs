//! Compares drawings with expected text.

use super::*;
use crate::view::tests::marked_diagram;
use wabe_hive::contest::{Move, Position};

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

#[test]
fn drawing_matches_the_expected_text() {
    let position = position(
        "35 1,4;3,-3;3,-2 0,-2:rA;0,-1:bSbB;0,0:rQ;1,0:bS;1,1:bA;1,2:bA;1,3:bA;2,1:bQ AABBGGSSS/BGGS",
    );
    let last: Move = "drag 2,0 0,-2".parse().unwrap();
    let drawn = draw(&marked_diagram(&position, Some(last)), ColorMode::Plain).to_string();
    let expected = "
           0↘  1↘  2↘  3↘  4↘  5↘                 round 18 of 30
        -1↘ │   │▒▒▒│   │   │   │   │             blue to move
      -2↘ │   │   │bA │   │   │   │   │           in reserve         red  blue
    -3↘ │   │   │   │bA │bQ │   │   │   │           Q bee              -     -
  -4↘ │   │   │   │   │bA ( · )   │   │   │         S spider           3     1
-5↘ │   │   │   │   │   │bS │   │▒▒▒│   │   │       B beetle           2     1
  │   │   │   │   │   │rQ │   │   │▒▒▒│   │   │     G grasshopper      2     2
 5↗ │   │   │   │   │   │bB²│   │   │   │   │       A ant              2     -
   4↗ │   │   │   │   │   [rA ]   │   │   │       free around bee      4     4
     3↗ │   │   │   │   │   │   │   │   │         stack 0,-1  bB bS
       2↗ │   │   │   │   │   │   │   │
         1↗ │   │   │   │   │   │   │
           0↗ -1↗ -2↗ -3↗ -4↗ -5↗
";
    assert!(drawn == expected[1..], "drawn:\n{drawn}");
}

#[test]
fn marks_of_adjacent_fields_share_a_border() {
    let position = position("9 - -1,1:rG;0,0:rQbB;1,-1:bQ AAABBGSSS/AAABGGSSS");
    let last: Move = "drag -1,1 0,0".parse().unwrap();
    let drawn = board(&marked_diagram(&position, Some(last)), ColorMode::Plain).to_string();
    assert!(drawn.contains("│   (rG [bB²]bQ │"), "{drawn}");
}

#[test]
fn colours_replace_the_owners_letters() {
    let position = position("9 0,1;2,3;4,-5 -1,1:rG;0,0:rQbB;1,-1:bQ AAABBGSSS/AAABGGSSS");
    let plain = board(&marked_diagram(&position, None), ColorMode::Plain).to_string();
    let colored = board(&marked_diagram(&position, None), ColorMode::Color).to_string();
    assert!(!plain.contains('\u{1b}'));
    let stripped = anstream::adapter::strip_str(&colored).to_string();
    assert_eq!(
        stripped,
        plain
            .replace("rG", " G")
            .replace("bB", " B")
            .replace("bQ", " Q")
    );
}

#[test]
fn legend_shows_the_result() {
    let position = position("60 - 0,0:rQ;1,-1:bA;2,-2:bQ AAABBGGSSS/AABBGGSSS");
    assert!(
        legend(&marked_diagram(&position, None), ColorMode::Plain)
            .to_string()
            .starts_with("round 30 of 30\ndraw\n")
    );
}
