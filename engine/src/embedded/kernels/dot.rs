//! One weight row times one row of activations, for the 32-number blocks that candle has no kernel for (AVX2).

use super::{acts::Row, formats::Format};
use std::arch::x86_64::*;

/// A kernel: the bytes of a weight row, and activations quantised for its format.
pub type Dot = fn(&[u8], Row<'_>) -> f32;

/// The kernel for `format`; none for the K types (candle's are good) or where the processor lacks AVX2.
pub fn dot(format: Format) -> Option<Dot> {
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")) {
        return None;
    }
    // SAFETY of the calls: the features were just found.
    Some(match format {
        Format::Q4_0 => |w, x| unsafe { nibbles::<18, 2, false, false>(w, x) },
        Format::Q4_1 => |w, x| unsafe { nibbles::<20, 4, false, true>(w, x) },
        Format::Q5_0 => |w, x| unsafe { nibbles::<22, 6, true, false>(w, x) },
        Format::Q5_1 => |w, x| unsafe { nibbles::<24, 8, true, true>(w, x) },
        Format::Q8_0 => |w, x| unsafe { q8_0(w, x) },
        Format::Q4K | Format::Q5K | Format::Q6K => return None,
    })
}

/// Blocks of `BYTES` with nibbles from `AT` on, a fifth bit each before them if `FIFTH`, and a minimum if `MIN`.
#[target_feature(enable = "avx2,fma,f16c")]
fn nibbles<const BYTES: usize, const AT: usize, const FIFTH: bool, const MIN: bool>(weights: &[u8], x: Row<'_>) -> f32 {
    let mut sum = _mm256_setzero_ps();
    let mut below = 0.0;
    let centre = if FIFTH { 16.0 } else { 8.0 };
    let blocks = weights.chunks_exact(BYTES).zip(x.bytes.chunks_exact(32));
    for ((block, bytes), (scale, total)) in blocks.zip(x.scales.iter().zip(x.sums)) {
        // SAFETY: a block holds 16 bytes from `AT` on, a row of activations 32 a block.
        let (packed, bytes) =
            unsafe { (_mm_loadu_si128(block.as_ptr().add(AT).cast()), _mm256_loadu_si256(bytes.as_ptr().cast())) };
        let both = _mm256_set_m128i(_mm_srli_epi16(packed, 4), packed);
        let mut weights = _mm256_and_si256(both, _mm256_set1_epi8(15));
        if FIFTH {
            let bits = u32::from_le_bytes([block[AT - 4], block[AT - 3], block[AT - 2], block[AT - 1]]);
            weights = _mm256_or_si256(weights, _mm256_and_si256(spread(bits), _mm256_set1_epi8(16)));
        }
        let pairs = _mm256_maddubs_epi16(weights, bytes);
        let fours = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        let d = half(block, 0);
        sum = _mm256_fmadd_ps(fours, _mm256_set1_ps(d * scale), sum);
        below += total * if MIN { -half(block, 2) } else { centre * d };
    }
    add(sum) - below
}

#[target_feature(enable = "avx2,fma,f16c")]
fn q8_0(weights: &[u8], x: Row<'_>) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for ((block, bytes), scale) in weights.chunks_exact(34).zip(x.bytes.chunks_exact(32)).zip(x.scales) {
        // SAFETY: a block holds 32 bytes after its scale, a row of activations 32 a block.
        let (weights, bytes) =
            unsafe { (_mm256_loadu_si256(block.as_ptr().add(2).cast()), _mm256_loadu_si256(bytes.as_ptr().cast())) };
        // Unsigned times signed is all there is: the sign moves over to the activations.
        let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(bytes, weights));
        let fours = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        sum = _mm256_fmadd_ps(fours, _mm256_set1_ps(half(block, 0) * scale), sum);
    }
    add(sum)
}

/// A byte of ones for every bit that is set.
#[target_feature(enable = "avx2")]
fn spread(bits: u32) -> __m256i {
    let which = _mm256_set_epi64x(0x0303_0303_0303_0303, 0x0202_0202_0202_0202, 0x0101_0101_0101_0101, 0);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits.cast_signed()), which);
    let bit = _mm256_set1_epi64x(0x7fbf_dfef_f7fb_fdfe_u64.cast_signed());
    _mm256_cmpeq_epi8(_mm256_or_si256(bytes, bit), _mm256_set1_epi8(-1))
}

#[target_feature(enable = "f16c")]
fn half(block: &[u8], at: usize) -> f32 {
    let bits = i32::from(u16::from_le_bytes([block[at], block[at + 1]]));
    _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(bits)))
}

#[target_feature(enable = "avx2")]
fn add(v: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)))
}
