//! Reads a GGUF file: metadata, and where each tensor lies in the mapping.
//!
//! Owns the file format and nothing else: it does not know what a key means or how a block is computed. The file is
//! hostile until read: every length is checked against the bytes that are left before anything is allocated for it, and
//! what does not add up is an error that names it. Strings and arrays stay in the mapping; nothing is copied out of it
//! until somebody asks.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, versions 2 and 3, little-endian.

use crate::EngineError;
use candle_core::quantized::GgmlDType;
use memmap2::Mmap;
use std::{
    collections::HashMap,
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// More keys than any published model has (about 50); a bound on the table below.
const MAX_KEYS: u64 = 4096;
/// More tensors than any published dense model has (about 1,200).
const MAX_TENSORS: u64 = 65_536;
/// Tokens, merges and scores are the longest arrays; the largest vocabularies have 260,000 of each.
const MAX_ARRAY: u64 = 4 << 20;
/// GGUF's own limit.
const MAX_DIMS: u32 = 4;

/// An open model file.
pub struct Gguf {
    path: PathBuf,
    map: Arc<Mmap>,
    values: HashMap<String, Value>,
    tensors: HashMap<String, TensorInfo>,
}

/// A metadata value.
#[derive(Clone, Debug)]
enum Value {
    Int(i128),
    Float(f64),
    Bool(bool),
    Text(Range<usize>),
    Texts(Vec<Range<usize>>),
    Ints(Vec<i64>),
    /// An array that nothing here asks for (scores, nested arrays).
    Other,
}

/// Where a tensor lies.
#[derive(Clone, Debug)]
pub struct TensorInfo {
    /// Its storage type.
    pub dtype: GgmlDType,
    /// Rows first: `[rows, columns]` for a matrix, `[columns]` for a vector.
    pub shape: Vec<usize>,
    /// Its bytes in the mapping.
    pub bytes: Range<usize>,
}

impl Gguf {
    /// Maps `path` and reads its header.
    ///
    /// # Errors
    /// [`EngineError::Io`] when the file cannot be opened, [`EngineError::BrokenModel`] for everything wrong inside.
    pub fn open(path: &Path) -> Result<Self, EngineError> {
        let io = |e| EngineError::io(path, e);
        let file = File::open(path).map_err(io)?;
        if !file.metadata().map_err(io)?.is_file() {
            return Err(EngineError::BrokenModel { path: path.into(), reason: "it is not a file".into() });
        }
        // SAFETY: the mapping is read-only and private. Model files are written under another name and renamed when
        // complete, so nobody shortens this one in place; somebody who does anyway ends the process with SIGBUS, as with
        // any program that maps its data.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        let mut gguf = Self { path: path.into(), map: Arc::new(map), values: HashMap::new(), tensors: HashMap::new() };
        gguf.read().map_err(|reason| gguf.broken(reason))?;
        Ok(gguf)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The mapping that [`TensorInfo::bytes`] points into.
    pub fn map(&self) -> &Arc<Mmap> {
        &self.map
    }

    /// An error about this file.
    pub fn broken(&self, reason: impl Into<String>) -> EngineError {
        EngineError::BrokenModel { path: self.path.clone(), reason: reason.into() }
    }

    /// The text under `key`.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key)? {
            Value::Text(range) => self.str(range),
            _ => None,
        }
    }

    /// The whole number under `key`.
    pub fn int(&self, key: &str) -> Option<usize> {
        match self.values.get(key)? {
            Value::Int(i) => usize::try_from(*i).ok(),
            _ => None,
        }
    }

    /// The number under `key`.
    pub fn float(&self, key: &str) -> Option<f64> {
        match self.values.get(key)? {
            Value::Float(f) => Some(*f),
            Value::Int(i) => Some(*i as f64),
            _ => None,
        }
    }

    /// The truth value under `key`.
    pub fn bool(&self, key: &str) -> Option<bool> {
        match self.values.get(key)? {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The texts under `key`, as ranges of the mapping that are known to be UTF-8.
    pub fn texts(&self, key: &str) -> Option<&[Range<usize>]> {
        match self.values.get(key)? {
            Value::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// The whole numbers under `key`.
    pub fn ints(&self, key: &str) -> Option<&[i64]> {
        match self.values.get(key)? {
            Value::Ints(ints) => Some(ints),
            _ => None,
        }
    }

    /// [`Gguf::int`], or an error that names the key.
    pub fn need_int(&self, key: &str) -> Result<usize, EngineError> {
        self.int(key).ok_or_else(|| self.broken(format!("`{key}` is missing from its metadata")))
    }

    /// The tensor called `name`.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(name)
    }

    /// The text at a range from [`Gguf::texts`].
    pub fn str(&self, range: &Range<usize>) -> Option<&str> {
        std::str::from_utf8(self.map.get(range.clone())?).ok()
    }

    fn read(&mut self) -> Result<(), String> {
        let map = self.map.clone();
        let mut r = Reader { bytes: &map, at: 0 };
        if r.take(4)? != b"GGUF" {
            return Err("it does not begin with the letters GGUF, so it is no model file".into());
        }
        let version = r.u32()?;
        if !(2..=3).contains(&version) {
            return Err(format!("it is GGUF version {version}, and versions 2 and 3 are read"));
        }
        let tensor_count = r.bounded("tensors", MAX_TENSORS)?;
        let key_count = r.bounded("metadata keys", MAX_KEYS)?;
        for _ in 0..key_count {
            let key = r.string("a metadata key")?;
            let key = std::str::from_utf8(&map[key]).map_err(|_| "a metadata key is not UTF-8")?.to_owned();
            let kind = r.u32()?;
            let value = r.value(kind).map_err(|e| format!("metadata `{key}`: {e}"))?;
            self.values.insert(key, value);
        }
        let mut infos = Vec::new();
        for _ in 0..tensor_count {
            infos.push(r.tensor_info()?);
        }
        let align = self.int("general.alignment").unwrap_or(32);
        if !align.is_power_of_two() || align < 4 {
            return Err(format!("`general.alignment` is {align}, not a power of two of at least 4"));
        }
        let data = r.at.checked_next_multiple_of(align).ok_or("its header is too long")?;
        for (name, dtype, dims, offset) in infos {
            let info =
                locate(dtype, dims, offset, data, align, map.len()).map_err(|e| format!("tensor `{name}` {e}"))?;
            self.tensors.insert(name, info);
        }
        Ok(())
    }
}

/// Checks that a tensor's bytes are all in the file.
fn locate(
    kind: u32,
    mut dims: Vec<u64>,
    offset: u64,
    data: usize,
    align: usize,
    len: usize,
) -> Result<TensorInfo, String> {
    let dtype = dtype(kind).ok_or_else(|| {
        format!(
            "is stored as {}, which the embedded engine does not run; Q4_K_M files are a good choice",
            kind_name(kind)
        )
    })?;
    dims.reverse();
    let elements = dims.iter().try_fold(1u64, |n, d| n.checked_mul(*d)).ok_or("has too many elements")?;
    let block = dtype.block_size() as u64;
    if elements == 0 || !dims.last().is_some_and(|d| d.is_multiple_of(block)) {
        return Err(format!("has a shape {dims:?} that {dtype:?} blocks of {block} do not fill"));
    }
    let size = (elements / block).checked_mul(dtype.type_size() as u64).ok_or("is too large")?;
    if !offset.is_multiple_of(align as u64) {
        return Err(format!("lies at {offset}, which is not aligned to {align}"));
    }
    let start = (data as u64).checked_add(offset).ok_or("lies too far out")?;
    let end = start.checked_add(size).ok_or("is too large")?;
    if end > len as u64 {
        return Err(format!("ends at byte {end}, and the file has {len}: it is cut short"));
    }
    let shape = dims.iter().map(|d| *d as usize).collect();
    Ok(TensorInfo { dtype, shape, bytes: start as usize..end as usize })
}

fn dtype(kind: u32) -> Option<GgmlDType> {
    use GgmlDType::*;
    Some(match kind {
        0 => F32,
        1 => F16,
        2 => Q4_0,
        3 => Q4_1,
        6 => Q5_0,
        7 => Q5_1,
        8 => Q8_0,
        10 => Q2K,
        11 => Q3K,
        12 => Q4K,
        13 => Q5K,
        14 => Q6K,
        30 => BF16,
        _ => return None,
    })
}

/// What people call the storage types that are not run.
fn kind_name(kind: u32) -> String {
    const IQ: [&str; 8] = ["IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS"];
    match kind {
        9 => "Q8_1".into(),
        15 => "Q8_K".into(),
        16..=23 => IQ[kind as usize - 16].into(),
        24..=28 => ["I8", "I16", "I32", "I64", "F64"][kind as usize - 24].into(),
        29 => "IQ1_M".into(),
        34 | 35 => ["TQ1_0", "TQ2_0"][kind as usize - 34].into(),
        39 => "MXFP4".into(),
        _ => format!("type {kind}"),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("it is cut short: its header goes on after byte {}", self.bytes.len()))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    fn u32(&mut self) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn bounded(&mut self, what: &str, max: u64) -> Result<u64, String> {
        let n = self.u64()?;
        if n > max { Err(format!("it claims {n} {what}, and at most {max} are read")) } else { Ok(n) }
    }

    fn string(&mut self, what: &str) -> Result<Range<usize>, String> {
        let n = usize::try_from(self.u64()?).unwrap_or(usize::MAX);
        let start = self.at;
        self.take(n).map_err(|e| format!("{what} of {n} bytes: {e}"))?;
        Ok(start..self.at)
    }

    fn text(&mut self, what: &str) -> Result<Range<usize>, String> {
        let range = self.string(what)?;
        std::str::from_utf8(&self.bytes[range.clone()]).map_err(|_| format!("{what} is not UTF-8"))?;
        Ok(range)
    }

    fn int(&mut self, kind: u32) -> Result<Option<i128>, String> {
        Ok(Some(match kind {
            0 => i128::from(u8::from_le_bytes(self.array()?)),
            1 => i128::from(i8::from_le_bytes(self.array()?)),
            2 => i128::from(u16::from_le_bytes(self.array()?)),
            3 => i128::from(i16::from_le_bytes(self.array()?)),
            4 => i128::from(u32::from_le_bytes(self.array()?)),
            5 => i128::from(i32::from_le_bytes(self.array()?)),
            10 => i128::from(u64::from_le_bytes(self.array()?)),
            11 => i128::from(i64::from_le_bytes(self.array()?)),
            _ => return Ok(None),
        }))
    }

    fn value(&mut self, kind: u32) -> Result<Value, String> {
        if let Some(i) = self.int(kind)? {
            return Ok(Value::Int(i));
        }
        Ok(match kind {
            6 => Value::Float(f64::from(f32::from_le_bytes(self.array()?))),
            7 => Value::Bool(self.take(1)?[0] != 0),
            8 => Value::Text(self.text("a text")?),
            9 => self.list()?,
            12 => Value::Float(f64::from_le_bytes(self.array()?)),
            _ => return Err(format!("is of the unknown type {kind}")),
        })
    }

    fn list(&mut self) -> Result<Value, String> {
        let kind = self.u32()?;
        let n = self.bounded("array elements", MAX_ARRAY)?;
        match kind {
            8 => (0..n).map(|_| self.text("a text")).collect::<Result<_, _>>().map(Value::Texts),
            9 => Err("is an array of arrays, which is not read".into()),
            6 | 7 | 12 => {
                let size = [4, 1, 8][[6, 7, 12].iter().position(|k| *k == kind).unwrap_or(0)];
                self.take(n as usize * size)?;
                Ok(Value::Other)
            }
            _ => {
                let mut ints = Vec::new();
                for _ in 0..n {
                    let int = self.int(kind)?.ok_or_else(|| format!("is an array of the unknown type {kind}"))?;
                    ints.push(int as i64);
                }
                Ok(Value::Ints(ints))
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn tensor_info(&mut self) -> Result<(String, u32, Vec<u64>, u64), String> {
        let name = self.text("a tensor's name")?;
        let name = String::from_utf8_lossy(&self.bytes[name]).into_owned();
        let dims = self.u32()?;
        if dims == 0 || dims > MAX_DIMS {
            return Err(format!("tensor `{name}` has {dims} dimensions"));
        }
        let dims = (0..dims).map(|_| self.u64()).collect::<Result<Vec<_>, _>>()?;
        let kind = self.u32()?;
        Ok((name, kind, dims, self.u64()?))
    }
}

#[cfg(test)]
mod tests;
