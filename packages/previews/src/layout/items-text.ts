import { GapMarks } from './gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { follows, type ItemRow } from './choose-items.ts'
import type { LineItem } from './line-item.ts'

/** Writes the items that are shown, in order, and a mark for each gap between them. */
export class ItemsText {
  readonly parts: string[] = []
  readonly #row: ItemRow
  readonly #hidden: (start: number, end: number) => string
  readonly #gaps: GapMarks
  /** The last line that was shown or marked, and the index of the last item. */
  #line = 0
  #last = -1
  #isWhole = true
  readonly #isComplete: boolean

  /** @param isComplete - Whether every line is shown as it is, so that no numbers are needed. */
  constructor(
    { hidden = () => '' }: { readonly hidden?: (start: number, end: number) => string },
    row: ItemRow,
    options: Pick<PreviewOptions, 'showLines'>,
    isComplete: boolean,
  ) {
    this.#isComplete = isComplete
    this.#row = row
    this.#hidden = hidden
    this.#gaps = new GapMarks(options)
  }

  /** Whether every line is there, each as one line. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** How many items from `shown[at]` on are lone and have gaps between them, so that one mark serves them all. */
  listed(shown: readonly number[], at: number): number {
    const { items } = this.#row
    let count = 0
    let hasGap = false
    for (let index = shown[at]; index !== undefined && items[index]!.lone; index = shown[at + count]) {
      const next = shown[at + count + 1]
      // Its own lines follow: it stands with them.
      if (next !== undefined && this.#joins(index, next) && !items[next]!.lone) break
      if (count > 0 && !this.#joins(shown[at + count - 1]!, index)) hasGap = true
      count++
    }
    return hasGap ? count : 0
  }

  /** Write lone items with one mark for the gaps before, between and after them, up to the item `next`. */
  list(indices: readonly number[], next: number | undefined, show: (index: number) => string): void {
    const { items, lines } = this.#row
    const end = next === undefined ? lines : items[next]!.start - 1 - items[next]!.blanks
    const start = this.#line + 1
    this.#isWhole = false
    this.parts.push(this.#gaps.write(start, end, `all but these ${indices.length}`))
    let previous: LineItem | undefined
    for (const index of indices) {
      const item = items[index]!
      const isNext = previous !== undefined && previous.start === item.start - 1 && !item.numbered
      this.parts.push(isNext ? show(index) : `${item.start}| ${show(index)}`)
      previous = item
    }
    this.#line = end
    this.#last = -1
  }

  /** Write the next item, after a mark for what is hidden before it. */
  write(index: number, text: string): void {
    const item = this.#row.items[index]!
    const joins = this.#last === index - 1 && (this.#line > 0 || index === 0) && follows(this.#row, index)
    const isNext = joins || item.start - item.blanks === this.#line + 1
    if (isNext && this.#line > 0) for (let blank = item.blanks; blank > 0; blank--) this.parts.push('')
    if (!isNext) this.#mark(item.start - 1)
    const isNumbered =
      (item.numbered && !this.#isComplete) ||
      this.#folded(index - 1) ||
      (item.start > 1 && (!joins || this.#line === 0))
    this.parts.push(isNumbered ? `${item.start}| ${text}` : text)
    if (item.end > item.start) this.#isWhole = false
    this.#line = item.end
    this.#last = index
  }

  /** Mark what is hidden at the end. */
  end(): void {
    const { lines } = this.#row
    if (this.#last === this.#row.items.length - 1 ? lines - this.#line > 1 : lines > this.#line) this.#mark(lines)
  }

  #mark(end: number): void {
    if (end <= this.#line) return
    this.#isWhole = false
    const start = this.#line + 1
    this.parts.push(this.#gaps.write(start, end, this.#hidden(start, end)))
  }

  #joins(index: number, next: number): boolean {
    return next === index + 1 && follows(this.#row, next)
  }

  #folded(index: number): boolean {
    const item = this.#row.items[index]
    return item !== undefined && item.end > item.start
  }
}
