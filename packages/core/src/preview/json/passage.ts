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

/** An entry that holds what few others do, or what is looked for. */
export interface NotableEntry {
  readonly place: EntryPlace
  readonly text: string
  /** The line that the next entry begins on, or that the passage ends on. */
  readonly nextLine: number
  /** Whether it holds what is looked for. */
  readonly wanted: boolean
  /** What few others hold: where, and how often it came in the end. */
  readonly rarities: readonly Rarity[]
}

/** A member, or a value of a member, that first came in one entry. */
export interface Rarity {
  /** The keys that lead to it from the entry on, joined with a point. */
  readonly path: string
  /** The value as it stands in the text; `undefined` where the member itself is rare. */
  readonly value: string | undefined
  /** How often it came; `Infinity` where nobody knows. */
  readonly times: () => number
}

/** Notable entries that are kept, the longest one, and how many entries come before any is notable. */
const MOST_NOTABLE = 96
const LONGEST_NOTABLE = 8_192
const USUAL_ENTRIES = 8

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

  /** Where the last entry begins. */
  lastStart = 0
  readonly notable: NotableEntry[] = []
  #rarities: Rarity[] = []

  /** What the entry that is being read holds was not there before. */
  addRarity(rarity: Rarity): void {
    if (this.entries > USUAL_ENTRIES && this.notable.length < MOST_NOTABLE && this.#rarities.length < 4)
      this.#rarities.push(rarity)
  }

  /** The entry that began last ends: it is kept where it is notable. */
  endEntry(end: number, nextLine: number, wanted: boolean, textOf: (start: number, end: number) => string): void {
    if (this.#rarities.length === 0 && !wanted) return
    const rarities = this.#rarities
    this.#rarities = []
    const place = this.#lasts === undefined ? this.#firsts.at(-1) : this.#lasts[(this.entries - 1) % MOST_ENTRIES]
    if (place === undefined || end - place.start > LONGEST_NOTABLE || this.notable.length >= MOST_NOTABLE) return
    this.notable.push({ place, text: textOf(place.start, end), nextLine, wanted, rarities })
  }

  /** An entry begins here. */
  add(start: number, line: number): void {
    const place = { index: this.entries, start, line }
    if (this.entries < MOST_ENTRIES) this.#firsts.push(place)
    else {
      this.#lasts ??= [...this.#firsts]
      this.#lasts[this.entries % MOST_ENTRIES] = place
    }
    this.lastStart = start
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
