import { writePreview } from '../layout/write-preview.ts'
import { alignedFormat, AlignedReader, type BeginTable, separatedFormat } from '@spillway/text/internal/tables'
import type { TextPreviewer, WritePreview } from '../previewer.ts'
import { SeparatedReader } from './separated-reader.ts'
import { ExpandedReader } from './expanded-reader.ts'
import type { TableData } from './table-data.ts'
import { tableItems } from './table-items.ts'
import { TableSection } from './table-section.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/**
 * Preview tables: CSV and TSV, results of queries, aligned columns of commands.
 *
 * The preview states the number of rows, names every column with what its cells hold (their range, a few values, how many
 * are empty), and shows the first rows, the last, and as many between them as fit.
 */
export function tablePreviewer(): TextPreviewer {
  return {
    name: 'table',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    recognize: (subject) => Math.max(separatedFormat(subject)?.sureness ?? 0, alignedFormat(subject)?.sureness ?? 0),
    read: (subject) => {
      const separated = separatedFormat(subject)
      const aligned = alignedFormat(subject)
      if (aligned !== undefined && aligned.sureness > (separated?.sureness ?? 0)) {
        if (aligned.form === 'expanded') {
          const reader = new ExpandedReader()
          return { push: (text) => reader.push(text), finish: () => writer(reader.finish()) }
        }
        const begin: BeginTable<TableSection> = (...table) => new TableSection(...table, aligned)
        const reader = new AlignedReader(aligned, begin)
        const tables = (): TableData[] | undefined =>
          reader.finish()?.map((section) => ({ ...section.finish(), lines: reader.lines }))
        return { push: (text) => reader.push(text), finish: () => writer(tables()) }
      }
      const reader = separated && new SeparatedReader(separated)
      return { push: (text) => reader?.push(text), finish: () => writer(reader?.finish()) }
    },
  }
}

function writer(tables: readonly TableData[] | undefined): WritePreview | undefined {
  return tables && ((options) => writePreview(tableItems(tables, options.budgetTokens), options))
}
