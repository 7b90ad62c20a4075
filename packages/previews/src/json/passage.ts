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
  /** What had not come before, or only in few entries. */
  readonly rarities: readonly Rarity[]
}

/** A member, or a value of a member, that came in one entry for the first times. */
export interface Rarity {
  /** The keys that lead to it from the entry on; `''` for an item of an array. */
  readonly path: readonly string[]
  /** The value as it stands in the text; `undefined` where the member itself was new. */
  readonly value: string | undefined
}

/** Notable entries that are kept, the longest one, and how many entries come before any is notable. */
const MOST_NOTABLE = 96
const LONGEST_NOTABLE = 8_192
const USUAL_ENTRIES = 8
/** What makes one entry notable, at most. */
const MOST_RARITIES = 4

/** An entry that is kept, with as much of its text. */
export interface KeptEntry {
  readonly place: EntryPlace
  readonly text: string
}

const NONE: readonly never[] = []

/** An array, an object or a row of values, of which the text of the first and the last entries is kept. */
export class Passage {
  /** The keys that lead to it; `''` for an item of an array. Set once it is kept. */
  keys: readonly string[] = NONE
  readonly isObject: boolean
  readonly start: number
  /** Whether the entries are the values of the text itself. */
  readonly isTop: boolean
  entries = 0
  /** Where the last entry begins. */
  lastStart = 0
  lastLine = 0
  /** Where it ends, and the text it begins and ends with; set by who reads it. */
  end = -1
  endLine = 0
  head = ''
  tail = ''
  /** Where entries begin: the first ones by their number, and behind them the last ones in turn. */
  #starts: number[] | undefined
  #lines: number[] | undefined
  #notable: NotableEntry[] | undefined
  #rarities: Rarity[] | undefined

  constructor(isObject: boolean, start: number, isTop: boolean) {
    this.isObject = isObject
    this.start = start
    this.isTop = isTop
  }

  get notable(): readonly NotableEntry[] {
    return this.#notable ?? NONE
  }

  /** Whether it matters if something was not there before. */
  get takesRarities(): boolean {
    return (
      this.entries > USUAL_ENTRIES &&
      (this.#notable === undefined || this.#notable.length < MOST_NOTABLE) &&
      (this.#rarities === undefined || this.#rarities.length < MOST_RARITIES)
    )
  }

  /** Whether the entry that is being read holds what few others do. */
  get isRare(): boolean {
    return this.#rarities !== undefined
  }

  /** The entry that is being read holds what was not there before. */
  addRarity(rarity: Rarity): void {
    if (this.takesRarities) (this.#rarities ??= []).push(rarity)
  }

  /** Keep the entry that began last: it is notable, and ends before `end`. */
  keep(end: number, nextLine: number, wanted: boolean, textOf: (start: number, end: number) => string): void {
    const rarities = this.#rarities ?? NONE
    this.#rarities = undefined
    const notable = (this.#notable ??= [])
    const place = { index: this.entries - 1, start: this.lastStart, line: this.lastLine }
    if (end - place.start > LONGEST_NOTABLE || notable.length >= MOST_NOTABLE) return
    notable.push({ place, text: textOf(place.start, end), nextLine, wanted, rarities })
  }

  /** An entry begins here. */
  add(start: number, line: number): void {
    const starts = (this.#starts ??= [])
    const lines = (this.#lines ??= [])
    const slot = slotOf(this.entries)
    starts[slot] = start
    lines[slot] = line
    this.lastStart = start
    this.lastLine = line
    this.entries++
  }

  /** The first entries and the last ones whose text is kept, at most so many of each, in order. */
  kept(most: number): KeptEntry[] {
    const kept: KeptEntry[] = []
    for (let index = 0; index < Math.min(this.entries, MOST_ENTRIES, most); index++) {
      const place = this.#placeOf(index)
      const next = this.#endOf(index)
      if (index > 0 && next - this.start > this.head.length) break
      kept.push({ place, text: this.head.slice(place.start - this.start, next - this.start) })
    }
    // A short passage has no tail: all of it is in the head.
    const tail = this.tail === '' ? this.head : this.tail
    const tailStart = this.end - tail.length
    const lasts: KeptEntry[] = []
    const first = Math.max(kept.length, this.entries - Math.min(MOST_ENTRIES, most))
    for (let index = this.entries - 1; index >= first; index--) {
      const place = this.#placeOf(index)
      if (place.start < tailStart) break
      lasts.push({ place, text: tail.slice(place.start - tailStart, this.#endOf(index) - tailStart) })
    }
    return [...kept, ...lasts.toReversed()]
  }

  /** The place of one of the first or the last entries. */
  #placeOf(index: number): EntryPlace {
    const slot = slotOf(index)
    return { index, start: this.#starts?.[slot] ?? 0, line: this.#lines?.[slot] ?? 0 }
  }

  /** Where one of the first or the last entries ends. */
  #endOf(index: number): number {
    if (index === this.entries - 1) return this.end
    // Behind the first entries, those between them and the last ones are forgotten.
    return index === MOST_ENTRIES - 1 && this.entries > 2 * MOST_ENTRIES ? Infinity : this.#placeOf(index + 1).start
  }
}

function slotOf(index: number): number {
  return index < MOST_ENTRIES ? index : MOST_ENTRIES + (index % MOST_ENTRIES)
}
