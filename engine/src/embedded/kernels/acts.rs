//! Activations as signed bytes, the way ggml quantises them: 32 at a time, or 256 for the K types.

use super::formats::Format;
use rayon::prelude::*;

/// Quantised rows of activations.
pub struct Acts {
    k: usize,
    group: usize,
    bytes: Vec<i8>,
    /// One a group of 32: a number is `scale · byte`.
    scales: Vec<f32>,
    /// The sum of each group of the weights' format, scaled.
    sums: Vec<f32>,
}

/// One row of [`Acts`].
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub bytes: &'a [i8],
    pub scales: &'a [f32],
    pub sums: &'a [f32],
}

impl Acts {
    /// Quantises rows of `k` for weights of `format`.
    pub fn new(x: &[f32], k: usize, format: Format) -> Self {
        let (group, m) = (format.group(), x.len() / k);
        let mut acts =
            Self { k, group, bytes: vec![0; m * k], scales: vec![0.0; m * k / 32], sums: vec![0.0; m * k / group] };
        let one = |x: &[f32], bytes: &mut [i8], scales: &mut [f32], sums: &mut [f32]| {
            quantise(format, x, bytes, scales, sums);
        };
        if m == 1 {
            one(x, &mut acts.bytes, &mut acts.scales, &mut acts.sums);
        } else {
            x.par_chunks_exact(k)
                .zip(acts.bytes.par_chunks_exact_mut(k))
                .zip(acts.scales.par_chunks_exact_mut(k / 32))
                .zip(acts.sums.par_chunks_exact_mut(k / group))
                .for_each(|(((x, bytes), scales), sums)| one(x, bytes, scales, sums));
        }
        acts
    }

    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'_> {
        let part = |len: usize| i * len..(i + 1) * len;
        Row {
            bytes: &self.bytes[part(self.k)],
            scales: &self.scales[part(self.k / 32)],
            sums: &self.sums[part(self.k / self.group)],
        }
    }
}

fn quantise(format: Format, x: &[f32], bytes: &mut [i8], scales: &mut [f32], sums: &mut [f32]) {
    let (block, group) = (format.block(), format.group());
    for (b, (x, bytes)) in x.chunks_exact(block).zip(bytes.chunks_exact_mut(block)).enumerate() {
        let largest = x.iter().fold(0f32, |max, v| max.max(v.abs()));
        let scale = largest / 127.0;
        let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
        for (byte, v) in bytes.iter_mut().zip(x) {
            // Adding 1.5 · 2²³ leaves the rounded number in the low bits: ggml's way, which needs no call.
            *byte = (v * inverse + 12_582_912.0).to_bits() as i8;
        }
        let scale = if x.iter().any(|v| v.is_nan()) { f32::NAN } else { scale };
        scales[b * block / 32..(b + 1) * block / 32].fill(scale);
        for (sum, bytes) in sums[b * block / group..].iter_mut().zip(bytes.chunks_exact(group)) {
            *sum = scale * bytes.iter().map(|v| i32::from(*v)).sum::<i32>() as f32;
        }
    }
}
