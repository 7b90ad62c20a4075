import { alignedFormat, AlignedReader, type BeginTable, separatedFormat } from '@spillway/text/internal/tables'
import { fitBudget } from '../layout/fit-budget.ts'
import { checkedShares } from '../layout/checked-shares.ts'
import type { TextPreviewer, WritePreview } from '../previewer.ts'
import { SeparatedReader } from './separated-reader.ts'
import { ExpandedReader } from './expanded-reader.ts'
import type { TableData } from './table-data.ts'
import type { TablePreviewShares } from './table-layout.ts'
import { TableSection } from './table-section.ts'
import { TablesLayout } from './tables-layout.ts'

/** Options of {@link tablePreviewer}. */
export interface TablePreviewerOptions {
  /**
   * How the budget is shared: what is said of `columns` beside their names gets 0.25 of it, `rows` 0.3, and `keys`, the one
   * cell that tells a row of a command's table from the others, 0.45. Names of columns are always shown; what one part
   * leaves goes to the rows.
   */
  readonly shares?: { readonly [Part in keyof TablePreviewShares]?: number | undefined } | undefined
}

const SHARES: TablePreviewShares = { columns: 0.25, rows: 0.3, keys: 0.45 }

/**
 * Preview tables: CSV and TSV, results of queries, aligned columns of commands.
 *
 * The preview states the number of rows, names every column with what its cells hold (their range, a few values, how many
 * are empty), and shows the first rows, the last, and as many between them as fit. It is one of the previewers that every
 * offloader has; made with other options it replaces that one.
 *
 * @example
 * ```ts
 * import { previewText, tablePreviewer } from '@spillway/previews'
 *
 * const text = `city,degrees\n${Array.from({ length: 900 }, (_, day) => `Oslo,${day % 30}`).join('\n')}\n`
 * const previewers = [tablePreviewer({ shares: { columns: 0.2, rows: 0.8, keys: 0 } })]
 * const preview = await previewText(text, { previewers, budgetTokens: 200 })
 * console.assert(preview.startsWith('[CSV: 900 rows × 2 columns]\ncity [always Oslo]\ndegrees [0…29]'))
 * ```
 */
export function tablePreviewer(options: TablePreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'table',
    previews: 'text',
    recognize: (subject) => Math.max(separatedFormat(subject)?.sureness ?? 0, alignedFormat(subject)?.sureness ?? 0),
    read: (subject) => {
      const separated = separatedFormat(subject)
      const aligned = alignedFormat(subject)
      if (aligned !== undefined && aligned.sureness > (separated?.sureness ?? 0)) {
        if (aligned.form === 'expanded') {
          const reader = new ExpandedReader()
          return { push: (text) => reader.push(text), finish: () => writer(reader.finish(), shares) }
        }
        const begin: BeginTable<TableSection> = (...table) => new TableSection(...table, aligned)
        const reader = new AlignedReader(aligned, begin)
        const tables = (): TableData[] | undefined =>
          reader.finish()?.map((section) => ({ ...section.finish(), lines: reader.lines }))
        return { push: (text) => reader.push(text), finish: () => writer(tables(), shares) }
      }
      const reader = separated && new SeparatedReader(separated)
      return { push: (text) => reader?.push(text), finish: () => writer(reader?.finish(), shares) }
    },
  }
}

function writer(tables: readonly TableData[] | undefined, shares: TablePreviewShares): WritePreview | undefined {
  if (tables === undefined) return undefined
  return (options) => {
    const layout = new TablesLayout(tables, options, shares)
    return fitBudget((aim) => layout.write(aim), options)
  }
}
