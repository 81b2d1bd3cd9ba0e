//! Files for lrnn.
