//! Products of quantised matrices, computed from the blocks where they lie.
//!
//! Two ways, chosen by how many rows of activations there are. Few (decoding): each weight row is read once and
//! multiplied as it is ([`dot`], or candle's `vec_dot` for the types it has a kernel for). Many (reading a prompt):
//! sixteen weight rows at a time are unpacked into a small panel that stays in the cache and all activations pass over
//! it ([`panel`]); nothing is kept, so no second copy of the weights exists. Features of the processor are found when
//! the program runs: a generic x86-64 build is as fast as one for this machine. Work is split over the rayon pool that
//! the caller is in.

#[cfg(target_arch = "x86_64")]
mod acts;
#[cfg(target_arch = "x86_64")]
mod dot;
#[cfg(target_arch = "x86_64")]
mod formats;
#[cfg(target_arch = "x86_64")]
mod panel;
#[cfg(target_arch = "x86_64")]
mod sixteen;

#[cfg(target_arch = "x86_64")]
use acts::Acts;
use candle_core::quantized::GgmlType;
use rayon::prelude::*;

/// A product with fewer multiplications than this is not split among threads: waking one costs as much.
const WORTH_SPLITTING: usize = 1 << 18;

/// Sizes of a product.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rows of activations.
    pub m: usize,
    /// Numbers in a row of either.
    pub k: usize,
    /// Rows of weights.
    pub n: usize,
}

/// `out[m, n] = x[m, k] · weightsᵀ` for weights of `n` rows of `k`, given as blocks and as the same bytes.
///
/// # Panics
/// When a slice is not as long as `sizes` says.
pub fn multiply<T: GgmlType>(blocks: &[T], bytes: &[u8], sizes: Sizes, x: &[f32], out: &mut [f32]) {
    let Sizes { m, k, n } = sizes;
    assert!(x.len() == m * k && out.len() == m * n && blocks.len() * T::BLCK_SIZE == n * k);
    #[cfg(target_arch = "x86_64")]
    if let Some(format) = formats::Format::of(T::DTYPE) {
        if m >= panel::worth(format) && panel::supported(n) {
            return panel::multiply(format, bytes, sizes, &Acts::new(x, k, format), out);
        }
        if let Some(dot) = dot::dot(format) {
            let acts = Acts::new(x, k, format);
            let row_bytes = bytes.len() / n;
            return rows(sizes, out, |i, row| dot(&bytes[row * row_bytes..(row + 1) * row_bytes], acts.row(i)));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
    let per_row = k / T::BLCK_SIZE;
    let quantise = |row: &[f32]| {
        let mut blocks = vec![T::VecDotType::zeros(); k / T::VecDotType::BLCK_SIZE];
        T::VecDotType::from_float(row, &mut blocks);
        blocks
    };
    let acts: Vec<Vec<T::VecDotType>> = x.chunks_exact(k).map(quantise).collect();
    rows(sizes, out, |i, row| T::vec_dot(k, &blocks[row * per_row..(row + 1) * per_row], &acts[i]));
}

/// Fills `out` with `dot(activation row, weight row)`, each weight row going over all activations while it is warm.
fn rows(Sizes { m, k, n }: Sizes, out: &mut [f32], dot: impl Fn(usize, usize) -> f32 + Sync) {
    let mut by_row = vec![0.0; if m > 1 { m * n } else { 0 }];
    let target = if m > 1 { by_row.as_mut_slice() } else { &mut *out };
    let fill = |first: usize, part: &mut [f32]| {
        for (j, cells) in part.chunks_exact_mut(m).enumerate() {
            cells.iter_mut().enumerate().for_each(|(i, cell)| *cell = dot(i, first + j));
        }
    };
    if m * k * n < WORTH_SPLITTING {
        fill(0, target);
    } else {
        let part = n.div_ceil(rayon::current_num_threads() * 4).max(16);
        target.par_chunks_mut(part * m).enumerate().for_each(|(p, cells)| fill(p * part, cells));
    }
    if m > 1 {
        for (i, row) in out.chunks_exact_mut(n).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, cell)| *cell = by_row[j * m + i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::quantized::k_quants::*;

    fn noise(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    /// Both ways against the plain sum of what candle says the numbers are.
    fn check<T: GgmlType>() {
        let (k, n) = (512, 48);
        let mut blocks = vec![T::zeros(); n * k / T::BLCK_SIZE];
        T::from_float(&noise(n * k, 1), &mut blocks);
        let mut weights = vec![0.0; n * k];
        T::to_float(&blocks, &mut weights);
        // SAFETY: blocks are plain numbers without padding.
        let bytes = unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks.as_slice())) };
        for m in [1, 2, 3, 5, 6, 8, 19] {
            let x = noise(m * k, m as u64 + 7);
            let mut out = vec![0.0; m * n];
            multiply(&blocks, bytes, Sizes { m, k, n }, &x, &mut out);
            for (cell, got) in out.iter().enumerate() {
                let (i, j) = (cell / n, cell % n);
                let exact: f32 = (0..k).map(|l| x[i * k + l] * weights[j * k + l]).sum();
                // Activations are rounded to 1/127 of their largest: about 0.3% of the norm of 512 products.
                assert!((got - exact).abs() < 0.25, "{:?} m={m} [{i},{j}]: {got}, exactly {exact}", T::DTYPE);
            }
        }
    }

    #[test]
    fn products_are_right_for_every_type_few_rows_and_many() {
        check::<f32>();
        check::<BlockQ4_0>();
        check::<BlockQ4_1>();
        check::<BlockQ5_0>();
        check::<BlockQ5_1>();
        check::<BlockQ8_0>();
        check::<BlockQ2K>();
        check::<BlockQ3K>();
        check::<BlockQ4K>();
        check::<BlockQ5K>();
        check::<BlockQ6K>();
    }
}
