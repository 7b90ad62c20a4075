import { ExpandedRecords } from './expanded-records.ts'
import type { ExpandedRecord } from './expanded-records.ts'
import { GrowingColumns } from './growing-columns.ts'
import type { RowReader, TableRow, TableSink } from './table-row.ts'

/** Reads the rows of the result of a query that has a line for each cell. */
export class ExpandedRows implements RowReader, TableRow {
  readonly #records = new ExpandedRecords((record) => this.#take(record))
  readonly #sink: TableSink
  readonly #columns = new GrowingColumns()
  #values: (string | undefined)[] = []
  #began = false
  line = 0

  constructor(sink: TableSink) {
    this.#sink = sink
  }

  push(text: string): void {
    this.#records.push(text)
  }

  finish(): readonly string[] | undefined {
    this.#records.finish()
    return this.#began ? [] : undefined
  }

  get cells(): number {
    return this.#values.length
  }

  cell(column: number): string | undefined {
    return this.#values[column]
  }

  lengthOf(column: number): number {
    return this.#values[column]?.length ?? 0
  }

  #take({ names, values, line }: ExpandedRecord): void {
    this.line = line
    this.#values = []
    for (const [index, name] of names.entries()) {
      const column = this.#columns.place(name)
      if (column !== undefined) this.#values[column] = values[index]
    }
    if (!this.#began) this.#sink.begin(this.#columns.names, 'growing')
    this.#began = true
    this.#sink.row(this)
  }
}
