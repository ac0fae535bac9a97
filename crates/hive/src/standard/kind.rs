//! The eight piece kinds of the standard game.

use super::super::piece::kinds;

kinds! {
    bee: Queen, climbers: Beetle Mosquito;
    /// The queen bee: one slide. The game is lost when she is surrounded.
    Queen 'Q' "queen",
    /// The spider: exactly three slides.
    Spider 'S' "spider",
    /// The beetle: one step, also onto other pieces.
    Beetle 'B' "beetle",
    /// The grasshopper: jumps over a straight row of pieces.
    Grasshopper 'G' "grasshopper",
    /// The soldier ant: any number of slides.
    Ant 'A' "ant",
    /// The mosquito: moves like the pieces it touches.
    Mosquito 'M' "mosquito",
    /// The ladybug: two steps on top of the hive and one down.
    Ladybug 'L' "ladybug",
    /// The pillbug: one slide, or throws an adjacent piece.
    Pillbug 'P' "pillbug",
}

impl Kind {
    /// Number of pieces per side in games with this kind.
    pub const fn pieces_per_side(self) -> u8 {
        match self {
            Kind::Queen | Kind::Mosquito | Kind::Ladybug | Kind::Pillbug => 1,
            Kind::Spider | Kind::Beetle => 2,
            Kind::Grasshopper | Kind::Ant => 3,
        }
    }
}
