//! Tests of arena, matches, UHP engine and tuning, and of the scripts that use them.

#[path = "../common/wabe.rs"]
mod wabe;

mod arena_command;
mod arena_programs;
mod arena_scripts;
mod arena_standard;
mod check;
mod examples;
mod match_command;
mod match_scripts;
mod package_trial;
mod perft;
mod processes;
mod results;
mod signals;
mod tuning;
mod uhp;
mod untrusted_text;
