//! Sixteen weight rows times many rows of activations (AVX-512 VNNI).
//!
//! A panel holds sixteen rows unpacked to bytes, four of each row side by side, so that one instruction multiplies four
//! numbers of sixteen rows. It fits the second-level cache, is filled once for all activations and thrown away.

use super::{
    Sizes,
    acts::{Acts, Row},
    formats::{self, Format},
    sixteen::{self, Parts},
};
use rayon::prelude::*;
use std::arch::x86_64::*;
use std::cell::RefCell;

/// Weight rows in a panel: the 32-bit lanes of a register.
const ROWS: usize = 16;
/// Rows of activations that are summed up at once: two registers each, of 32.
const TILE: usize = 8;

/// From how many rows of activations on a panel is worth filling: measured on both, against one weight row at a time.
pub fn worth(format: Format) -> usize {
    if sixteen::knows(format) { 2 } else { 6 }
}

/// Whether the processor can, and `n` weight rows are whole panels.
pub fn supported(n: usize) -> bool {
    n.is_multiple_of(ROWS)
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
}

#[derive(Default)]
struct Panel {
    /// Rows one after another, as they are unpacked.
    plain: Vec<u8>,
    /// `[k / 4][ROWS][4]`.
    bytes: Vec<u8>,
    /// `[k / group][ROWS]`.
    scales: Vec<f32>,
    mins: Vec<f32>,
}

/// Where results go; threads write disjoint columns.
#[derive(Clone, Copy)]
struct Out(*mut f32);
// SAFETY: see `multiply`: no two threads touch the same number.
unsafe impl Send for Out {}
// SAFETY: as above.
unsafe impl Sync for Out {}

impl Out {
    fn at(self, i: usize) -> *mut f32 {
        self.0.wrapping_add(i)
    }
}

/// `out[m, n] = acts[m, k] · weightsᵀ`.
///
/// # Panics
/// Unless [`supported`], or when a slice is not as long as `sizes` says.
pub fn multiply(format: Format, weights: &[u8], sizes: Sizes, acts: &Acts, out: &mut [f32]) {
    let Sizes { m, k, n } = sizes;
    let row_bytes = k / format.block() * format.bytes();
    assert!(supported(n) && k.is_multiple_of(format.block()) && weights.len() == n * row_bytes && out.len() == m * n);
    let out = Out(out.as_mut_ptr());
    let groups = k / format.group();
    (0..n / ROWS).into_par_iter().for_each(|p| {
        PANEL.with_borrow_mut(|panel| {
            panel.fit(k, groups);
            let rows = &weights[p * ROWS * row_bytes..(p + 1) * ROWS * row_bytes];
            // SAFETY: `supported` found the features. Column block `p` is written by this call alone, inside `m * n`.
            unsafe {
                fill(panel, format, rows, row_bytes);
                let mut first = 0;
                while first < m {
                    let count = TILE.min(m - first);
                    let to = |i: usize| out.at((first + i) * n + p * ROWS);
                    match count {
                        ..=2 => pass::<2>(panel, format, acts, first, count, to),
                        3..=4 => pass::<4>(panel, format, acts, first, count, to),
                        _ => pass::<TILE>(panel, format, acts, first, count, to),
                    }
                    first += count;
                }
            }
        });
    });
}

thread_local! {
    /// A thread's panel: memory that is used again is in the cache already.
    static PANEL: RefCell<Panel> = RefCell::default();
}

impl Panel {
    /// Makes it as large as rows of `k` in `groups` need; what it holds means nothing.
    fn fit(&mut self, k: usize, groups: usize) {
        self.plain.resize(k * ROWS, 0);
        self.bytes.resize(k * ROWS, 0);
        self.scales.resize(groups * ROWS, 0.0);
        self.mins.resize(groups * ROWS, 0.0);
    }
}

