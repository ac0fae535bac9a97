//! The network's input: features of a position, each on or off.
//!
//! Positions are viewed by the side to move at the turn of the evaluation, called the viewer. Every
//! game has these features:
//!
//! - for each piece and each bee: the piece's owner, kind, [`State`] and [`Displacement`] from the
//!   bee;
//! - for each bee: the adjacent free fields to which no piece can slide;
//! - for each side and kind: the number of pieces in reserve.
//!
//! The game's own features follow.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::displacement::{DISPLACEMENTS, Displacement};
use super::network::{BUCKET_COUNT, Network};
use wabe_hive::hex::{Cell, CellSet, Direction, Grid, Symmetry};
use wabe_hive::{
    ByColor, CellSetOf, Color, KindOf, Move, Piece, PieceKind, PieceOf, Position, RuleBook,
};

/// A feature, identified by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature(u16);

impl Feature {
    /// `number` must be below [`Features::FEATURE_COUNT`].
    #[inline]
    pub const fn new(number: usize) -> Feature {
        Feature(number as u16)
    }

    /// Below [`Features::FEATURE_COUNT`].
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// An output bucket of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket(u8);

impl Bucket {
    /// The bucket with this number; the last one for larger numbers.
    #[inline]
    pub const fn new(number: usize) -> Bucket {
        if number < BUCKET_COUNT {
            Bucket(number as u8)
        } else {
            Bucket(BUCKET_COUNT as u8 - 1)
        }
    }

    /// Below [`BUCKET_COUNT`].
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// Maximum number of features that a ply turns off, or on, if it does not move a bee: those of the
/// pieces on two fields, those of all pieces whose state changes, and a few of each other group.
const MAX_CHANGES: usize = 160;

/// The features that a ply turns off and on. A feature may be in both lists.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub(super) off: ArrayVec<Feature, MAX_CHANGES>,
    pub(super) on: ArrayVec<Feature, MAX_CHANGES>,
}

impl Changes {
    /// Turns `old` off and `new` on, unless they are the same.
    #[inline]
    pub fn replace(&mut self, old: Feature, new: Feature) {
        if old != new {
            self.off.push(old);
            self.on.push(new);
        }
    }
}

/// The state of a piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// On the ground, neither pinned nor enclosed.
    Free,
    /// On the ground, an articulation point of the hive.
    Pinned,
    /// On the ground, without a slide in any direction.
    Enclosed,
    /// On top of another piece.
    OnTop,
    /// Under another piece.
    Covered,
}

/// Number of [`State`]s.
const STATES: usize = 5;

/// The viewer's side and the other one.
pub(super) const SIDES: usize = 2;

/// Number of values that a count of pieces in reserve can take: 0 to 3.
pub(super) const RESERVE_COUNTS: usize = 4;

/// Number of values that a count of fields around a bee can take: 0 to 6, or a bee in reserve.
pub(super) const AROUND: usize = 8;

/// A rule book whose positions a network can evaluate. Requires that bees do not climb, that pieces
/// are placed on free fields, and that moves change the bucket only through the turn.
pub trait Features: RuleBook {
    /// Name and version of the features: the first bytes of every network file for them.
    const FEATURE_SET: &'static [u8; 8];

    /// Number of features; some of them may never occur.
    const FEATURE_COUNT: usize;

    /// Trained weights of features are multiples of this, so that networks compress better.
    const WEIGHT_STEP: i16;

    /// Number of feature groups for the six fields around a bee, such as "no piece can slide
    /// there"; at least one.
    const SURROUNDINGS: usize = 1;

    /// The index of the group "no piece can slide there".
    const CLOSED: usize = 0;

    /// Number of the first of 64 features for the counts of free (contest) or occupied (standard
    /// Hive) fields around both bees:
    /// `AROUND_BEES + 8 * count at the viewer's bee + count at the other bee`.
    const AROUND_BEES: usize;

    /// Data that the game's own features need besides the position.
    type Facts: Copy + Send + Sync;

    /// The network that is compiled into the program.
    fn built_in() -> Arc<Network>;

    /// Computes the data for the game's own features.
    fn facts(position: &Position<Self>, pinned: CellSetOf<Self>) -> Self::Facts;

    /// The output bucket for `position` at a turn.
    fn bucket(position: &Position<Self>, turn: u16) -> Bucket;

