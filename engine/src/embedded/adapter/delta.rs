//! `scale · B · (A · x)`: what an adapter adds to a product.
//!
//! Both matrices lie as 16-bit numbers, `A` by rank and `B` transposed, so that either is read in order. A row of
//! activations is worked on whole; rows are split over the pool.

use half::f16;
use rayon::prelude::*;

/// The two matrices of one adapted matrix.
pub struct Delta {
    rank: usize,
    into: usize,
    out: usize,
    /// `[rank, in]`.
    down: Vec<f16>,
    /// `[rank, out]`, scaled when it is used.
    up: Vec<f16>,
    scale: f32,
}

impl Delta {
    /// From `A` of `[rank, in]` and `B` of `[out, rank]`.
    pub fn new(down: Vec<f16>, up: &[f16], (rank, into, out): (usize, usize, usize), scale: f32) -> Self {
        let up = (0..rank).flat_map(|r| (0..out).map(move |o| up[o * rank + r])).collect();
        Self { rank, into, out, down, up, scale }
    }

    /// What is added to the products of rows of `x`, `[m, in]`: `[m, out]`.
    pub fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut y = vec![0.0; x.len() / self.into * self.out];
        let rows = x.par_chunks_exact(self.into).zip(y.par_chunks_exact_mut(self.out));
        rows.for_each(|(x, y)| {
            for r in 0..self.rank {
                let t = self.scale * dot(&self.down[r * self.into..(r + 1) * self.into], x);
                add_scaled(&self.up[r * self.out..(r + 1) * self.out], t, y);
            }
        });
        y
    }
}

fn dot(weights: &[f16], x: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if vectors() {
        // SAFETY: the features were just found.
        return unsafe { wide::dot(weights, x) };
    }
    weights.iter().zip(x).map(|(w, x)| w.to_f32() * x).sum()
}

fn add_scaled(weights: &[f16], t: f32, y: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if vectors() {
        // SAFETY: the features were just found.
        unsafe { wide::add_scaled(weights, t, y) };
        return;
    }
    weights.iter().zip(y).for_each(|(w, y)| *y += t * w.to_f32());
}

#[cfg(target_arch = "x86_64")]
fn vectors() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use half::f16;
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,fma,f16c")]
    pub fn dot(weights: &[f16], x: &[f32]) -> f32 {
        let mut sums = [_mm256_setzero_ps(); 4];
        let (w_parts, x_parts) = (weights.chunks_exact(32), x.chunks_exact(32));
        let rest = w_parts.remainder().iter().zip(x_parts.remainder()).map(|(w, x)| w.to_f32() * x).sum::<f32>();
        for (w, x) in w_parts.zip(x_parts) {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: both parts are 32 long, and `i` is below 4.
                let (w, x) =
                    unsafe { (_mm_loadu_si128(w.as_ptr().add(i * 8).cast()), _mm256_loadu_ps(x.as_ptr().add(i * 8))) };
                *sum = _mm256_fmadd_ps(_mm256_cvtph_ps(w), x, *sum);
            }
        }
        let sum = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
        let mut lanes = [0f32; 8];
        // SAFETY: eight numbers fit.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sum) };
        lanes.iter().sum::<f32>() + rest
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    pub fn add_scaled(weights: &[f16], t: f32, y: &mut [f32]) {
        let scale = _mm256_set1_ps(t);
        let mut y_parts = y.chunks_exact_mut(8);
        let w_parts = weights.chunks_exact(8);
        let w_rest = w_parts.remainder();
        for (w, y) in w_parts.zip(&mut y_parts) {
            // SAFETY: both parts are 8 long.
            unsafe {
                let w = _mm256_cvtph_ps(_mm_loadu_si128(w.as_ptr().cast()));
                _mm256_storeu_ps(y.as_mut_ptr(), _mm256_fmadd_ps(w, scale, _mm256_loadu_ps(y.as_ptr())));
            }
        }
        w_rest.iter().zip(y_parts.into_remainder()).for_each(|(w, y)| *y += t * w.to_f32());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_plain_product() {
        let (rank, into, out, m) = (3, 41, 37, 4);
        let number = |i: usize| f16::from_f32(((i * 37 % 101) as f32 - 50.0) / 64.0);
        let down: Vec<f16> = (0..rank * into).map(number).collect();
        let up: Vec<f16> = (0..out * rank).map(|i| number(i + 7)).collect();
        let x: Vec<f32> = (0..m * into).map(|i| number(i + 3).to_f32()).collect();
        let y = Delta::new(down.clone(), &up, (rank, into, out), 0.5).apply(&x);
        assert_eq!(y.len(), m * out);
        for (cell, got) in y.iter().enumerate() {
            let (i, o) = (cell / out, cell % out);
            let t = |r: usize| (0..into).map(|l| down[r * into + l].to_f32() * x[i * into + l]).sum::<f32>();
            let exact = 0.5 * (0..rank).map(|r| t(r) * up[o * rank + r].to_f32()).sum::<f32>();
            assert!((got - exact).abs() < 1e-3, "[{i},{o}]: {got}, exactly {exact}");
        }
    }
}
