//! A reference implementation of the contest's rules, simple and slow: a map from coordinates to
//! stacks, pieces as letters, moves as text. Shares no code with the library.

use std::collections::{BTreeSet, HashMap, HashSet};

pub(crate) type Field = (i32, i32);

const STEPS: [Field; 6] = [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)];

#[derive(Clone, Debug)]
pub(crate) struct Game {
    turn: u32,
    brambles: HashSet<Field>,
    /// Pieces from bottom to top as (`r` or `b`, kind). Entries are never empty.
    stacks: HashMap<Field, Vec<(char, char)>>,
    /// Unplaced kinds of each side, `r` and `b`.
    reserve: HashMap<char, Vec<char>>,
}

fn on_board((x, y): Field) -> bool {
    [x, y, -x - y].into_iter().all(|c| (-5..=5).contains(&c))
}

fn around((x, y): Field) -> Vec<Field> {
    let mut fields: Vec<Field> = STEPS.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    fields.retain(|&field| on_board(field));
    fields
}

fn all_fields() -> impl Iterator<Item = Field> {
    (-5..=5)
        .flat_map(|x| (-5..=5).map(move |y| (x, y)))
        .filter(|&field| on_board(field))
}

fn parse_field(text: &str) -> Field {
    let (x, y) = text.split_once(',').expect("x,y");
    (x.parse().expect("a number"), y.parse().expect("a number"))
}

impl Game {
    /// Reads a well-formed text form of a position.
    pub(crate) fn from_text(text: &str) -> Game {
        let fields: Vec<&str> = text.split(' ').collect();
        let [turn, brambles, stacks, reserves] = fields[..] else {
            panic!("expected four fields: {text}");
        };
        let list = |text: &str| -> Vec<String> {
            let items = text.split(';').filter(|item| *item != "-");
            items.map(str::to_owned).collect()
        };
        let (red, blue) = reserves.split_once('/').expect("two reserves");
        let kinds = |text: &str| text.chars().filter(|c| *c != '-').collect();
        Game {
            turn: turn.parse().expect("a turn"),
            brambles: list(brambles).iter().map(|f| parse_field(f)).collect(),
            stacks: list(stacks)
                .iter()
                .map(|stack| {
                    let (field, pieces) = stack.split_once(':').expect("a stack");
                    let letters: Vec<char> = pieces.chars().collect();
                    let pieces = letters.chunks(2).map(|p| (p[0], p[1])).collect();
                    (parse_field(field), pieces)
                })
                .collect(),
            reserve: HashMap::from([('r', kinds(red)), ('b', kinds(blue))]),
        }
    }

    fn mover(&self) -> char {
        if self.turn.is_multiple_of(2) {
            'r'
        } else {
            'b'
        }
    }

    fn holds_piece(&self, field: Field) -> bool {
        self.stacks.contains_key(&field)
    }

    fn is_free(&self, field: Field) -> bool {
        on_board(field) && !self.holds_piece(field) && !self.brambles.contains(&field)
    }

    fn blocks(&self, field: Field) -> bool {
        self.holds_piece(field) || self.brambles.contains(&field)
    }

    fn top(&self, field: Field) -> Option<(char, char)> {
        self.stacks.get(&field)?.last().copied()
    }

    fn bee(&self, color: char) -> Option<Field> {
        let mut stacks = self.stacks.iter();
        stacks
            .find(|(_, pieces)| pieces.contains(&(color, 'Q')))
            .map(|(&field, _)| field)
    }

    /// Free fields around the bee, -1 while it is in reserve.
    pub(crate) fn free_around_bee(&self, color: char) -> i64 {
        match self.bee(color) {
            Some(bee) => around(bee).into_iter().filter(|&f| self.is_free(f)).count() as i64,
            None => -1,
        }
    }

