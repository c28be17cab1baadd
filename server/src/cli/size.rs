//! Sizes in bytes, as people write and read them.

/// Reads `500M`.
///
/// # Errors
/// It is no size.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [("K", 1_u64 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    let upper = text.trim().to_uppercase();
    let upper = upper.trim_end_matches('B').trim_end_matches('I');
    let (number, unit) =
        units.iter().find_map(|(unit, bytes)| Some((upper.strip_suffix(unit)?, *bytes))).unwrap_or((upper, 1));
    let bytes = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| format!("`{text}` is no size; write one such as 500M or 4G"))
}

/// Writes `500.0 MiB`.
pub fn shown(bytes: u64) -> String {
    match bytes {
        0..=1_048_575 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        1_048_576..=1_073_741_823 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    }
}
