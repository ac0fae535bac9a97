//! Arena, local matches, the engine for viewers, tuning, and the scripts around them.

mod arena_command;
mod arena_programs;
mod arena_scripts;
mod arena_standard;
mod check;
mod examples;
mod links;
mod match_command;
mod match_scripts;
mod package_trial;
mod processes;
mod release;
mod results;
mod signals;
mod tuning;
mod uhp;
mod words;
