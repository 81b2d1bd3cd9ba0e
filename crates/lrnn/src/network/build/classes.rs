//! Rows of numbers sorted into classes of equal rows.

use crate::network::merge::Interner;

/// Rows with the same number in every column are of one class.
pub(super) struct Classes {
    /// The class of each row.
    pub class: Vec<u32>,
    /// The first row of each class.
    pub first: Vec<u32>,
}

impl Classes {
    pub fn all_different(rows: usize) -> Self {
        Self { class: (0..rows as u32).collect(), first: (0..rows as u32).collect() }
    }

    /// Splits the classes column by column. A small table tells old class and number apart at a glance; only where
    /// it would be larger than the rows are worth, hashing does.
    pub fn of(columns: &[&[u32]], rows: usize) -> Self {
        let mut class = vec![0_u32; rows];
        let mut count = usize::from(rows > 0);
        for column in columns {
            let width = column.iter().max().map_or(0, |&most| most as usize + 1);
            if count * width <= 4 * rows + 1024 {
                let mut table = vec![u32::MAX; count * width];
                count = 0;
                for (class, &number) in class.iter_mut().zip(*column) {
                    let new = &mut table[*class as usize * width + number as usize];
                    if *new == u32::MAX {
                        *new = count as u32;
                        count += 1;
                    }
                    *class = *new;
                }
            } else {
                let mut pairs = Interner::default();
                class
                    .iter_mut()
                    .zip(*column)
                    .for_each(|(class, &number)| *class = pairs.intern(&[*class, number]).0);
                count = pairs.len();
            }
        }
        let mut first = vec![u32::MAX; count];
        for (row, &class) in class.iter().enumerate().rev() {
            first[class as usize] = row as u32;
        }
        Self { class, first }
    }
}