    /// The game's own features of a position.
    fn own_features(view: &View<'_, Self>, sink: &mut impl FnMut(Feature));

    /// The changes of the game's own features between two positions with their bees on the same
    /// fields.
    fn own_changes(before: &View<'_, Self>, after: &View<'_, Self>, changes: &mut Changes);

    /// Converts one of the eight counts of [`AROUND_BEES`](Features::AROUND_BEES) to the number of
    /// free fields around the bee; `None` for a bee in reserve.
    fn free_around(count: usize) -> Option<u8>;

    /// The displacement of a field from a bee.
    #[inline]
    fn displacement(bee: Cell, cell: Cell) -> Displacement {
        Displacement::from_steps(Self::Grid::displacement(bee, cell))
    }
}

const fn kinds<R: Features>() -> usize {
    <KindOf<R> as PieceKind>::ALL.len()
}

/// Number of piece features.
const fn pieces<R: Features>() -> usize {
    SIDES * SIDES * kinds::<R>() * STATES * DISPLACEMENTS
}

/// Number of the first feature without a displacement.
const fn spatial<R: Features>() -> usize {
    pieces::<R>() + SIDES * R::SURROUNDINGS * DISPLACEMENTS
}

/// Number of the first of the game's own features that have no displacement. They use the numbers
/// from there to [`Features::FEATURE_COUNT`].
pub const fn first_game_feature<R: Features>() -> usize {
    spatial::<R>() + SIDES * kinds::<R>() * RESERVE_COUNTS
}

/// The feature of a field around a bee in one of the [`Features::SURROUNDINGS`] groups. `bee` is 0
/// for the viewer's, 1 for the other side's.
#[inline]
pub fn bee_ring_feature<R: Features>(
    bee: usize,
    group: usize,
    displacement: Displacement,
) -> Feature {
    let place = bee * R::SURROUNDINGS + group;
    Feature::new(pieces::<R>() + place * DISPLACEMENTS + displacement.number())
}

/// The feature for `count` pieces of a kind in a reserve. `side` is 0 for the viewer, 1 for the
/// other side.
#[inline]
pub(super) fn reserve_feature<R: Features>(side: usize, kind: KindOf<R>, count: usize) -> Feature {
    let place = side * kinds::<R>() + kind.index();
    Feature::new(spatial::<R>() + place * RESERVE_COUNTS + count)
}

#[inline]
fn in_reserve<R: Features>(view: &View<'_, R>, color: Color, kind: KindOf<R>) -> Feature {
    let count = usize::from(view.position.reserve(color).count(kind)).min(RESERVE_COUNTS - 1);
    reserve_feature::<R>(view.side(color), kind, count)
}

/// For each feature, its image under `symmetry`.
pub fn symmetry_table<R: Features>(symmetry: Symmetry) -> Vec<Feature> {
    let images = Displacement::images(symmetry);
    let image = |feature: usize| {
        if feature >= spatial::<R>() {
            return Feature::new(feature);
        }
        let displacement = feature % DISPLACEMENTS;
        Feature::new(feature - displacement + usize::from(images[displacement]))
    };
    (0..R::FEATURE_COUNT).map(image).collect()
}

/// A position from the view of the side to move at a turn.
#[derive(Clone, Copy)]
pub struct View<'p, R: Features> {
    /// The viewed position.
    pub position: &'p Position<R>,
    /// The side to move at `turn`.
    pub viewer: Color,
    /// The turn of the evaluation, in plies from 0.
    pub turn: u16,
    /// The fields with a single piece that is an articulation point.
    pinned: CellSetOf<R>,
    /// The occupied fields from which no piece can slide.
    enclosed: CellSetOf<R>,
    /// The free fields beside each bee to which no piece can slide, as a ring.
    closed: ByColor<u8>,
    /// See [`Features::facts`].
    pub facts: R::Facts,
}

