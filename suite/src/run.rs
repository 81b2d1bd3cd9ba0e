//! A file from beginning to end: every claim, every engine, every variation.

use lrnn::diagnostic::{Diagnostic, Severity};

use crate::case::{Case, CaseSettings, CaseTexts, cases};
use crate::check;
use crate::claim::{ClaimContent, ClaimKind, Claims};
use crate::engine::{ENGINES, Engine, EngineInput};
use crate::outcome::{ConstantNames, EngineOutcome, EngineStop};
use crate::reading::{Reading, SuiteProgram, read};
use crate::variation::{VARIATIONS, Variation};

/// The result of a file.
#[derive(Default)]
pub struct FileReport {
    /// Number of cases.
    pub cases: usize,
    /// Number of runs of an engine.
    pub runs: usize,
    /// Claims that do not hold, each with its heading and line.
    pub failures: Vec<String>,
}

/// Runs the text of a Markdown file.
pub fn run_text(text: &str) -> FileReport {
    let (cases, failures) = cases(text);
    let mut report = FileReport { cases: cases.len(), runs: 0, failures };
    for case in &cases {
        let mut done: Vec<CaseSettings> = Vec::new();
        for (settings, _) in &case.claims {
            if !done.contains(settings) {
                done.push(*settings);
                Runner { case, settings: *settings, report: &mut report }.run();
            }
        }
    }
    report
}

struct Runner<'a> {
    case: &'a Case,
    settings: CaseSettings,
    report: &'a mut FileReport,
}

impl<'a> Runner<'a> {
    fn fail(&mut self, line: usize, failure: &str) {
        let family = self.settings.family.map_or(String::new(), |family| format!(" ({})", family.name));
        self.report.failures.push(format!("line {line}, {}{family}: {failure}", self.case.heading));
    }

