//! Molecules from texts: what a chemist would conclude from them.

use lrnn_chem::{DescribedMolecule, FactOptions, Molecule, read_sdf};

/// The atoms of a molecule, `c` aromatic and `C` not, with hydrogens and charges, then its bonds.
fn written(molecule: &Molecule) -> String {
    let atom = |atom: &lrnn_chem::Atom| {
        let symbol = atom.element.symbol();
        let symbol = if atom.aromatic { symbol.to_lowercase() } else { symbol.to_owned() };
        let hydrogens = match atom.hydrogens {
            0 => String::new(),
            count => format!("H{count}"),
        };
        let charge = if atom.charge == 0 { String::new() } else { format!("{:+}", atom.charge) };
        format!("{symbol}{hydrogens}{charge}")
    };
    let atoms: Vec<String> = molecule.atoms.iter().map(atom).collect();
    let bonds: Vec<&str> = molecule.bonds.iter().map(lrnn_chem::Bond::name).collect();
    format!("{} | {}", atoms.join(" "), bonds.join(" "))
}

fn check(smiles: &str, expected: &str) {
    let molecule = Molecule::from_smiles(smiles).unwrap_or_else(|error| panic!("{smiles}: {error}"));
    assert_eq!(written(&molecule), expected, "{smiles}");
}

fn refused(smiles: &str, message: &str, place: usize) {
    let error = Molecule::from_smiles(smiles).expect_err(smiles);
    assert!(error.message.contains(message), "{smiles}: {error}");
    assert_eq!(error.place.start, place, "{smiles}: {error}");
}

#[test]
fn hydrogens_follow_from_valences() {
    check("CCO", "CH3 CH2 OH1 | 1 1");
    check("C=O", "CH2 O | 2");
    check("C#N", "CH1 N | 3");
    check("[NH4+].[Cl-]", "NH4+1 Cl-1 | ");
    check("CS(=O)(=O)C", "CH3 S O O CH3 | 1 2 2 1");
    check("OP(=O)(O)O", "OH1 P O OH1 OH1 | 1 2 1 1");
    check("[H]C([H])([H])O[H]", "CH3 OH1 | 1");
    check("[H][H]", "H H | 1");
    check("[2H]C", "CH4 | ");
}

#[test]
fn heavy_hydrogens_are_hydrogens() {
    check("[2H]C([2H])([3H])O", "CH3 OH1 | 1");
    check("[2H]O[2H]", "OH2 | ");
    check("[2H]c1cc[nH]c1", "cH1 cH1 cH1 nH1 cH1 | ar ar ar ar ar");
}

#[test]
fn charges_that_were_left_out_are_written() {
    check("CN(=O)=O", "CH3 N+1 O-1 O | 1 1 2");
    check("CN=N#N", "CH3 N N+1 N-1 | 1 2 2");
}

#[test]
fn aromaticity_does_not_depend_on_the_spelling() {
    for benzene in ["c1ccccc1", "C1=CC=CC=C1", "C=1C=CC=CC1", "c1:c:c:c:c:c:1"] {
        check(benzene, "cH1 cH1 cH1 cH1 cH1 cH1 | ar ar ar ar ar ar");
    }
    check("c1cc[nH]c1", "cH1 cH1 cH1 nH1 cH1 | ar ar ar ar ar");
    check("C1=CNC=C1", "cH1 cH1 nH1 cH1 cH1 | ar ar ar ar ar");
    check("O=c1cc[nH]cc1", "O c cH1 cH1 nH1 cH1 cH1 | 2 ar ar ar ar ar ar");
    check("O=C1C=CC(=O)C=C1", "O C CH1 CH1 C O CH1 CH1 | 2 1 2 1 2 1 2 1");
    check(
        "c1ccccc1-c1ccccc1",
        "cH1 cH1 cH1 cH1 cH1 c c cH1 cH1 cH1 cH1 cH1 | ar ar ar ar ar ar 1 ar ar ar ar ar ar",
    );
    check("C1=CC=CC=CC=C1", "CH1 CH1 CH1 CH1 CH1 CH1 CH1 CH1 | 2 1 2 1 2 1 2 1");
}

