import { fitBudget } from '../fit-budget.ts'
import { checkedShares } from '../lines/checked-shares.ts'
import type { TextPreviewer } from '../previewer.ts'
import { separatedFormat } from './separated-format.ts'
import { SeparatedReader } from './separated-reader.ts'
import { TableLayout, type TableShares } from './table-layout.ts'

/** Options of {@link tablePreviewer}. */
export interface TablePreviewerOptions {
  /**
   * How the budget is shared: what is said of `columns` beside their names gets 0.35 of it, and `rows` get 0.65. Names of
   * columns are always shown; what one part leaves goes to the rows.
   */
  readonly shares?: { readonly columns?: number | undefined; readonly rows?: number | undefined } | undefined
}

const SHARES: TableShares = { columns: 0.35, rows: 0.65 }

/**
 * Preview tables: CSV and TSV, results of queries, aligned columns of commands.
 *
 * The preview states the number of rows, names every column with what its cells hold (their range, a few values, how many
 * are empty), and shows the first rows, the last, and as many between them as fit. It is one of the previewers that every
 * offloader has; made with other options it replaces that one.
 *
 * @example
 * ```ts
 * import { previewText, tablePreviewer } from '@spillway/core'
 *
 * const text = `city,degrees\n${Array.from({ length: 900 }, (_, day) => `Oslo,${day % 30}`).join('\n')}\n`
 * const previewers = [tablePreviewer({ shares: { columns: 0.2, rows: 0.8 } })]
 * const preview = await previewText(text, { previewers, budgetTokens: 200 })
 * console.assert(preview.startsWith('[CSV: 900 rows × 2 columns]\ncity [always Oslo]\ndegrees [0…29]'))
 * ```
 */
export function tablePreviewer(options: TablePreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'table',
    previews: 'text',
    recognize: (subject) => separatedFormat(subject)?.sureness ?? 0,
    read: (subject) => {
      const format = separatedFormat(subject)
      const reader = format === undefined ? undefined : new SeparatedReader(format)
      return {
        push: (text) => reader?.push(text),
        finish: () => {
          const data = reader?.finish()
          if (data === undefined) return undefined
          return (preview) => {
            const layout = new TableLayout(data, preview, shares)
            return fitBudget((aim) => layout.write(aim), preview)
          }
        },
      }
    },
  }
}
