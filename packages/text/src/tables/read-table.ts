import { contentTypeEssence } from '../types/content-types.ts'
import { alignedFormat, type AlignedFormat } from './aligned-format.ts'
import type { JsonLayout } from '../json/json-form.ts'
import { separatedFormat, type SeparatedFormat } from './separated-format.ts'
import { splitRecord } from './split-record.ts'
import type { TableText } from './table-text.ts'
import { AlignedRows } from './aligned-rows.ts'
import { ExpandedRows } from './expanded-rows.ts'
import { JsonRows, type JsonRowsForm } from './json-rows.ts'
import { SeparatedRows } from './separated-rows.ts'
import type { RowReader, TableSink } from './table-row.ts'

/** How sure it must be that a text which nothing declares a table is one, when it is asked for rows. */
const DECLARED_SURENESS = 0.97
/** A name without quotes. */
const NAME = /^(?:[\p{L}\p{N}_#%$(][^:{}<>;=]{0,80})?$/u

/**
 * Begin to read the rows of a text, of which the start is known; `undefined` where it is no table.
 *
 * @param layout - The JSON of the text, which begins at the character `start` of it.
 */
export function readTable(text: Omit<TableText, 'intent'>, layout: JsonLayout, sink: TableSink): RowReader | undefined {
  const start = text.start.startsWith('\ufeff') ? text.start.slice(1) : text.start
  const asked = { ...text, start, contentType: contentTypeEssence(text.contentType), intent: { paths: [] } }
  const separated = separatedFormat(asked)
  const aligned = alignedFormat(asked)
  const before = start.slice(0, layout.start)
  const tableSureness = before.trim() === '' ? 0 : Math.max(separated?.sureness ?? 0, aligned?.sureness ?? 0)
  const json = layout.sureness < tableSureness ? undefined : jsonForm(start.slice(before.length), layout)
  if (json === 'other') return undefined
  if (json !== undefined) return new JsonRows(json, sink, before)
  if (aligned !== undefined && aligned.sureness > (separated?.sureness ?? 0)) return readAligned(aligned, sink)
  const format = separated ?? lenientFormat(asked)
  return format && new SeparatedRows(format, sink)
}

function readAligned(format: AlignedFormat, sink: TableSink): RowReader {
  return format.form === 'expanded' ? new ExpandedRows(sink) : new AlignedRows(format, sink)
}

/** Tell how objects stand in JSON: `other` where they are no rows. */
function jsonForm(start: string, { form }: JsonLayout): JsonRowsForm | 'other' | undefined {
  if (/^\s*\[\s*\{/.test(start)) return 'array'
  if (!/^\s*\{/.test(start)) return undefined
  const lines = start.trimStart().split('\n')
  // The last line may be cut; a single one may also be a document of its own.
  const whole = lines.slice(0, -1).filter((line) => line.trim() !== '')
  if (form === 'json-lines') return whole.slice(0, 1).every(isObject) ? 'lines' : 'documents'
  if (whole.length === 1 && whole.every(isObject)) return 'lines'
  return /^\s*\{\s*(?:"|\}|$)/.test(start) ? 'other' : undefined
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** A text that would be a table if it were declared one, with names in its header and nearly all rows alike: it is asked for rows. */
function lenientFormat(text: TableText): SeparatedFormat | undefined {
  const formats = ['text/csv', 'text/tab-separated-values'].map((contentType) =>
    separatedFormat({ ...text, contentType }),
  )
  return formats.find(
    (format) =>
      format !== undefined && format.header && format.sureness >= DECLARED_SURENESS && hasNames(text.start, format),
  )
}

/** Whether the first line names columns, and is none of a log; what stands in quotes may be any name. */
function hasNames(start: string, { separator, quotes, comments }: SeparatedFormat): boolean {
  const first = start.split('\n', comments + 1)[comments] ?? ''
  return splitRecord(first.trimEnd(), separator, quotes).every((cell) => cell.startsWith('"') || NAME.test(cell.trim()))
}
