import { LongLine, viewLine } from './line-view.ts'
import type { LineBatch } from '../content/line-batch.ts'
import type { LineView } from './line-view.ts'

/** Keeps lines, one after the other, until `limit` UTF-16 units are there. */
export class LineCollector {
  readonly #keep: number
  readonly #limit: number
  readonly #views: LineView[] = []
  #size = 0
  #long: LongLine | undefined

  /**
   * @param keep - UTF-16 units kept of a line.
   * @param limit - UTF-16 units kept in all; the line that reaches it is the last.
   */
  constructor(keep: number, limit: number) {
    this.#keep = keep
    this.#limit = limit
  }

  get views(): readonly LineView[] {
    return this.#views
  }

  get isFull(): boolean {
    return this.#size >= this.#limit
  }

  /** Take the next batch of lines. */
  add(batch: LineBatch): void {
    let index = 0
    if (batch.column > 0 || batch.until !== undefined) {
      this.#long ??= new LongLine(batch, this.#keep)
      if (batch.until !== undefined) return
      if (!this.isFull) this.#take(this.#long.end(batch))
      this.#long = undefined
      index = 1
    }
    for (; index < batch.lineStarts.length && !this.isFull; index++) this.#take(viewLine(batch, index, this.#keep))
  }

  #take(view: LineView): void {
    this.#views.push(view)
    this.#size += view.text.length + String(view.number).length + 4
  }
}
