//! What the bytes of a quantised block mean, for the types with kernels of their own.
//!
//! Every type here is unpacked to one form: unsigned bytes in groups, each group with a scale and a minimum, so that a
//! number is `scale · byte − minimum`. Layouts: ggml's `ggml-common.h`.

use candle_core::quantized::GgmlDType;
use half::f16;

/// A storage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q4K,
    Q5K,
    Q6K,
}

impl Format {
    /// The format of `dtype`, when it has kernels here.
    pub fn of(dtype: GgmlDType) -> Option<Self> {
        Some(match dtype {
            GgmlDType::Q4_0 => Self::Q4_0,
            GgmlDType::Q4_1 => Self::Q4_1,
            GgmlDType::Q5_0 => Self::Q5_0,
            GgmlDType::Q5_1 => Self::Q5_1,
            GgmlDType::Q8_0 => Self::Q8_0,
            GgmlDType::Q4K => Self::Q4K,
            GgmlDType::Q5K => Self::Q5K,
            GgmlDType::Q6K => Self::Q6K,
            _ => return None,
        })
    }

    /// Numbers in a block.
    pub const fn block(self) -> usize {
        if self.is_k() { 256 } else { 32 }
    }

    /// Bytes of a block.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
            Self::Q4K => 144,
            Self::Q5K => 176,
            Self::Q6K => 210,
        }
    }

    /// Numbers that share a scale.
    pub const fn group(self) -> usize {
        if matches!(self, Self::Q6K) { 16 } else { 32 }
    }

    /// Whether activations are quantised 256 at a time, as ggml does for these types.
    pub const fn is_k(self) -> bool {
        matches!(self, Self::Q4K | Self::Q5K | Self::Q6K)
    }
}

/// Unpacks one block; the slices hold one block's bytes and its groups.
#[inline(always)]
pub fn unpack(format: Format, block: &[u8], bytes: &mut [u8], scales: &mut [f32], mins: &mut [f32]) {
    let half = |at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32();
    match format {
        Format::Q4_0 => {
            nibbles(&block[2..18], bytes);
            (scales[0], mins[0]) = (half(0), 8.0 * half(0));
        }
        Format::Q4_1 => {
            nibbles(&block[4..20], bytes);
            (scales[0], mins[0]) = (half(0), -half(2));
        }
        Format::Q5_0 => {
            nibbles(&block[6..22], bytes);
            fifth_bits(&block[2..6], bytes);
            (scales[0], mins[0]) = (half(0), 16.0 * half(0));
        }
        Format::Q5_1 => {
            nibbles(&block[8..24], bytes);
            fifth_bits(&block[4..8], bytes);
            (scales[0], mins[0]) = (half(0), -half(2));
        }
        Format::Q8_0 => {
            bytes.iter_mut().zip(&block[2..34]).for_each(|(to, from)| *to = from ^ 0x80);
            (scales[0], mins[0]) = (half(0), 128.0 * half(0));
        }
        Format::Q4K => {
            four_nibbles(&block[16..144], bytes);
            k_scales(half(0), half(2), &block[4..16], scales, mins);
        }
        Format::Q5K => {
            four_nibbles(&block[48..176], bytes);
            for (j, group) in bytes.chunks_exact_mut(32).enumerate() {
                group.iter_mut().zip(&block[16..48]).for_each(|(to, high)| *to |= ((high >> j) & 1) << 4);
            }
            k_scales(half(0), half(2), &block[4..16], scales, mins);
        }
        Format::Q6K => {
            for h in 0..2 {
                let (low, high) = (&block[h * 64..h * 64 + 64], &block[128 + h * 32..160 + h * 32]);
                let out = &mut bytes[h * 128..h * 128 + 128];
                for j in 0..32 {
                    out[j] = (low[j] & 15) | ((high[j] & 3) << 4);
                    out[j + 32] = (low[j + 32] & 15) | (((high[j] >> 2) & 3) << 4);
                    out[j + 64] = (low[j] >> 4) | (((high[j] >> 4) & 3) << 4);
                    out[j + 96] = (low[j + 32] >> 4) | ((high[j] >> 6) << 4);
                }
            }
            let d = half(208);
            for (j, scale) in block[192..208].iter().enumerate() {
                scales[j] = d * f32::from(scale.cast_signed());
                mins[j] = 32.0 * scales[j];
            }
        }
    }
}