/// `count` rows of activations, of at most `TILE`, over a panel; each result goes where `to` says.
///
/// # Safety
/// Sixteen numbers may be written at each `to(i)` with `i` below `count`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn pass<const TILE: usize>(
    panel: &Panel,
    format: Format,
    acts: &Acts,
    first: usize,
    count: usize,
    to: impl Fn(usize) -> *mut f32,
) {
    let tile: [Row<'_>; TILE] = std::array::from_fn(|i| acts.row(first + i.min(count - 1)));
    let sums = if format.group() == 32 { tile_of::<32, TILE>(panel, &tile) } else { tile_of::<16, TILE>(panel, &tile) };
    for (i, sum) in sums.iter().enumerate().take(count) {
        // SAFETY: as the caller promises.
        unsafe { _mm512_storeu_ps(to(i), *sum) };
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn fill(panel: &mut Panel, format: Format, rows: &[u8], row_bytes: usize) {
    if sixteen::knows(format) {
        let parts = Parts { bytes: &mut panel.bytes, scales: &mut panel.scales, mins: &mut panel.mins };
        return sixteen::fill(format, rows, row_bytes, parts);
    }
    let k = panel.plain.len() / ROWS;
    let per_block = format.block() / format.group();
    let (mut scales, mut mins) = ([0.0; 16], [0.0; 16]);
    for (r, row) in rows.chunks_exact(row_bytes).enumerate() {
        let plain = &mut panel.plain[r * k..(r + 1) * k];
        let blocks = row.chunks_exact(format.bytes()).zip(plain.chunks_exact_mut(format.block()));
        for (b, (block, bytes)) in blocks.enumerate() {
            formats::unpack(format, block, bytes, &mut scales, &mut mins);
            for g in 0..per_block {
                panel.scales[(b * per_block + g) * ROWS + r] = scales[g];
                panel.mins[(b * per_block + g) * ROWS + r] = mins[g];
            }
        }
    }
    for (q, fours) in panel.bytes.chunks_exact_mut(ROWS * 4).enumerate() {
        for (r, four) in fours.chunks_exact_mut(4).enumerate() {
            four.copy_from_slice(&panel.plain[r * k + q * 4..r * k + q * 4 + 4]);
        }
    }
}

/// The products of a panel with `TILE` rows of activations, sixteen columns each.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn tile_of<const GROUP: usize, const TILE: usize>(panel: &Panel, tile: &[Row<'_>; TILE]) -> [__m512; TILE] {
    let mut sums = [_mm512_setzero_ps(); TILE];
    let groups = panel.scales.len() / ROWS;
    for row in tile {
        assert!(
            row.bytes.len() == groups * GROUP && row.scales.len() * 32 == groups * GROUP && row.sums.len() == groups
        );
    }
    assert!(panel.bytes.len() == groups * GROUP * ROWS && panel.mins.len() == groups * ROWS);
    for g in 0..groups {
        let mut products = [_mm512_setzero_si512(); TILE];
        for q in 0..GROUP / 4 {
            let at = g * GROUP + q * 4;
            // SAFETY: `at` is below `groups * GROUP`, which the lengths above were checked against.
            unsafe {
                let weights = _mm512_loadu_si512(panel.bytes.as_ptr().add(at * ROWS).cast());
                for i in 0..TILE {
                    let four = tile[i].bytes.as_ptr().add(at).cast::<i32>().read_unaligned();
                    products[i] = _mm512_dpbusd_epi32(products[i], weights, _mm512_set1_epi32(four));
                }
            }
        }
        // SAFETY: `g` is below `groups`, as above.
        unsafe {
            let scale = _mm512_loadu_ps(panel.scales.as_ptr().add(g * ROWS));
            let min = _mm512_loadu_ps(panel.mins.as_ptr().add(g * ROWS));
            for i in 0..TILE {
                let scaled = _mm512_mul_ps(scale, _mm512_set1_ps(*tile[i].scales.get_unchecked(g * GROUP / 32)));
                sums[i] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(products[i]), scaled, sums[i]);
                sums[i] = _mm512_fnmadd_ps(min, _mm512_set1_ps(*tile[i].sums.get_unchecked(g)), sums[i]);
            }
        }
    }
    sums
}