impl<'p, R: Features> View<'p, R> {
    /// Views `position` from the side to move at `turn`.
    #[inline]
    pub(super) fn new(
        position: &'p Position<R>,
        turn: u16,
        articulation_points: CellSetOf<R>,
    ) -> View<'p, R> {
        let slides = position.slide_ends();
        let pinned = articulation_points - position.stacked();
        View {
            position,
            viewer: Color::to_move(turn),
            turn,
            pinned,
            enclosed: position.occupied() - slides,
            closed: ByColor::from_fn(|color| match position.bee(color) {
                Some(bee) => R::Grid::ring(position.free() - slides, bee),
                None => 0,
            }),
            facts: R::facts(position, pinned),
        }
    }

    /// 0 for the viewer, 1 for the other side.
    #[inline]
    pub fn side(&self, color: Color) -> usize {
        usize::from(color != self.viewer)
    }

    /// Passes every active feature to `sink`.
    #[inline]
    pub(super) fn features(&self, sink: &mut impl FnMut(Feature)) {
        self.features_with(|cell| self.top_features(cell), sink);
    }

    /// Passes every active feature to `sink`. `top` returns those of the top piece of an occupied
    /// field.
    #[inline]
    fn features_with(&self, top: impl Fn(Cell) -> PieceFeatures, sink: &mut impl FnMut(Feature)) {
        for cell in self.position.occupied() {
            self.features_of_field(cell, top(cell), sink);
        }
        for color in Color::ALL {
            self.closed_features(color, self.closed[color], sink);
            for &kind in KindOf::<R>::ALL {
                sink(in_reserve(self, color, kind));
            }
        }
        R::own_features(self, sink);
    }

    #[inline]
    fn features_of_field(&self, cell: Cell, top: PieceFeatures, sink: &mut impl FnMut(Feature)) {
        if self.position.stacked().contains(cell) {
            for piece in self.position.covered_on(cell) {
                self.piece_features(cell, piece)
                    .sink_in(State::Covered, sink);
            }
        }
        top.sink_in(self.state(cell), sink);
    }

    /// The state of a field's top piece.
    #[inline]
    fn state(&self, cell: Cell) -> State {
        if self.position.stacked().contains(cell) {
            State::OnTop
        } else if self.pinned.contains(cell) {
            State::Pinned
        } else if self.enclosed.contains(cell) {
            State::Enclosed
        } else {
            State::Free
        }
    }

    #[inline]
    fn displacement(&self, bee: Color, cell: Cell) -> Displacement {
        match self.position.bee(bee) {
            Some(bee) => R::displacement(bee, cell),
            None => Displacement::UNKNOWN,
        }
    }

    #[inline]
    fn piece_features(&self, cell: Cell, piece: PieceOf<R>) -> PieceFeatures {
        let owner = self.side(piece.color);
        PieceFeatures(ByColor::from_fn(|bee| {
            let place = (self.side(bee) * SIDES + owner) * kinds::<R>() + piece.kind.index();
            let displacement = self.displacement(bee, cell);
            Feature::new(place * STATES * DISPLACEMENTS + displacement.number())
        }))
    }

    /// The features of the top piece of an occupied field.
    #[inline]
    fn top_features(&self, cell: Cell) -> PieceFeatures {
        let top = self.position.top(cell);
        top.map_or(PieceFeatures::default(), |piece| {
            self.piece_features(cell, piece)
        })
    }

    #[inline]
    fn closed_features(&self, color: Color, ring: u8, sink: &mut impl FnMut(Feature)) {
        if ring == 0 {
            return;
        }
        for direction in Direction::ALL {
            if ring >> direction.index() & 1 != 0 {
                let displacement = Displacement::from_direction(direction);
                sink(bee_ring_feature::<R>(
                    self.side(color),
                    R::CLOSED,
                    displacement,
                ));
            }
        }
    }
}

/// The features of a piece in the first [`State`], one per bee.
#[derive(Clone, Copy, Debug, Default)]
struct PieceFeatures(ByColor<Feature>);

impl PieceFeatures {
    #[inline]
    fn in_state(self, state: State) -> [Feature; SIDES] {
        Color::ALL.map(|bee| Feature::new(self.0[bee].number() + state as usize * DISPLACEMENTS))
    }

    #[inline]
    fn sink_in(self, state: State, sink: &mut impl FnMut(Feature)) {
        self.in_state(state).into_iter().for_each(sink);
    }

    /// The features of the same piece on `cell`, with the bees of `view`.
    #[inline]
    fn at<R: Features>(self, cell: Cell, view: &View<'_, R>) -> PieceFeatures {
        PieceFeatures(ByColor::from_fn(|bee| {
            let number = self.0[bee].number();
            let base = number - number % DISPLACEMENTS;
            Feature::new(base + view.displacement(bee, cell).number())
        }))
    }
}

/// A view and the features of all top pieces. A move changes only a few of them.
pub(super) struct ParentFeatures<'p, R: Features> {
    view: View<'p, R>,
    /// By field index. Meaningless for free fields.
    tops: Vec<PieceFeatures>,
}

