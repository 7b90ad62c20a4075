import type { PreviewModel, Item, HiddenName } from './preview-model.ts'
import { formatCount } from '@spillway/text/internal'
import { GapMarks } from './gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { follows, type ItemRow } from './choose-items.ts'

/** Writes the items that are shown, in order, and a mark for each gap between them. */
export class ItemsText {
  readonly parts: string[] = []
  readonly #row: ItemRow
  readonly #preview: PreviewModel
  readonly #names: readonly HiddenName[]
  readonly #gaps: GapMarks
  /** The last line that was shown or marked, and the index of the last item. */
  #line: number
  #last = -1
  #isWhole = true
  readonly #isComplete: boolean

  /** @param isComplete - Whether every line is shown as it is, so that no numbers are needed. */
  constructor(
    preview: PreviewModel,
    row: ItemRow,
    options: Pick<PreviewOptions, 'showLines'>,
    isComplete: boolean,
    names: readonly HiddenName[],
  ) {
    this.#isComplete = isComplete
    this.#row = row
    this.#line = row.from - 1
    this.#preview = preview
    this.#names = names.toSorted((one, other) => one.line - other.line)
    this.#gaps = new GapMarks({ showLines: preview.show ?? options.showLines }, preview.counted)
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
    const shown = new Set(indices.map((index) => items[index]!.start))
    const count = indices.reduce((sum, index) => sum + items[index]!.end - items[index]!.start + 1, 0)
    this.parts.push(
      this.#gaps.write(start, end, `all but these ${formatCount(count)}`),
      ...this.#named(start, end, shown),
    )
    let previous: Item | undefined
    for (const index of indices) {
      const item = items[index]!
      const isNext = previous !== undefined && previous.start === item.start - 1 && !item.numbered
      this.parts.push(isNext ? show(index) : this.#label(item) + show(index))
      previous = item
    }
    this.#line = end
    this.#last = -1
  }

  /** Write the next item, after a mark for what is hidden before it. */
  write(index: number, text: string): void {
    const item = this.#row.items[index]!
    const isFirst = this.#line < this.#row.from
    const joins = this.#last === index - 1 && follows(this.#row, index)
    const isNext = joins || item.start - item.blanks === this.#line + 1
    if (isNext && !isFirst) for (let blank = item.blanks; blank > 0; blank--) this.parts.push('')
    if (!isNext) this.#mark(item.start - 1)
    const isNumbered =
      (item.numbered && !this.#isComplete) || this.#folded(index - 1) || !joins || (isFirst && item.start > 1)
    this.parts.push(isNumbered ? this.#label(item) + text : text)
    if (item.end > item.start) this.#isWhole = false
    this.#line = item.end
    this.#last = index
  }

  /** Mark what is hidden at the end. */
  end(): void {
    const { items, lines } = this.#row
    if (this.#last !== items.length - 1 || !follows(this.#row, items.length)) this.#mark(lines)
  }

  #mark(end: number): void {
    if (end <= this.#line) return
    this.#isWhole = false
    const start = this.#line + 1
    this.parts.push(this.#gaps.write(start, end, this.#preview.hidden?.(start, end)), ...this.#named(start, end))
  }

  #named(start: number, end: number, shown?: ReadonlySet<number>): string[] {
    const names = this.#names.filter(({ line }) => line >= start && line <= end && shown?.has(line) !== true)
    return names.length === 0 ? [] : this.#preview.names!.write(names)
  }

  #label({ start }: Item): string {
    return this.#preview.label === undefined ? `${start}| ` : this.#preview.label(start)
  }

  #joins(index: number, next: number): boolean {
    return next === index + 1 && follows(this.#row, next)
  }

  #folded(index: number): boolean {
    const item = this.#row.items[index]
    return item !== undefined && item.end > item.start
  }
}