#[test]
fn a_bridge_of_azulene_is_single_as_only_the_outside_is_aromatic() {
    let azulene = Molecule::from_smiles("c1cccc2cccc2c1").unwrap();
    assert_eq!(azulene.atoms.iter().filter(|atom| atom.aromatic).count(), 10);
    assert_eq!(azulene.bonds.iter().filter(|bond| !bond.aromatic).count(), 1);
}

#[test]
fn rings_are_the_smallest_and_all_of_a_size() {
    let count = |smiles| {
        let molecule = Molecule::from_smiles(smiles).unwrap();
        molecule.rings.iter().map(|ring| ring.atoms.len()).collect::<Vec<_>>()
    };
    assert_eq!(count("C12C3C4C1C5C2C3C45"), [4; 6]); // cubane
    assert_eq!(count("c1ccc2ccccc2c1"), [6, 6]);
    assert_eq!(count("C1CC2CCC1CC2"), [6, 6, 6]);
    assert_eq!(count("CCO"), []);
}

#[test]
fn mistakes_are_told_with_their_place() {
    refused("CC(C", "not closed", 2);
    refused("CC>>CO", "this is a reaction", 2);
    refused("CC>O>CO", "this is a reaction", 2);
    refused("C1CC", "ring 1 is not closed", 1);
    refused("CXC", "no atom", 1);
    refused("C(C)(C)(C)(C)C", "cannot have 5 bonds", 0);
    refused("c1cccc1", "double bonds", 5);
    refused("[Zz]", "element", 1);
    refused("C=", "missing", 2);
    refused("=C", "needs an atom before", 0);
    refused("cC", "in no ring", 0);
    refused("", "no atom", 0);
    refused("C11", "ring", 2);
    refused("é", "no atom", 0);
    refused("N->[Fe]", "dative", 2);
}

#[test]
fn any_text_is_read_or_refused() {
    let letters =
        ["C", "c", "n", "[", "]", "(", ")", "1", "%", "=", "#", "/", "@", "+", "-", "H", ".", "é", "2"];
    let mut state = 7_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..1 + state % 12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += letters[(state >> 33) as usize % letters.len()];
        }
        if let Err(error) = Molecule::from_smiles(&text) {
            assert!(text.get(error.place.clone()).is_some(), "{text}: {error}");
        }
    }
}

#[test]
fn a_scaffold_is_rings_and_what_is_between() {
    let scaffold = |smiles| Molecule::from_smiles(smiles).unwrap().scaffold();
    assert_eq!(scaffold("CCc1ccc(CCC2CCCC2)cc1N").atoms.len(), 13);
    assert_eq!(scaffold("CCc1ccc(CCC2CCCC2)cc1N").form(), scaffold("C1CCCC1CCc1ccccc1").form());
    assert_ne!(scaffold("c1ccccc1").form(), scaffold("C1CCCCC1").form());
    assert_eq!(scaffold("CC(C)CO").atoms.len(), 0);
    assert_eq!(scaffold("CC1CCCCC1=O").atoms.len(), 7); // with the oxygen at its double bond
}

#[test]
fn facts_are_what_a_template_can_ask_for() {
    let template = lrnn::Template::parse(
        "acid :- element(O, o), *hydrogens(O, 1), *bond(O, C, 1), *bond(C, P, 2), *element(P, o), *ring(R, 6), *charge(N).",
    );
    let template = template.unwrap();
    let mut data = template.data();
    let read = |smiles| Molecule::from_smiles(smiles).unwrap();
    let options = FactOptions { rings: true };
    read("OC(=O)c1cc[nH+]cc1").add_to(data.example("acid"), options).query("acid", ());
    read("OC(=O)c1ccncc1").add_to(data.example("no charge"), options).query("acid", ());
    let data = data.build().unwrap();
    let program = lrnn::Program::new(&template, &data, lrnn::Limits::default()).unwrap();
    let entailed = |example: usize| {
        let grounding = program.ground(&data.vocabulary, &data.examples[example]).unwrap();
        !grounding.relations[data.queries[0][0].predicate.index()].is_empty()
    };
    assert_eq!((entailed(0), entailed(1)), (true, false));
}

const BLOCK: &str = "acetate
  by hand

  4  3  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.0000    0.0000    0.0000 C   0  0
    1.5000    1.0000    0.0000 O   0  0
    1.5000   -1.0000    0.0000 O   0  0
  1  2  1  0
  2  3  2  0
  2  4  1  0
