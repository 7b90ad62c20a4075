import { estimateTokens } from '@spillway/text/internal'
import type { Draft } from '../layout/fit-budget.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { TableData } from './table-data.ts'
import { TableLayout } from './table-layout.ts'

/** Writes the preview of the tables of one text. */
export class TablesLayout {
  readonly #tables: readonly TableData[]
  readonly #layouts: readonly TableLayout[]

  constructor(tables: readonly TableData[], options: PreviewOptions) {
    this.#tables = tables
    // One call shows how the lines of all of them are got.
    this.#layouts = tables.map(
      (table, index) => new TableLayout(table, index === 0 ? options : { ...options, showLines: undefined }),
    )
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    const [first, ...others] = this.#layouts
    if (first === undefined) return { text: '', complete: true }
    if (others.length === 0) return first.write(aim)
    const rows = this.#tables.reduce((sum, table) => sum + table.rows, 0)
    const head = `[${countOf(this.#tables.length, 'table')}: ${countOf(rows, 'row')}, ${countOf(this.#tables[0]!.lines, 'line')}]`
    let complete = true
    let left = aim - estimateTokens(head)
    // Small tables come to be shown whole: large ones have less room for each row.
    const order = this.#tables
      .map((_, index) => index)
      .toSorted((one, other) => this.#weight(one) - this.#weight(other))
    let weights = order.reduce((sum, index) => sum + this.#weight(index), 0)
    const written: (string | undefined)[] = []
    for (const index of order) {
      const room = (left * this.#weight(index)) / weights
      weights -= this.#weight(index)
      const table = this.#layouts[index]!.write(room, this.#head(index))
      const tokens = estimateTokens(table.text) + 1
      // Where there is little room, not every table has its line.
      const fits = tokens <= Math.max(room, left)
      complete &&= fits && table.complete
      if (!fits) continue
      written[index] = table.text
      left -= tokens
    }
    return { text: [head, ...written.filter((text) => text !== undefined)].join('\n'), complete }
  }

  #weight(index: number): number {
    return Math.sqrt(this.#tables[index]!.rows + 4)
  }

  #head(index: number): string {
    const { rows, sample } = this.#tables[index]!
    const [row] = sample
    return `[${countOf(rows, 'row')}${row === undefined ? '' : ` from line ${row.line} on`}]`
  }
}