impl<'p, R: Features> ParentFeatures<'p, R> {
    #[inline]
    pub(super) fn new(view: View<'p, R>) -> ParentFeatures<'p, R> {
        let mut tops = vec![PieceFeatures::default(); R::Grid::INDEX_BOUND];
        for cell in view.position.occupied() {
            tops[cell.index()] = view.top_features(cell);
        }
        ParentFeatures { view, tops }
    }

    #[inline]
    fn top(&self, cell: Cell) -> PieceFeatures {
        self.tops[cell.index()]
    }

    pub(super) fn position(&self) -> &'p Position<R> {
        self.view.position
    }

    /// The features of the top piece of an occupied field.
    #[inline]
    pub(super) fn current_features(&self, cell: Cell) -> [Feature; SIDES] {
        self.top(cell).in_state(self.view.state(cell))
    }

    /// The features that the top piece of `from` would have on `to`.
    #[inline]
    pub(super) fn features_if_moved(&self, from: Cell, to: Cell, state: State) -> [Feature; SIDES] {
        self.top(from).at(to, &self.view).in_state(state)
    }

    /// The features that a piece from the reserve would have on a free field.
    #[inline]
    pub(super) fn features_if_placed(&self, piece: PieceOf<R>, to: Cell) -> [Feature; SIDES] {
        self.view.piece_features(to, piece).in_state(State::Free)
    }

    /// Passes every active feature to `sink`.
    #[inline]
    pub(super) fn features(&self, sink: &mut impl FnMut(Feature)) {
        self.view.features_with(|cell| self.top(cell), sink);
    }

    /// Passes every feature that is active after moving or placing a bee to `sink`.
    #[inline]
    pub(super) fn features_after_bee(&self, after: &View<'_, R>, sink: &mut impl FnMut(Feature)) {
        // Bees never climb, so all other top pieces stay the same.
        let bees = Color::ALL.map(|color| after.position.bee(color));
        let top = |cell| {
            if bees.contains(&Some(cell)) {
                after.top_features(cell)
            } else {
                self.top(cell).at(cell, after)
            }
        };
        after.features_with(top, sink);
    }

    /// Adds to `changes` what `mv` changes; `after` must have the same viewer. Returns `false`
    /// and adds nothing if a bee was moved or placed, which changes most features.
    #[inline]
    pub(super) fn changes_to(
        &self,
        after: &View<'_, R>,
        mv: Move<R>,
        changes: &mut Changes,
    ) -> bool {
        let before = &self.view;
        let (old, new) = (before.position, after.position);
        if Color::ALL.into_iter().any(|c| old.bee(c) != new.bee(c)) {
            return false;
        }
        let mut unmoved = old.occupied() & new.occupied();
        match mv {
            Move::Pass => {}
            Move::Place { kind, to } => {
                let color = old.side_to_move();
                let piece = after.piece_features(to, Piece::new(color, kind));
                piece.sink_in(after.state(to), &mut |f| changes.on.push(f));
                changes.replace(
                    in_reserve(before, color, kind),
                    in_reserve(after, color, kind),
                );
            }
            Move::Drag { from, to }
                if !old.stacked().contains(from) && !old.occupied().contains(to) =>
            {
                let piece = self.top(from);
                piece.sink_in(before.state(from), &mut |f| changes.off.push(f));
                let piece = piece.at(to, after);
                piece.sink_in(after.state(to), &mut |f| changes.on.push(f));
            }
            Move::Drag { from, to } => {
                for cell in [from, to] {
                    if old.occupied().contains(cell) {
                        let top = self.top(cell);
                        before.features_of_field(cell, top, &mut |f| changes.off.push(f));
                    }
                    if new.occupied().contains(cell) {
                        let top = after.top_features(cell);
                        after.features_of_field(cell, top, &mut |f| changes.on.push(f));
                    }
                    unmoved.remove(cell);
                }
            }
        }
        let states = (before.pinned ^ after.pinned) | (before.enclosed ^ after.enclosed);
        for cell in states & unmoved {
            let piece = self.top(cell);
            piece.sink_in(before.state(cell), &mut |f| changes.off.push(f));
            piece.sink_in(after.state(cell), &mut |f| changes.on.push(f));
        }
        for color in Color::ALL {
            let (old_closed, new_closed) = (before.closed[color], after.closed[color]);
            before.closed_features(color, old_closed & !new_closed, &mut |f| {
                changes.off.push(f)
            });
            after.closed_features(color, new_closed & !old_closed, &mut |f| changes.on.push(f));
        }
        R::own_changes(before, after, changes);
        true
    }
}
