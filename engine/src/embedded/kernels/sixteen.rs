//! Sixteen weight rows unpacked into a panel at once, for the K types that models are mostly stored in (AVX-512).
//!
//! The packed bytes are transposed first, sixteen rows of four bytes a register, and unpacked where they then lie: so a
//! panel costs little even when only two rows of activations pass over it.

use super::formats::Format;
use std::arch::x86_64::*;

/// Weight rows in a panel.
const ROWS: usize = 16;

/// Whether [`fill`] knows `format`.
pub fn knows(format: Format) -> bool {
    matches!(format, Format::Q4K | Format::Q6K)
}

/// A panel's parts: `[k / 4][ROWS][4]` bytes, `[k / group][ROWS]` scales and minima.
pub struct Parts<'a> {
    pub bytes: &'a mut [u8],
    pub scales: &'a mut [f32],
    pub mins: &'a mut [f32],
}

/// Unpacks sixteen rows of `row_bytes`, one after another in `rows`.
///
/// # Panics
/// Unless [`knows`], or when a slice is not as long as the rows say.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn fill(format: Format, rows: &[u8], row_bytes: usize, parts: Parts<'_>) {
    let (block, groups) = (format.bytes(), 256 / format.group());
    let blocks = row_bytes / block;
    let Parts { bytes, scales, mins } = parts;
    assert!(knows(format) && rows.len() == ROWS * row_bytes && row_bytes.is_multiple_of(block));
    assert!(bytes.len() == blocks * 256 * ROWS && scales.len() == blocks * groups * ROWS && mins.len() == scales.len());
    for b in 0..blocks {
        let ahead = Ahead(rows.as_ptr().wrapping_add(rows.len() + b * ROWS * block));
        let at: [*const u8; ROWS] = std::array::from_fn(|r| rows[r * row_bytes + b * block..].as_ptr());
        let bytes = bytes[b * 256 * ROWS..].as_mut_ptr();
        let scales = scales[b * groups * ROWS..].as_mut_ptr();
        let mins = mins[b * groups * ROWS..].as_mut_ptr();
        // SAFETY: each pointer of `at` has a whole block behind it, and there are a block's bytes, scales and minima of
        // sixteen rows behind the others: the lengths above were checked.
        unsafe {
            match format {
                Format::Q4K => q4k(&at, ahead, bytes, scales, mins),
                _ => q6k(&at, ahead, bytes, scales, mins),
            }
        }
    }
}

/// The next sixteen rows' part of a block, which lies right behind these rows. Sixteen short rows are no stream that a
/// processor would see by itself; they are fetched a little at a time, since few can be on their way at once.
#[derive(Clone, Copy)]
struct Ahead(*const u8);

impl Ahead {
    #[inline(always)]
    fn fetch(self, lines: std::ops::Range<usize>) {
        for line in lines {
            // SAFETY: a hint, which may name any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.0.wrapping_add(line * 64).cast()) };
        }
    }
}