M  CHG  1   4  -1
M  END
";

#[test]
fn mol_blocks_of_both_versions_and_sdf_are_read() {
    let expected = "CH3 C O O-1 | 1 2 1";
    assert_eq!(written(&Molecule::from_mol(BLOCK).unwrap()), expected);
    let newer = "\n\n\n  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 4 3 0 0 0
M  V30 BEGIN ATOM
M  V30 1 C 0 0 0 0
M  V30 2 C 1 0 0 0
M  V30 3 O 2 0 0 0
M  V30 4 O 3 0 0 0 CHG=-1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 1 2
M  V30 2 2 2 3
M  V30 3 1 2 4
M  V30 END BOND
M  V30 END CTAB
M  END
";
    assert_eq!(written(&Molecule::from_mol(newer).unwrap()), expected);
    let broken = BLOCK.replace("  1  2  1  0", "  1  9  1  0");
    let sdf = format!("{BLOCK}> <active>\n1\n\n$$$$\n{broken}$$$$\n{newer}> <active>\n0\n\n$$$$\n");
    let records = read_sdf(&sdf);
    assert_eq!(records.len(), 3);
    assert_eq!((records[0].name.as_str(), &records[0].fields[0].1[..]), ("acetate", "1"));
    let error = records[1].molecule.as_ref().unwrap_err();
    assert_eq!(&sdf[error.place.clone()], "  1  9  1  0");
    assert!(records[2].molecule.is_ok());
    assert!(Molecule::from_mol("nothing").is_err());
}

#[test]
fn letters_without_bonds_are_no_atoms() {
    let described = |text: &str| {
        let mut builder = lrnn::data::DatasetBuilder::new(lrnn::vocabulary::Vocabulary::default());
        let mut sources = lrnn::diagnostic::Sources::of_data();
        let source = sources.add("examples.txt", text);
        builder.examples(sources.text(source), source, lrnn::data::Layout::Examples);
        let data = builder.finish().unwrap();
        let found = DescribedMolecule::new(&data.examples[0], &data.vocabulary);
        found.map(|found| (found.molecule.atoms.len(), found.molecule.bonds.len()))
    };
    assert_eq!(described("c(anna), n(bob), edge(anna, bob), f(carl).\n"), None);
    assert_eq!(described("c(anna), n(bob), bond(anna, carl, 1).\n"), None);
    assert_eq!(described("c(a1), n(a2), bond(a1, a2, b), bond(a2, a1, b), b_1(b).\n"), Some((2, 1)));
    assert_eq!(described("element(a1, c), hydrogens(a1, 4).\n"), Some((1, 0)));
    // Any atom, as in a fragment.
    assert_eq!(
        described("element(a1, c), element(a2, '*'), bond(a1, a2, 1), bond(a2, a1, 1).\n"),
        Some((2, 1))
    );
    // Other examples of the data have bonds.
    assert_eq!(described("o_2(a1).\nc(a1), n(a2), bond(a1, a2, b), b_1(b).\n"), Some((1, 0)));
}

#[test]
fn substructures_that_differ_have_different_names() {
    let names = |smiles: &str| -> Vec<String> {
        let molecule = Molecule::from_smiles(smiles).unwrap();
        molecule.fragments().into_iter().map(|fragment| fragment.name).collect()
    };
    let ring =
        |smiles: &str, name: &str| assert!(names(smiles).contains(&name.to_owned()), "{:?}", names(smiles));
    ring("c1ccccn1", "c1ccccn1");
    ring("O=c1cccc[nH]1", "[nH]1ccccc1(=O)");
    ring("c1ccc[nH]1", "[nH]1cccc1");
    ring("Cn1cccc1", "c1cccn1");
    ring("C1C=CCC=C1", "C1CC=CCC=1");
    ring("O=C1C=CC(=O)C=C1", "C1C(=O)C=CC(=O)C=1");
    ring("O=S1(=O)CCCC1", "C1CCCS1(=O)(=O)");
    ring("c1ccc2c(c1)Cc1ccccc12", "C1cc-cc1");
    // The bond between the rings of a phenylpyridine.
    ring("c1ccccc1-c1ccccn1", "c(-c)(c)n");
    ring("c1ccc2ncccc2c1", "c(c)(c)n");
}
