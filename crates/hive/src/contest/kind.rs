//! The contest's five piece kinds.

use super::super::piece::kinds;

kinds! {
    bee: Bee, climbers: Beetle;
    /// The bee: one slide. The game is lost when it is surrounded.
    Bee 'Q' "bee",
    /// The spider: exactly three slides.
    Spider 'S' "spider",
    /// The beetle: one step, also onto other pieces.
    Beetle 'B' "beetle",
    /// The grasshopper: jumps over a straight row of pieces.
    Grasshopper 'G' "grasshopper",
    /// The ant: any number of slides.
    Ant 'A' "ant",
}