    /// Returns the claims under these settings.
    fn claims(&self) -> Vec<&'a Claims> {
        let (all, wanted) = (&self.case.claims, self.settings);
        let here = all.iter().filter(|(settings, _)| *settings == wanted);
        here.map(|(_, claims)| claims).collect()
    }

    fn run(&mut self) {
        let reading = match read(&self.case.texts, self.settings) {
            Ok(reading) => reading,
            Err(mistake) => return self.fail(self.case.line, &mistake),
        };
        let asked = self.asked(&reading);
        let outcomes = reading
            .ready
            .as_ref()
            .map(|ready| self.engine(&ENGINES[0], ready, &ConstantNames::default(), &asked));
        self.check_messages(&reading, outcomes.as_ref());
        let (Some(ready), Some(outcomes)) = (&reading.ready, &outcomes) else { return };
        if let Ok(outcomes) = outcomes {
            for claims in self.claims() {
                for failure in check::claims(claims, outcomes) {
                    self.fail(claims.line, &failure);
                }
            }
        }
        for variation in VARIATIONS {
            self.vary(variation, ready, &codes(&reading), outcomes, &asked);
        }
    }

    /// Returns the atoms that claims speak of, example by example.
    fn asked(&self, reading: &Reading) -> Vec<Vec<String>> {
        let examples = reading.ready.as_ref().map_or(0, |ready| ready.dataset.examples.len());
        let mut asked = vec![Vec::new(); examples];
        for claim in self.claims().iter().flat_map(|claims| &claims.claims) {
            let atoms: Vec<&String> = match &claim.what {
                ClaimContent::Value(atom, ..) | ClaimContent::Absent(atom) => vec![atom],
                ClaimContent::Compare(left, _, right) => vec![left, right],
                _ => continue,
            };
            let here = (0..examples).filter(|&number| claim.example.is_none_or(|example| example == number));
            here.for_each(|number| asked[number].extend(atoms.iter().copied().cloned()));
        }
        asked
    }

    fn engine(
        &mut self,
        engine: &Engine,
        ready: &SuiteProgram,
        names: &ConstantNames,
        asked: &[Vec<String>],
    ) -> Result<Vec<EngineOutcome>, EngineStop> {
        self.report.runs += 1;
        (engine.run)(&EngineInput { ready, names, asked })
    }

    /// Checks that the messages are those claimed; without a claim there is no error.
    fn check_messages(
        &mut self,
        reading: &Reading,
        outcomes: Option<&Result<Vec<EngineOutcome>, EngineStop>>,
    ) {
        let stop = outcomes.and_then(|outcomes| outcomes.as_ref().err());
        let claimed: Vec<&Claims> =
            self.claims().into_iter().filter(|claims| claims.kind == ClaimKind::Diagnostics).collect();
        for claims in &claimed {
            for failure in check::messages(claims, &reading.diagnostics, &reading.sources, stop) {
                self.fail(claims.line, &failure);
            }
        }
        if claimed.is_empty() {
            let errors = reading.diagnostics.iter().filter(|found| found.severity == Severity::Error);
            let rendered: Vec<String> = errors.map(|error| error.render(&reading.sources)).collect();
            rendered.iter().for_each(|error| self.fail(self.case.line, error));
            if let Some(stop) = stop {
                self.fail(self.case.line, &stop.message);
            }
        }
    }

    /// Checks that every engine on a variation agrees with the oracle on the texts as written.
    fn vary(
        &mut self,
        variation: &Variation,
        ready: &SuiteProgram,
        expected: &[&'static str],
        oracle: &Result<Vec<EngineOutcome>, EngineStop>,
        asked: &[Vec<String>],
    ) {
        let Some((texts, names)) = (variation.apply)(&self.case.texts, ready) else { return };
        let name = variation.name;
        let reading = match read(&texts, self.settings) {
            Ok(reading) => reading,
            Err(mistake) => return self.fail(self.case.line, &format!("{name}: {mistake}")),
        };
        if codes(&reading) != expected {
            let found = codes(&reading);
            self.fail(self.case.line, &format!("{name}: messages {found:?}, as written {expected:?}"));
        }
        let Some(varied) = &reading.ready else {
            return self.fail(self.case.line, &format!("{name}: refused\n{}", in_full(&reading, &texts)));
        };
        let differences: Vec<String> = ENGINES
            .iter()
            .filter_map(|engine| {
                let outcomes = self.engine(engine, varied, &names, asked);
                let difference = difference(oracle, outcomes, engine.tolerance)?;
                Some(format!("{}: {difference}\n", engine.name))
            })
            .collect();
        if !differences.is_empty() {
            self.fail(self.case.line, &format!("{name}\n{}{}", differences.concat(), texts.template));
        }
    }
}

/// Returns how what an engine gave differs from the oracle's, if it does.
fn difference(
    oracle: &Result<Vec<EngineOutcome>, EngineStop>,
    outcomes: Result<Vec<EngineOutcome>, EngineStop>,
    tolerance: f64,
) -> Option<String> {
    match (oracle, outcomes) {
        // The oracle itself differs in the last bits where a variation changes the order of a sum.
        (Ok(oracle), Ok(found)) => check::agreement(oracle, &found, tolerance.max(1e-13)),
        (Err(oracle), Err(found)) => (oracle.code != found.code).then_some(found.message),
        (Ok(_), Err(found)) => Some(found.message),
        (Err(oracle), Ok(_)) => Some(format!("no error, of the oracle: {}", oracle.message)),
    }
}

/// Returns the codes of all messages, sorted.
/// The codes of the messages, sorted. That a layout was detected is no matter of what the texts mean.
fn codes(reading: &Reading) -> Vec<&'static str> {
    let mut codes: Vec<&str> = reading.diagnostics.iter().map(|found| found.code).collect();
    codes.retain(|code| *code != "D0205");
    codes.sort_unstable();
    codes
}

fn in_full(reading: &Reading, texts: &CaseTexts) -> String {
    let message = |found: &Diagnostic| found.render(&reading.sources);
    let messages: String = reading.diagnostics.iter().map(message).collect();
    format!("{messages}\n{}", texts.template)
}
