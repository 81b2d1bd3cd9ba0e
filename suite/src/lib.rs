//! Runs the Markdown suite.
