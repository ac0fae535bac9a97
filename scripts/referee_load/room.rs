//! One table: game after game, both players in one task.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};
use wabe::hive::contest::MoveList;
use wabe::protocol::{ClientMessage, WireMove};

use crate::client::{Call, Client};
use crate::statistics::Tally;

/// What a table needs to know.
#[derive(Clone)]
pub struct Table {
    pub address: SocketAddr,
    /// Who prepares the rooms.
    pub admin: Arc<Mutex<Client>>,
    /// How long a player waits before it answers.
    pub think: Duration,
    /// From when on plies count.
    pub begin: Instant,
    pub end: Instant,
}

impl Table {
    pub async fn play_until_the_end(self, seed: u64) -> Tally {
        let mut tally = Tally::new(self.begin);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        while Instant::now() < self.end {
            match timeout_at(self.end, self.play(&mut rng, &mut tally)).await {
                // The time is up.
                Err(_) => break,
                Ok(Ok(())) => tally.count_game(),
                Ok(Err(error)) => tally.count_failure(error.to_string()),
            }
        }
        tally
    }

    async fn play(&self, rng: &mut impl Rng, tally: &mut Tally) -> anyhow::Result<()> {
        let (room, codes) = self.admin.lock().await.prepare(["red", "blue"]).await?;
        let mut players = [
            Client::connect(self.address).await?,
            Client::connect(self.address).await?,
        ];
        for (player, code) in players.iter_mut().zip(codes) {
            player.send(&ClientMessage::JoinPrepared(code)).await?;
        }
        let mut position = players[0].first_position().await?;
        let mut moves = MoveList::new();
        loop {
            let color = position.side_to_move();
            let player = &mut players[color as usize];
            if player.next_call().await? == Call::Result {
                anyhow::ensure!(position.outcome().is_some(), "a game ended early");
                return Ok(());
            }
            tally.arrived();
            if !self.think.is_zero() {
                tokio::time::sleep(self.think).await;
            }
            moves.clear();
            position.legal_moves(&mut moves);
            let mv = *moves
                .choose(rng)
                .ok_or_else(|| anyhow::anyhow!("a move was requested after the end"))?;
            position.play(mv);
            let (room, mv) = (room.clone(), WireMove::new(mv, color, None));
            let text = ClientMessage::Move { room, mv }.to_xml();
            // The server may have answered by the time that the write returns.
            tally.sent();
            player.send_text(&text).await?;
        }
    }
}
