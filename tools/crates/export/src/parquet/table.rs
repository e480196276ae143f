// SPDX-License-Identifier: Apache-2.0
//! A table as a Parquet file: each column is a function of the row, and a fixed number of rows is
//! written at a time.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

/// The number of rows of a row group. This is the number of values that are in memory at a time.
const GROUP: usize = 1 << 17;

type Value<'a, T> = Box<dyn Fn(usize) -> Option<T> + 'a>;

enum Values<'a> {
    Bool(Value<'a, bool>),
    U32(Value<'a, u32>),
    I64(Value<'a, i64>),
    U64(Value<'a, u64>),
    F32(Value<'a, f32>),
    Text(Value<'a, &'a str>),
}

struct Column<'a> {
    name: &'a str,
    /// Some rows may have no value.
    optional: bool,
    values: Values<'a>,
}

pub struct Table<'a> {
    pub name: &'static str,
    rows: usize,
    columns: Vec<Column<'a>>,
}

macro_rules! columns {
    ($($always:ident $optional:ident $kind:ident $type:ty;)*) => {$(
        #[allow(dead_code)] // not every type of column has both
        pub fn $always(self, name: &'a str, value: impl Fn(usize) -> $type + 'a) -> Self {
            self.with(name, false, Values::$kind(Box::new(move |row| Some(value(row)))))
        }

        #[allow(dead_code)]
        pub fn $optional(self, name: &'a str, value: impl Fn(usize) -> Option<$type> + 'a) -> Self {
            self.with(name, true, Values::$kind(Box::new(value)))
        }
    )*};
}

impl<'a> Table<'a> {
    pub fn new(name: &'static str, rows: usize) -> Self {
        Self { name, rows, columns: Vec::new() }
    }

    fn with(mut self, name: &'a str, optional: bool, values: Values<'a>) -> Self {
        self.columns.push(Column { name, optional, values });
        self
    }

    columns! {
        bool maybe_bool Bool bool;
        u32 maybe_u32 U32 u32;
        i64 maybe_i64 I64 i64;
        u64 maybe_u64 U64 u64;
        f32 maybe_f32 F32 f32;
        text maybe_text Text &'a str;
    }

    pub fn write<W: Write + Send>(&self, out: W) -> Result<W> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let properties = properties.set_created_by(format!("teff {}", env!("CARGO_PKG_VERSION")));
        let properties = self.columns.iter().fold(properties, |all, column| column.encoded(all)).build();
        let mut file = SerializedFileWriter::new(out, Arc::new(self.schema()?), Arc::new(properties))?;
        let starts = (0..self.rows).step_by(GROUP);
        for start in starts {
            let rows = start..self.rows.min(start + GROUP);
            let mut group = file.next_row_group()?;
            for column in &self.columns {
                column.write(&mut group, rows.clone())?;
            }
            group.close()?;
        }
        file.into_inner()
    }

    fn schema(&self) -> Result<Type> {
        let fields: Result<Vec<_>> =
            self.columns.iter().map(|column| column.schema().map(Arc::new)).collect();
        Type::group_type_builder(self.name).with_fields(fields?).build()
    }
}

impl Column<'_> {
    /// Times and rows mostly increase, so their differences take far less space than a dictionary
    /// of the values.
    fn encoded(&self, all: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
        let path = ColumnPath::from(self.name);
        match self.values {
            Values::U32(_) | Values::I64(_) | Values::U64(_) => {
                let all = all.set_column_dictionary_enabled(path.clone(), false);
                all.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
            }
            _ => all,
        }
    }

    fn schema(&self) -> Result<Type> {
        let unsigned = |bit_width| Some(LogicalType::Integer { bit_width, is_signed: false });
        let (physical, logical) = match &self.values {
            Values::Bool(_) => (Physical::BOOLEAN, None),
            Values::U32(_) => (Physical::INT32, unsigned(32)),
            Values::I64(_) => (Physical::INT64, None),
            Values::U64(_) => (Physical::INT64, unsigned(64)),
            Values::F32(_) => (Physical::FLOAT, None),
            Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if self.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder(self.name, physical);
        builder.with_repetition(repetition).with_logical_type(logical).build()
    }

    fn write<W: Write + Send>(&self, group: &mut SerializedRowGroupWriter<W>, rows: Rows) -> Result<()> {
        match &self.values {
            Values::Bool(value) => put::<BoolType, _, _>(group, self.optional, rows.map(value)),
            Values::U32(value) => put::<Int32Type, _, _>(
                group,
                self.optional,
                rows.map(|row| value(row).map(|value| value as i32)),
            ),
            Values::I64(value) => put::<Int64Type, _, _>(group, self.optional, rows.map(value)),
            Values::U64(value) => put::<Int64Type, _, _>(
                group,
                self.optional,
                rows.map(|row| value(row).map(|value| value as i64)),
            ),
            Values::F32(value) => put::<FloatType, _, _>(group, self.optional, rows.map(value)),
            Values::Text(value) => put::<ByteArrayType, _, _>(
                group,
                self.optional,
                rows.map(|row| value(row).map(ByteArray::from)),
            ),
        }
    }
}

type Rows = std::ops::Range<usize>;

/// Writes the next column of the row group. Which rows have a value is stored separately from the
/// values, which have no gaps.
fn put<T: DataType, W: Write + Send, I: Iterator<Item = Option<T::T>>>(
    group: &mut SerializedRowGroupWriter<W>,
    optional: bool,
    rows: I,
) -> Result<()> {
    let mut there = Vec::new();
    let mut values = Vec::new();
    for value in rows {
        if optional {
            there.push(i16::from(value.is_some()));
        }
        values.extend(value);
    }
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(&values, optional.then_some(&there[..]), None)?;
        column.close()?;
    }
    Ok(())
}
