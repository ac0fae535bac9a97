//! One table: game after game, both players in one task.

use std::net::SocketAddr;
use std::sync::Arc;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};
use wabe::hive::contest::MoveList;
use wabe::protocol::{ClientData, ClientMessage, WireMove};

use crate::client::{Call, Client};
use crate::statistics::Tally;

/// Plays until `end` and counts from `begin` on.
pub async fn play_until(
    end: Instant,
    begin: Instant,
    address: SocketAddr,
    admin: Arc<Mutex<Client>>,
    seed: u64,
) -> Tally {
    let mut tally = Tally::new(begin);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    while Instant::now() < end {
        match timeout_at(end, play(address, &admin, &mut rng, &mut tally)).await {
            // The time is up.
            Err(_) => break,
            Ok(Ok(())) => tally.count_game(),
            Ok(Err(error)) => tally.count_failure(error.to_string()),
        }
    }
    tally
}

async fn play(
    address: SocketAddr,
    admin: &Mutex<Client>,
    rng: &mut impl Rng,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let (room, codes) = admin.lock().await.prepare(["red", "blue"]).await?;
    let mut players = [
        Client::connect(address).await?,
        Client::connect(address).await?,
    ];
    for (player, code) in players.iter_mut().zip(codes) {
        player.send(&ClientMessage::JoinPrepared(code)).await?;
    }
    let mut position = players[0].first_position().await?;
    let mut moves = MoveList::new();
    let mut text = String::new();
    loop {
        let color = position.side_to_move();
        let player = &mut players[color as usize];
        if player.next_call().await? == Call::Result {
            anyhow::ensure!(position.outcome().is_some(), "a game ended early");
            return Ok(());
        }
        tally.arrived();
        moves.clear();
        position.legal_moves(&mut moves);
        let mv = *moves
            .choose(rng)
            .ok_or_else(|| anyhow::anyhow!("a move was requested after the end"))?;
        position.play(mv);
        text.clear();
        let data = ClientData::Move(WireMove::new(mv, color, None));
        let room = room.clone();
        ClientMessage::Room { room, data }.write(&mut text);
        player.send_text(&text).await?;
        tally.sent();
    }
}
