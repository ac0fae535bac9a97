//! Encodes the built-in networks so that they compress by a sixth more in the board's page: the
//! sign of each 16-bit number becomes its lowest bit, and low bytes are separated from high bytes.
//! The page's contest network is smaller than the program's, so that the page loads faster.

use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR");
    let is_page = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32");
    let contest = if is_page {
        "contest-page.net"
    } else {
        "contest.net"
    };
    for (file, name) in [(contest, "contest.net"), ("standard.net", "standard.net")] {
        let path = Path::new("src/evaluation").join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        let bytes = fs::read(&path).expect("the network can be read");
        let (numbers, _) = bytes.as_chunks();
        let numbers = numbers.iter().map(|&number| i16::from_le_bytes(number));
        let encoded = numbers.map(|number| (number << 1 ^ number >> 15).to_le_bytes());
        let (low, high): (Vec<u8>, Vec<u8>) = encoded.map(|[low, high]| (low, high)).unzip();
        let planes = [low, high].concat();
        fs::write(Path::new(&folder).join(name), planes).expect("the network can be written");
    }
}
