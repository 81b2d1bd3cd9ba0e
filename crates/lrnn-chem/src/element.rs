//! The table of elements: symbols, outer electrons and the valences they are found in.

/// A chemical element by its atomic number; 0 is `*`, an atom that may be any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element(u8);

impl Element {
    /// Any atom.
    pub const ANY: Self = Self(0);
    /// Hydrogen.
    pub const H: Self = Self(1);
    /// Boron.
    pub const B: Self = Self(5);
    /// Carbon.
    pub const C: Self = Self(6);
    /// Nitrogen.
    pub const N: Self = Self(7);
    /// Oxygen.
    pub const O: Self = Self(8);
    /// Phosphorus.
    pub const P: Self = Self(15);
    /// Sulphur.
    pub const S: Self = Self(16);
    /// Arsenic.
    pub const AS: Self = Self(33);
    /// Selenium.
    pub const SE: Self = Self(34);
    /// Tellurium.
    pub const TE: Self = Self(52);

    /// Finds an element by its symbol, written as chemists do: `Cl`.
    pub fn find(symbol: &str) -> Option<Self> {
        match symbol {
            "*" => Some(Self::ANY),
            "D" | "T" => Some(Self::H),
            _ => TABLE.iter().position(|row| row.0 == symbol).map(|place| Self(place as u8 + 1)),
        }
    }

    /// Returns the element with an atomic number; `None` beyond 118.
    pub fn of_number(number: u8) -> Option<Self> {
        (number as usize <= TABLE.len()).then_some(Self(number))
    }

    /// Returns the element with as many electrons as an atom of this charge; itself where there is none.
    pub(crate) fn of_charge(self, charge: i8) -> Self {
        let number = i32::from(self.0) - i32::from(charge);
        u8::try_from(number).ok().and_then(Self::of_number).unwrap_or(self)
    }

    /// Returns the atomic number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the symbol, `Cl`.
    pub fn symbol(self) -> &'static str {
        self.row().map_or("*", |row| row.0)
    }

    /// Returns the number of outer electrons.
    pub fn outer_electrons(self) -> i32 {
        self.row().map_or(0, |row| row.1)
    }

    /// Returns the valences, the usual one first; −1 stands for any number of bonds.
    pub fn valences(self) -> &'static [i32] {
        self.row().map_or(&[-1], |row| row.2)
    }

    /// Returns the usual valence, −1 for any.
    pub fn valence(self) -> i32 {
        self.valences()[0]
    }

    /// Tells whether the element pulls electrons more than the other: more outer electrons, or as many and lighter.
    pub fn is_more_electronegative_than(self, other: Self) -> bool {
        let (mine, others) = (self.outer_electrons(), other.outer_electrons());
        mine > others || (mine == others && self.0 < other.0)
    }

    fn row(self) -> Option<&'static (&'static str, i32, &'static [i32])> {
        TABLE.get((self.0 as usize).wrapping_sub(1))
    }
}

/// Symbol, outer electrons, valences, from hydrogen on.
#[rustfmt::skip]
static TABLE: [(&str, i32, &[i32]); 118] = [
    ("H", 1, &[1]), ("He", 2, &[0]), ("Li", 1, &[1, -1]), ("Be", 2, &[2]), ("B", 3, &[3]),
    ("C", 4, &[4]), ("N", 5, &[3]), ("O", 6, &[2]), ("F", 7, &[1]), ("Ne", 8, &[0]),
    ("Na", 1, &[1, -1]), ("Mg", 2, &[2, -1]), ("Al", 3, &[3]), ("Si", 4, &[4]), ("P", 5, &[3, 5]),
    ("S", 6, &[2, 4, 6]), ("Cl", 7, &[1]), ("Ar", 8, &[0]), ("K", 1, &[1, -1]), ("Ca", 2, &[2, -1]),
    ("Sc", 3, &[-1]), ("Ti", 4, &[-1]), ("V", 5, &[-1]), ("Cr", 6, &[-1]), ("Mn", 7, &[-1]),
    ("Fe", 8, &[-1]), ("Co", 9, &[-1]), ("Ni", 10, &[-1]), ("Cu", 11, &[-1]), ("Zn", 2, &[-1]),
    ("Ga", 3, &[3]), ("Ge", 4, &[4]), ("As", 5, &[3, 5]), ("Se", 6, &[2, 4, 6]), ("Br", 7, &[1]),
    ("Kr", 8, &[0]), ("Rb", 1, &[1, -1]), ("Sr", 2, &[2, -1]), ("Y", 3, &[-1]), ("Zr", 4, &[-1]),
    ("Nb", 5, &[-1]), ("Mo", 6, &[-1]), ("Tc", 7, &[-1]), ("Ru", 8, &[-1]), ("Rh", 9, &[-1]),
    ("Pd", 10, &[-1]), ("Ag", 11, &[-1]), ("Cd", 2, &[-1]), ("In", 3, &[3]), ("Sn", 4, &[2, 4]),
    ("Sb", 5, &[3, 5]), ("Te", 6, &[2, 4, 6]), ("I", 7, &[1, 3, 5]), ("Xe", 8, &[0, 2, 4, 6]),
    ("Cs", 1, &[1]), ("Ba", 2, &[2, -1]), ("La", 3, &[-1]), ("Ce", 4, &[-1]), ("Pr", 3, &[-1]),
    ("Nd", 4, &[-1]), ("Pm", 5, &[-1]), ("Sm", 6, &[-1]), ("Eu", 7, &[-1]), ("Gd", 8, &[-1]),
    ("Tb", 9, &[-1]), ("Dy", 10, &[-1]), ("Ho", 11, &[-1]), ("Er", 12, &[-1]), ("Tm", 13, &[-1]),
    ("Yb", 14, &[-1]), ("Lu", 15, &[-1]), ("Hf", 4, &[-1]), ("Ta", 5, &[-1]), ("W", 6, &[-1]),
    ("Re", 7, &[-1]), ("Os", 8, &[-1]), ("Ir", 9, &[-1]), ("Pt", 10, &[-1]), ("Au", 11, &[-1]),
    ("Hg", 2, &[-1]), ("Tl", 3, &[-1]), ("Pb", 4, &[2, 4]), ("Bi", 5, &[3, 5]), ("Po", 6, &[2, 4, 6]),
    ("At", 7, &[1, 3, 5]), ("Rn", 8, &[0]), ("Fr", 1, &[1]), ("Ra", 2, &[2, -1]), ("Ac", 3, &[-1]),
    ("Th", 4, &[-1]), ("Pa", 3, &[-1]), ("U", 4, &[-1]), ("Np", 5, &[-1]), ("Pu", 6, &[-1]),
    ("Am", 7, &[-1]), ("Cm", 8, &[-1]), ("Bk", 9, &[-1]), ("Cf", 10, &[-1]), ("Es", 11, &[-1]),
    ("Fm", 12, &[-1]), ("Md", 13, &[-1]), ("No", 14, &[-1]), ("Lr", 15, &[-1]), ("Rf", 2, &[-1]),
    ("Db", 2, &[-1]), ("Sg", 2, &[-1]), ("Bh", 2, &[-1]), ("Hs", 2, &[-1]), ("Mt", 2, &[-1]),
    ("Ds", 2, &[-1]), ("Rg", 2, &[-1]), ("Cn", 2, &[-1]), ("Nh", 2, &[-1]), ("Fl", 2, &[-1]),
    ("Mc", 2, &[-1]), ("Lv", 2, &[-1]), ("Ts", 2, &[-1]), ("Og", 2, &[-1]),
];
