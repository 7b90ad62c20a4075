import { cleanLine, detach, LineReader, type LineSink } from '@spillway/text/internal'
import { isTerminalText } from '@spillway/text/internal/tables'
import type { ListingForm, ListingReader } from './listing-form.ts'
import { ListingGroups, type ListedGroup } from './listing-groups.ts'

const BLOCK_UNITS = 32_768
/** Largest share of lines that are not part of the listing. */
const ODD_SHARE = 0.1
/** Largest number of these lines that are kept, and number of UTF-16 units that are kept of each. */
const MOST_ODD = 64
const LONGEST_ODD = 512

export interface ListingData {
  readonly form: ListingForm
  readonly groups: readonly ListedGroup[]
  readonly hasMore: boolean
  readonly items: number
  readonly lines: number
  /** Number of lines that are not part of the listing, for example messages of the program, and their first and last. */
  readonly odd: number
  readonly oddLines: readonly { readonly line: number; readonly text: string }[]
}

export class ListingLines implements LineSink {
  readonly #form: ListingForm
  readonly #reader: ListingReader
  readonly #lines: LineReader
  readonly #groups = new ListingGroups()
  #window = ''
  #dirty = false
  #line = 0
  #odd = 0
  readonly #oddLines: { readonly line: number; readonly text: string }[] = []

  constructor(form: ListingForm) {
    this.#form = form
    this.#reader = form.start()
    this.#lines = new LineReader(this)
  }

  push(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) this.#lines.push(text.slice(from, from + BLOCK_UNITS))
  }

  /** End the text. Returns `undefined` if too many lines are not part of the listing. */
  finish(): ListingData | undefined {
    this.#lines.finish()
    const { groups, items, hasMore } = this.#groups
    if (items === 0 || this.#odd > this.#line * ODD_SHARE) return undefined
    return { form: this.#form, groups, hasMore, items, lines: this.#line, odd: this.#odd, oddLines: this.#oddLines }
  }

  open(window: string): void {
    this.#window = window
    this.#dirty = this.#line === 0 || isTerminalText(window)
  }

  line(start: number, end: number): void {
    const line = this.#window.slice(start, end)
    this.#take(this.#dirty ? cleanLine(line) : line.trimEnd())
  }

  longLine(start: string): void {
    this.#take(cleanLine(start))
  }

  #take(line: string): void {
    this.#line++
    const listed = this.#reader.read(line)
    if (listed === undefined) {
      this.#odd++
      this.#oddLines.push({ line: this.#line, text: detach(line.trim().slice(0, LONGEST_ODD)) })
      if (this.#oddLines.length > MOST_ODD) this.#oddLines.splice(MOST_ODD / 2, 1)
      return
    }
    if (listed.group !== undefined) this.#groups.open(listed.group, this.#line)
    if (listed.item !== undefined) this.#groups.add(listed.item, this.#line)
  }
}
