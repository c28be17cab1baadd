//! Weights where they lie: matrices of quantised blocks computed straight from the mapping.
//!
//! Candle's own loader copies every tensor and, for some types, repacks a second copy (about 1.5 times the file for
//! the default model, and seconds before the first token). Here a [`Weights`] is a range of the mapping; the kernel reads
//! it in place, so opening a model takes as long as reading its header, and the pages are shared with the system's cache.
//! Candle's block types and, where [`super::kernels`] has none of its own, its kernels do the arithmetic.

use super::{
    adapter::Delta,
    gguf::Gguf,
    kernels::{self, Sizes},
};
use crate::EngineError;
use candle_core::{
    CpuStorage, CustomOp1, Layout, Result, Shape, Tensor, bail,
    quantized::{GgmlDType, GgmlType, k_quants},
};
use half::{bf16, f16};
use memmap2::Mmap;
use std::{ops::Range, sync::Arc};

/// A tensor in the mapping: `[rows, columns]`, or `[1, columns]` for a vector.
#[derive(Clone)]
pub struct Weights {
    map: Arc<Mmap>,
    bytes: Range<usize>,
    dtype: GgmlDType,
    rows: usize,
    columns: usize,
}

/// Runs `$body` with `$t` as the block type of `$dtype`.
macro_rules! with_block {
    ($dtype:expr, $t:ident => $body:expr) => {{
        use k_quants::*;
        macro_rules! go {
            ($block:ty) => {{
                type $t = $block;
                $body
            }};
        }
        match $dtype {
            GgmlDType::F32 => go!(f32),
            GgmlDType::F16 => go!(f16),
            GgmlDType::BF16 => go!(bf16),
            GgmlDType::Q4_0 => go!(BlockQ4_0),
            GgmlDType::Q4_1 => go!(BlockQ4_1),
            GgmlDType::Q5_0 => go!(BlockQ5_0),
            GgmlDType::Q5_1 => go!(BlockQ5_1),
            GgmlDType::Q8_0 => go!(BlockQ8_0),
            GgmlDType::Q8_1 => go!(BlockQ8_1),
            GgmlDType::Q2K => go!(BlockQ2K),
            GgmlDType::Q3K => go!(BlockQ3K),
            GgmlDType::Q4K => go!(BlockQ4K),
            GgmlDType::Q5K => go!(BlockQ5K),
            GgmlDType::Q6K => go!(BlockQ6K),
            GgmlDType::Q8K => go!(BlockQ8K),
        }
    }};
}

impl Weights {
    /// The tensor `name`, which must have this shape.
    ///
    /// # Errors
    /// [`EngineError::BrokenModel`] when it is missing or of another shape.
    pub fn find(gguf: &Gguf, name: &str, shape: &[usize]) -> std::result::Result<Self, EngineError> {
        let info = gguf.tensor(name).ok_or_else(|| gguf.broken(format!("tensor `{name}` is missing")))?;
        if info.shape != shape {
            return Err(gguf.broken(format!("tensor `{name}` is {:?} and should be {shape:?}", info.shape)));
        }
        let columns = shape.last().copied().unwrap_or(1);
        Ok(Self {
            map: gguf.map().clone(),
            bytes: info.bytes.clone(),
            dtype: info.dtype,
            rows: shape.iter().product::<usize>() / columns,
            columns,
        })
    }

    fn blocks<T: GgmlType>(&self) -> &[T] {
        let bytes = &self.map[self.bytes.clone()];
        // SAFETY: every block type is plain numbers for which any bits are a value; `align_to` gives back what does not
        // fit its alignment, which cannot happen at the offsets that `gguf` lets through.
        let (before, blocks, _) = unsafe { bytes.align_to::<T>() };
        debug_assert!(before.is_empty());
        blocks
    }

    /// All numbers, as `f32`.
    pub fn floats(&self) -> Vec<f32> {
        let mut out = vec![0.0; self.rows * self.columns];
        with_block!(self.dtype, T => T::to_float(self.blocks::<T>(), &mut out));
        out
    }

    /// Writes rows `ids` into `out`, one after another.
    ///
    /// # Errors
    /// When an id is not a row.
    pub fn gather(&self, ids: &[u32]) -> Result<Vec<f32>> {
        let row = self.columns / self.dtype.block_size();
        let mut out = vec![0.0; ids.len() * self.columns];
        for (id, out) in ids.iter().zip(out.chunks_exact_mut(self.columns)) {
            let id = *id as usize;
            if id >= self.rows {
                bail!("token {id} is outside the vocabulary of {}", self.rows);
            }
            with_block!(self.dtype, T => T::to_float(&self.blocks::<T>()[id * row..(id + 1) * row], out));
        }
        Ok(out)
    }

    /// `x · selfᵀ` for `x` of `[…, columns]`, to `[…, rows]`, and what `deltas` add to some of its rows.
    ///
    /// # Errors
    /// When `x` has another last dimension or is not contiguous.
    pub fn apply(&self, x: &Tensor, deltas: &[(Range<usize>, &Delta)]) -> Result<Tensor> {
        x.apply_op1_no_bwd(&Product { weights: self, deltas })
    }

    fn multiply(&self, x: &[f32], out: &mut [f32]) {
        let sizes = Sizes { m: x.len() / self.columns, k: self.columns, n: self.rows };
        let bytes = &self.map[self.bytes.clone()];
        with_block!(self.dtype, T => kernels::multiply(self.blocks::<T>(), bytes, sizes, x, out));
    }
}

struct Product<'a> {
    weights: &'a Weights,
    deltas: &'a [(Range<usize>, &'a Delta)],
}

impl CustomOp1 for Product<'_> {
    fn name(&self) -> &'static str {
        "mapped-weights"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Some((start, end)) = layout.contiguous_offsets() else {
            bail!("the input of a matrix product is not contiguous: {layout:?}");
        };
        let Weights { rows, columns, .. } = *self.weights;
        let x = &storage.as_slice::<f32>()?[start..end];
        let mut shape = layout.shape().dims().to_vec();
        match shape.last_mut() {
            Some(last) if *last == columns => *last = rows,
            _ => bail!("a matrix of {columns} columns cannot take {:?}", layout.shape()),
        }
        let mut out = vec![0.0; shape.iter().product()];
        if self.deltas.is_empty() {
            self.weights.multiply(x, &mut out);
            return Ok((CpuStorage::F32(out), Shape::from(shape)));
        }
        // Both at once: whichever thread has done its part helps the other.
        let added = |(span, delta): &(Range<usize>, &Delta)| delta.apply(&x[span.start * columns..span.end * columns]);
        let (added, ()) =
            rayon::join(|| self.deltas.iter().map(added).collect::<Vec<_>>(), || self.weights.multiply(x, &mut out));
        for ((span, _), added) in self.deltas.iter().zip(added) {
            let part = &mut out[span.start * rows..span.end * rows];
            part.iter_mut().zip(added).for_each(|(y, more)| *y += more);
        }
        Ok((CpuStorage::F32(out), Shape::from(shape)))
    }
}