/// # Safety
/// A block of 144 bytes behind each pointer of `at`; 4,096 bytes, 128 scales and 128 minima behind the others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn q4k(at: &[*const u8; ROWS], ahead: Ahead, bytes: *mut u8, scales: *mut f32, mins: *mut f32) {
    let low = _mm512_set1_epi8(15);
    for half in 0..2 {
        // SAFETY: 64 bytes of nibbles from 16 or 80 on are in the block.
        let columns = transpose(unsafe { gather(at, 16 + half * 64) });
        for (c, packed) in columns.into_iter().enumerate() {
            // Of 64 numbers, 32 bytes hold the first 32 in their low nibbles and the others in their high ones.
            let to = (half * 2 + c / 8) * 16 + c % 8;
            ahead.fetch(half * 16 + c..half * 16 + c + 1);
            // SAFETY: `to + 8` is below 64, and 64 such registers are 4,096 bytes.
            unsafe {
                store(bytes, to, _mm512_and_si512(packed, low));
                store(bytes, to + 8, _mm512_and_si512(_mm512_srli_epi16(packed, 4), low));
            }
        }
    }
    ahead.fetch(32..36);
    let (mut d, mut dmin) = ([0u16; ROWS], [0u16; ROWS]);
    let (mut scale, mut min) = ([[0u32; 2]; ROWS], [[0u32; 2]; ROWS]);
    for (r, at) in at.iter().enumerate() {
        // SAFETY: the first 16 bytes of a block.
        let head = unsafe { at.cast::<[u32; 4]>().read_unaligned() }.map(u32::from_le);
        (d[r], dmin[r]) = (head[0] as u16, (head[0] >> 16) as u16);
        let high = |packed: u32| ((packed >> 6) & 0x0303_0303) << 4;
        scale[r] = [head[1] & 0x3f3f_3f3f, (head[3] & 0x0f0f_0f0f) | high(head[1])];
        min[r] = [head[2] & 0x3f3f_3f3f, ((head[3] >> 4) & 0x0f0f_0f0f) | high(head[2])];
    }
    // SAFETY: arrays of 128 and of 32 bytes are read as registers of these sizes; 8 groups of 16 are written.
    unsafe {
        let d = _mm512_cvtph_ps(_mm256_loadu_si256(d.as_ptr().cast()));
        let dmin = _mm512_cvtph_ps(_mm256_loadu_si256(dmin.as_ptr().cast()));
        let by_group = |rows: &[[u32; 2]; ROWS]| -> [__m128i; 8] {
            rotate(std::array::from_fn(|i| _mm_loadu_si128(rows.as_ptr().cast::<__m128i>().add(i))))
        };
        for (g, (scale, min)) in by_group(&scale).into_iter().zip(by_group(&min)).enumerate() {
            let float = |bytes: __m128i| _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
            _mm512_storeu_ps(scales.add(g * ROWS), _mm512_mul_ps(d, float(scale)));
            _mm512_storeu_ps(mins.add(g * ROWS), _mm512_mul_ps(dmin, float(min)));
        }
    }
}

/// # Safety
/// A block of 210 bytes behind each pointer of `at`; 4,096 bytes, 256 scales and 256 minima behind the others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn q6k(at: &[*const u8; ROWS], ahead: Ahead, bytes: *mut u8, scales: *mut f32, mins: *mut f32) {
    let (low, high) = (_mm512_set1_epi8(15), _mm512_set1_epi8(0x30));
    // SAFETY: 64 bytes from each of these are in the block.
    let (tops, lows) = unsafe { (transpose(gather(at, 128)), [transpose(gather(at, 0)), transpose(gather(at, 64))]) };
    for (half, lows) in lows.iter().enumerate() {
        for t in 0..8 {
            let (a, b, top) = (lows[t], lows[8 + t], tops[half * 8 + t]);
            let join = |nibbles: __m512i, bits: __m512i| {
                _mm512_or_si512(_mm512_and_si512(nibbles, low), _mm512_and_si512(bits, high))
            };
            let to = half * 32 + t;
            ahead.fetch((half * 8 + t) * 3..(half * 8 + t) * 3 + 3);
            // SAFETY: `to + 24` is below 64.
            unsafe {
                store(bytes, to, join(a, _mm512_slli_epi16(top, 4)));
                store(bytes, to + 8, join(b, _mm512_slli_epi16(top, 2)));
                store(bytes, to + 16, join(_mm512_srli_epi16(a, 4), top));
                store(bytes, to + 24, join(_mm512_srli_epi16(b, 4), _mm512_srli_epi16(top, 2)));
            }
        }
    }
    ahead.fetch(48..53);
    let centre = _mm512_set1_ps(32.0);
    let mut d = [0u16; ROWS];
    for (d, at) in d.iter_mut().zip(at) {
        // SAFETY: the last two bytes of a block.
        *d = u16::from_le_bytes(unsafe { at.add(208).cast::<[u8; 2]>().read() });
    }
    // SAFETY: 16 bytes from 192 on are in the block; 16 groups of 16 are written.
    unsafe {
        let d = _mm512_cvtph_ps(_mm256_loadu_si256(d.as_ptr().cast()));
        let by_group: [__m128i; 16] = rotate(std::array::from_fn(|r| _mm_loadu_si128(at[r].add(192).cast())));
        for (g, scale) in by_group.into_iter().enumerate() {
            let scale = _mm512_mul_ps(d, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(scale)));
            _mm512_storeu_ps(scales.add(g * ROWS), scale);
            _mm512_storeu_ps(mins.add(g * ROWS), _mm512_mul_ps(centre, scale));
        }
    }
}

