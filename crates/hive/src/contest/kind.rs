//! The contest's five kinds of piece.

use super::super::piece::kinds;

kinds! {
    bee: Bee, climbers: Beetle;
    /// The bee: one slide; surrounded, it loses the game.
    Bee 'Q' "bee",
    /// The spider: exactly three slides.
    Spider 'S' "spider",
    /// The beetle: one step, over other pieces too.
    Beetle 'B' "beetle",
    /// The grasshopper: jumps over a straight row.
    Grasshopper 'G' "grasshopper",
    /// The ant: any number of slides.
    Ant 'A' "ant",
}