#[inline(always)]
fn nibbles(packed: &[u8], bytes: &mut [u8]) {
    let (low, high) = bytes.split_at_mut(16);
    for j in 0..16 {
        low[j] = packed[j] & 15;
        high[j] = packed[j] >> 4;
    }
}

#[inline(always)]
fn fifth_bits(bits: &[u8], bytes: &mut [u8]) {
    let bits = u32::from_le_bytes([bits[0], bits[1], bits[2], bits[3]]);
    bytes.iter_mut().enumerate().for_each(|(j, byte)| *byte |= (((bits >> j) & 1) << 4) as u8);
}

#[inline(always)]
fn four_nibbles(packed: &[u8], bytes: &mut [u8]) {
    for (packed, bytes) in packed.chunks_exact(32).zip(bytes.chunks_exact_mut(64)) {
        let (low, high) = bytes.split_at_mut(32);
        for j in 0..32 {
            low[j] = packed[j] & 15;
            high[j] = packed[j] >> 4;
        }
    }
}

/// The 6-bit scales and minima of a K block.
#[inline(always)]
fn k_scales(d: f32, dmin: f32, packed: &[u8], scales: &mut [f32], mins: &mut [f32]) {
    for j in 0..8 {
        let (scale, min) = if j < 4 {
            (packed[j] & 63, packed[j + 4] & 63)
        } else {
            ((packed[j + 4] & 15) | ((packed[j - 4] >> 6) << 4), (packed[j + 4] >> 4) | ((packed[j] >> 6) << 4))
        };
        scales[j] = d * f32::from(scale);
        mins[j] = dmin * f32::from(min);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::quantized::{GgmlType, k_quants::*};

    /// Bytes that are no special case of anything, with scales that are ordinary numbers.
    fn block<T: GgmlType>(format: Format, seed: u32) -> Vec<u8> {
        let noise = |i: u32| ((i.wrapping_mul(2_654_435_761).wrapping_add(seed)) >> 13) as f32 / 524_288.0 - 0.5;
        let numbers: Vec<f32> = (0..format.block() as u32).map(noise).collect();
        let mut blocks = vec![T::zeros()];
        T::from_float(&numbers, &mut blocks);
        assert_eq!(size_of::<T>(), format.bytes());
        // SAFETY: a block is plain numbers without padding.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast::<u8>(), format.bytes()) }.to_vec()
    }

    fn check<T: GgmlType>() {
        let format = Format::of(T::DTYPE).expect("it has kernels");
        for seed in [1, 77, 991] {
            let block = block::<T>(format, seed);
            let (mut bytes, mut scales, mut mins) = ([0; 256], [0.0; 16], [0.0; 16]);
            unpack(format, &block, &mut bytes[..format.block()], &mut scales, &mut mins);
            let mut expected = vec![0.0; format.block()];
            // SAFETY: as above; the block was made of one.
            let blocks = unsafe { std::ptr::read_unaligned(block.as_ptr().cast::<T>()) };
            T::to_float(&[blocks], &mut expected);
            for (i, expected) in expected.iter().enumerate() {
                let g = i / format.group();
                let got = scales[g] * f32::from(bytes[i]) - mins[g];
                assert!((got - expected).abs() < 1e-5, "{format:?}[{i}]: {got}, candle has {expected}");
            }
        }
    }

    #[test]
    fn blocks_mean_what_candle_says() {
        check::<BlockQ4_0>();
        check::<BlockQ4_1>();
        check::<BlockQ5_0>();
        check::<BlockQ5_1>();
        check::<BlockQ8_0>();
        check::<BlockQ4K>();
        check::<BlockQ5K>();
        check::<BlockQ6K>();
    }
}