/// # Safety
/// 64 bytes from `offset` on behind each pointer.
#[target_feature(enable = "avx512f")]
unsafe fn gather(at: &[*const u8; ROWS], offset: usize) -> [__m512i; ROWS] {
    // SAFETY: as the caller promises.
    std::array::from_fn(|r| unsafe { _mm512_loadu_si512(at[r].add(offset).cast()) })
}

/// # Safety
/// `64 * (to + 1)` bytes behind `bytes`.
#[target_feature(enable = "avx512f")]
unsafe fn store(bytes: *mut u8, to: usize, register: __m512i) {
    // SAFETY: as the caller promises.
    unsafe { _mm512_storeu_si512(bytes.add(to * 64).cast(), register) }
}

/// Sixteen rows of sixteen 32-bit numbers, columns first.
#[target_feature(enable = "avx512f")]
fn transpose(r: [__m512i; 16]) -> [__m512i; 16] {
    let mut t = r;
    for i in 0..8 {
        t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    // `u[4 i + c]` holds column `4 l + c` of rows `4 i` to `4 i + 3` in its part `l`.
    let mut u = t;
    for i in 0..4 {
        let t = &t[4 * i..4 * i + 4];
        u[4 * i] = _mm512_unpacklo_epi64(t[0], t[2]);
        u[4 * i + 1] = _mm512_unpackhi_epi64(t[0], t[2]);
        u[4 * i + 2] = _mm512_unpacklo_epi64(t[1], t[3]);
        u[4 * i + 3] = _mm512_unpackhi_epi64(t[1], t[3]);
    }
    let mut out = u;
    for c in 0..4 {
        let even = (_mm512_shuffle_i32x4(u[c], u[4 + c], 0x88), _mm512_shuffle_i32x4(u[8 + c], u[12 + c], 0x88));
        let odd = (_mm512_shuffle_i32x4(u[c], u[4 + c], 0xdd), _mm512_shuffle_i32x4(u[8 + c], u[12 + c], 0xdd));
        out[c] = _mm512_shuffle_i32x4(even.0, even.1, 0x88);
        out[8 + c] = _mm512_shuffle_i32x4(even.0, even.1, 0xdd);
        out[4 + c] = _mm512_shuffle_i32x4(odd.0, odd.1, 0x88);
        out[12 + c] = _mm512_shuffle_i32x4(odd.0, odd.1, 0xdd);
    }
    out
}

/// Sixteen rows of `N` bytes, columns first. Interleaving both halves of the whole turns a byte's address by one bit to
/// the left; after four times the row, which was in its upper bits, is in the lower four.
#[target_feature(enable = "avx512f")]
fn rotate<const N: usize>(mut v: [__m128i; N]) -> [__m128i; N] {
    for _ in 0..4 {
        let from = v;
        for i in 0..N / 2 {
            v[2 * i] = _mm_unpacklo_epi8(from[i], from[i + N / 2]);
            v[2 * i + 1] = _mm_unpackhi_epi8(from[i], from[i + N / 2]);
        }
    }
    v
}
