//! What administrators ask for.

use crate::referee::Referee;

#[test]
fn only_administrators_can_prepare_and_observe() {
    let referee = Referee::start(|_| {});
    let [red, blue] = referee.joined_players();
    let mut stranger = referee.connect();
    stranger.observe(&red.room.clone().unwrap());
    stranger.send_text("<prepare gameType=\"swc_2020_hive\"/><testMode testMode=\"true\"/>");
    stranger.send_text("<close/>");
    assert_eq!(stranger.rest(), [""; 0]);
    drop(blue);
}

#[test]
fn administrators_hear_of_players_that_join() {
    let referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    admin.send_text("<testMode testMode=\"false\"/>");
    admin.skip_to("testing false");
    let _players = referee.joined_players();
    admin.skip_to("joinedGameRoom false");
    admin.skip_to("joinedGameRoom true");
}