    /// `red`, `blue` or `draw`; `None` while the game is running.
    pub(crate) fn result(&self) -> Option<&'static str> {
        if self.turn % 2 == 1 {
            return None;
        }
        let (red, blue) = (self.free_around_bee('r'), self.free_around_bee('b'));
        if red == 0 && blue == 0 {
            Some("draw")
        } else if red == 0 {
            Some("blue")
        } else if blue == 0 {
            Some("red")
        } else if self.turn < 60 {
            None
        } else if red > blue {
            Some("red")
        } else if blue > red {
            Some("blue")
        } else {
            Some("draw")
        }
    }

    /// The texts of all legal moves.
    pub(crate) fn moves(&self) -> BTreeSet<String> {
        let mut moves = BTreeSet::new();
        if self.result().is_some() {
            return moves;
        }
        self.add_placements(&mut moves);
        if self.bee(self.mover()).is_some() {
            self.add_drags(&mut moves);
        }
        if moves.is_empty() {
            moves.insert("skip".to_owned());
        }
        moves
    }

    fn add_placements(&self, moves: &mut BTreeSet<String>) {
        let mover = self.mover();
        let has_placed = self
            .stacks
            .values()
            .flatten()
            .any(|&(color, _)| color == mover);
        let bee_is_due = self.turn / 2 >= 3 && self.bee(mover).is_none();
        for &kind in &self.reserve[&mover] {
            if bee_is_due && kind != 'Q' {
                continue;
            }
            for field in all_fields().filter(|&f| self.is_free(f)) {
                let neighbours = around(field);
                let tops: Vec<char> = neighbours
                    .iter()
                    .filter_map(|&n| self.top(n))
                    .map(|(color, _)| color)
                    .collect();
                let allowed = if has_placed {
                    tops.contains(&mover) && tops.iter().all(|&color| color == mover)
                } else {
                    self.stacks.is_empty() || !tops.is_empty()
                };
                if allowed {
                    moves.insert(format!("set {kind} {},{}", field.0, field.1));
                }
            }
        }
    }

    fn add_drags(&self, moves: &mut BTreeSet<String>) {
        for (&from, pieces) in &self.stacks {
            let &(color, kind) = pieces.last().expect("no stack is empty");
            if color != self.mover() {
                continue;
            }
            let mut lifted = self.clone();
            lifted.take(from);
            if !lifted.is_connected() {
                continue;
            }
            for to in lifted.destinations(kind, from) {
                moves.insert(format!("drag {},{} {},{}", from.0, from.1, to.0, to.1));
            }
        }
    }

    fn is_connected(&self) -> bool {
        let Some(&start) = self.stacks.keys().next() else {
            return true;
        };
        let mut seen = HashSet::from([start]);
        let mut to_visit = vec![start];
        while let Some(field) = to_visit.pop() {
            for next in around(field) {
                if self.holds_piece(next) && seen.insert(next) {
                    to_visit.push(next);
                }
            }
        }
        seen.len() == self.stacks.len()
    }

    fn shared_neighbours(a: Field, b: Field) -> Vec<Field> {
        let around_b = around(b);
        let mut shared = around(a);
        shared.retain(|field| around_b.contains(field));
        shared
    }

    fn slides(&self, from: Field) -> Vec<Field> {
        let may_slide = |&to: &Field| {
            let shared = Game::shared_neighbours(from, to);
            let contact = shared.iter().any(|&f| self.holds_piece(f));
            let gate = shared.len() == 2 && shared.iter().all(|&f| self.blocks(f));
            self.is_free(to) && contact && !gate
        };
        around(from).into_iter().filter(may_slide).collect()
    }

    /// The destinations of a piece of `kind` that has been lifted off `from`.
    fn destinations(&self, kind: char, from: Field) -> HashSet<Field> {
        match kind {
            'Q' => self.slides(from).into_iter().collect(),
            'A' => {
                let mut reached = HashSet::from([from]);
                let mut to_visit = vec![from];
                while let Some(field) = to_visit.pop() {
                    for next in self.slides(field) {
                        if reached.insert(next) {
                            to_visit.push(next);
                        }
                    }
                }
                reached.remove(&from);
                reached
            }
            'S' => {
                let mut ends = HashSet::new();
                for first in self.slides(from) {
                    for second in self.slides(first) {
                        for third in self.slides(second) {
                            let path = HashSet::from([from, first, second, third]);
                            if path.len() == 4 {
                                ends.insert(third);
                            }
                        }
                    }
                }
                ends
            }
            'G' => {
                let mut ends = HashSet::new();
                for (dx, dy) in STEPS {
                    let mut field = (from.0 + dx, from.1 + dy);
                    let mut jumped = 0;
                    while self.holds_piece(field) {
                        field = (field.0 + dx, field.1 + dy);
                        jumped += 1;
                    }
                    if jumped > 0 && self.is_free(field) {
                        ends.insert(field);
                    }
                }
                ends
            }
            'B' => {
                let may_step = |&to: &Field| {
                    let mut touched = Game::shared_neighbours(from, to);
                    touched.extend([from, to]);
                    !self.brambles.contains(&to) && touched.iter().any(|&f| self.holds_piece(f))
                };
                around(from).into_iter().filter(may_step).collect()
            }
            _ => panic!("unknown kind: {kind}"),
        }
    }

    fn take(&mut self, field: Field) -> (char, char) {
        let pieces = self.stacks.get_mut(&field).expect("a piece to take");
        let piece = pieces.pop().expect("no stack is empty");
        if pieces.is_empty() {
            self.stacks.remove(&field);
        }
        piece
    }

    /// Makes a legal move.
    pub(crate) fn play(&mut self, mv: &str) {
        let mover = self.mover();
        match mv.split(' ').collect::<Vec<_>>()[..] {
            ["set", kind, to] => {
                let kind = kind.chars().next().expect("a kind");
                let reserve = self.reserve.get_mut(&mover).expect("both sides have one");
                let index = reserve.iter().position(|&k| k == kind).expect("a piece");
                reserve.remove(index);
                let pieces = self.stacks.entry(parse_field(to)).or_default();
                pieces.push((mover, kind));
            }
            ["drag", from, to] => {
                let piece = self.take(parse_field(from));
                self.stacks.entry(parse_field(to)).or_default().push(piece);
            }
            ["skip"] => {}
            _ => panic!("malformed move: {mv}"),
        }
        self.turn += 1;
    }
}
