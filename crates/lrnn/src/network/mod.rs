//! The network room. In: a template and a grounding. Out: values.
