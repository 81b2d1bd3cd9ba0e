//! Colours: one for each predicate, and scales from low to high.

/// A colour as red, green and blue.
pub(crate) type Colour = (u8, u8, u8);

const WHITE: Colour = (255, 255, 255);

/// Colours for predicates: those of the paper's figure first, then others that most eyes tell apart.
const PREDICATES: [Colour; 8] = [
    (139, 92, 196),
    (208, 78, 78),
    (120, 120, 130),
    (72, 118, 208),
    (38, 150, 116),
    (204, 130, 40),
    (176, 72, 136),
    (110, 130, 30),
];

/// Returns the colour of the predicate that came so many-th.
pub(crate) fn of_predicate(number: usize) -> Colour {
    PREDICATES[number % PREDICATES.len()]
}

fn mixed(from: Colour, to: Colour, share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0);
    let part = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    (part(from.0, to.0), part(from.1, to.1), part(from.2, to.2))
}

/// Returns a shade of a colour: 0 is almost white, 1 strong, but never so strong that black text is lost.
pub(crate) fn shade(colour: Colour, share: f64) -> Colour {
    mixed(mixed(WHITE, colour, 0.08), mixed(WHITE, colour, 0.72), share)
}

/// From light for low to dark for high.
pub(crate) fn heat(share: f64) -> Colour {
    let low = (247, 243, 232);
    let middle = (112, 166, 196);
    let high = (20, 42, 94);
    if share < 0.5 { mixed(low, middle, share * 2.0) } else { mixed(middle, high, share * 2.0 - 1.0) }
}

/// From blue for −1 over white to red for 1.
pub(crate) fn diverging(share: f64) -> Colour {
    if share < 0.0 { mixed(WHITE, (33, 102, 172), -share) } else { mixed(WHITE, (194, 40, 45), share) }
}

/// Returns whether white text is read better on it than black.
pub(crate) fn is_dark((red, green, blue): Colour) -> bool {
    0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue) < 140.0
}

pub(crate) fn hex((red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
