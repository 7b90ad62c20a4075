export { alignedFormat, nameOfLongEntry, type AlignedFormat } from './aligned-format.ts'
export { AlignedReader, type AlignedTable, type BeginTable } from './aligned-reader.ts'
export { cellsOf, isFooter, type LineColumns } from './find-columns.ts'
export { JsonRows } from './json-rows.ts'
export { readTable } from './read-table.ts'
export {
  isTerminalText,
  isValue,
  MOST_COLUMNS,
  RecordReader,
  type BlockText,
  type RecordSink,
} from './record-reader.ts'
export { separatedFormat, splitRecord, unquote, type SeparatedFormat } from './separated-format.ts'
export type { RowReader, TableRow, TableSink } from './table-row.ts'
