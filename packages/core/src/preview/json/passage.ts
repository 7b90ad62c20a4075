/** Units kept of the start and of the end of a passage. */
export const PASSAGE_UNITS = 65_536
/** Places of entries that are kept at the start and at the end. */
const MOST_ENTRIES = 512

/** Where an item of an array, or a member of an object, begins. */
export interface EntryPlace {
  /** 0-based. */
  readonly index: number
  /** UTF-16 units from the start of the text. */
  readonly start: number
  readonly line: number
}

/** An array, an object or a row of values, of which the text of the first and the last entries is kept. */
export class Passage {
  /** The keys that lead to it; `''` for an item of an array. Set once it is kept. */
  keys: readonly string[] = []
  readonly isObject: boolean
  readonly start: number
  readonly line: number
  entries = 0
  /** Where it ends, and the text it begins and ends with; set by who reads it. */
  end = -1
  endLine = 0
  head = ''
  tail = ''
  readonly #firsts: EntryPlace[] = []
  /** Of the last entries, at their number modulo how many are kept: made where there are more than the first ones. */
  #lasts: EntryPlace[] | undefined

  /** Whether the entries are the values of the text itself. */
  readonly isTop: boolean

  constructor(isObject: boolean, start: number, line: number, isTop = false) {
    this.isTop = isTop
    this.isObject = isObject
    this.start = start
    this.line = line
  }

  /** An entry begins here. */
  add(start: number, line: number): void {
    const place = { index: this.entries, start, line }
    if (this.entries < MOST_ENTRIES) this.#firsts.push(place)
    else {
      this.#lasts ??= [...this.#firsts]
      this.#lasts[this.entries % MOST_ENTRIES] = place
    }
    this.entries++
  }

  /** The entries whose text is kept, in order; the text of the first and the last one may be cut. */
  kept(): { readonly place: EntryPlace; readonly text: string }[] {
    const kept: { place: EntryPlace; text: string }[] = []
    for (const [index, place] of this.#firsts.entries()) {
      const next = this.#firsts[index + 1]?.start ?? (this.entries === this.#firsts.length ? this.end : Infinity)
      if (index > 0 && next - this.start > this.head.length) break
      kept.push({ place, text: this.head.slice(place.start - this.start, next - this.start) })
    }
    const tailStart = this.end - this.tail.length
    const lasts: typeof kept = []
    let next = this.end
    for (let index = this.entries - 1; index >= kept.length && index >= this.entries - MOST_ENTRIES; index--) {
      const place = (this.#lasts ?? this.#firsts)[index % MOST_ENTRIES]!
      if (place.start < tailStart) break
      lasts.push({ place, text: this.tail.slice(place.start - tailStart, next - tailStart) })
      next = place.start
    }
    return [...kept, ...lasts.toReversed()]
  }
}
