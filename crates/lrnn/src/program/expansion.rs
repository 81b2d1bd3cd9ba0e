//! Queries with variables: the atoms of the model that match take their place.

use std::collections::BTreeSet;

use super::Program;
use crate::data::{Dataset, LiftedQuery, Query, TermPattern};
use crate::diagnostic::{Diagnostic, Error, ErrorKind};
use crate::ground::{Limits, Statistics};
use crate::template::Template;

impl Template {
    /// Puts the atoms of the model that match in the place of queries with variables, each with the target and the weight
    /// of its query; an atom that another query of the example asks for stays that one's. Returns what there is to say:
    /// queries that nothing matches.
    ///
    /// ```
    /// use lrnn::data::Layout;
    /// use lrnn::{Limits, Template};
    /// let template = Template::parse("foal(A) :- parent(A, P), horse(P).")?;
    /// let mut data = template.data();
    /// data.text("examples", "1 foal(star), 0 foal(X) :- horse(aida), parent(star, aida), parent(bob, aida).", Layout::Examples);
    /// let mut data = data.build()?;
    /// template.expand(&mut data, Limits::default())?;
    /// assert_eq!(data.queries[0].len(), 2);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn expand(&self, dataset: &mut Dataset, limits: Limits) -> Result<Vec<Diagnostic>, Error> {
        if dataset.lifted.is_empty() {
            return Ok(Vec::new());
        }
        Program::with_statistics(self, dataset, Statistics::of(dataset), limits, false)?.expand(dataset)
    }
}

impl Program {
    /// Does the same as [`Template::expand`], for data in the names of the program.
    pub fn expand(&self, dataset: &mut Dataset) -> Result<Vec<Diagnostic>, Error> {
        let lifted = std::mem::take(&mut dataset.lifted);
        if dataset.examples.len() == 1 && dataset.folds.len() > 1 {
            let message = "folds say where each query belongs, but queries have variables";
            let diagnostic = Diagnostic::error("D0137", lifted[0].span, message);
            let help = "write the atoms themselves, or leave the folds out";
            return Err(Error::of(ErrorKind::Content, vec![diagnostic.help(help)], &dataset.sources));
        }
        let mut missed = Vec::new();
        for of_example in lifted.chunk_by(|a, b| a.example == b.example) {
            self.expand_example(dataset, of_example, &mut missed)?;
        }
        Ok(unmatched(&missed).into_iter().collect())
    }

    fn expand_example(
        &self,
        dataset: &mut Dataset,
        lifted: &[LiftedQuery],
        missed: &mut Vec<LiftedQuery>,
    ) -> Result<(), Error> {
        let example = lifted[0].example;
        // Data may know more predicates than a model.
        let is_known = |query: &&LiftedQuery| query.predicate.index() < self.template().predicates.len();
        let scope = self.plans().scope(lifted.iter().filter(is_known).map(|query| query.predicate));
        let runs = self.ground_part(dataset, example, scope)?;
        let asked = &mut dataset.queries[example];
        let mut known: BTreeSet<_> =
            asked.iter().map(|query| (query.predicate, query.terms.clone())).collect();
        for query in lifted {
            let &LiftedQuery { predicate, weight, span, .. } = query;
            let relation = runs.grounding.relations.get(predicate.index());
            let rows = relation.into_iter().flat_map(|relation| relation.rows());
            let mut has_matched = false;
            for terms in rows.filter(|terms| TermPattern::all_match(&query.terms, terms)) {
                has_matched = true;
                if known.insert((predicate, terms.to_vec())) {
                    let (terms, target) = (terms.to_vec(), query.target.clone());
                    asked.push(Query { predicate, terms, target, weight, span });
                }
            }
            if !has_matched {
                missed.push(query.clone());
            }
        }
        Ok(())
    }
}

/// Returns the warning of queries that no atom matches.
fn unmatched(missed: &[LiftedQuery]) -> Option<Diagnostic> {
    let first = missed.first()?;
    let message = match missed.len() {
        1 => "no atom of the model matches this query".to_owned(),
        count => format!("no atom of the model matches this query, nor {} others", count - 1),
    };
    let help = "`lrnn query` prints the atoms of the model";
    Some(Diagnostic::warning("D0208", first.span, message).help(help))
}
