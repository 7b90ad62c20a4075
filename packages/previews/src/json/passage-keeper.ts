import { detach } from '@spillway/text/internal'

/** Passages kept, and levels on which they begin. */
const MOST_PASSAGES = 8
const PASSAGE_LEVELS = 6

/** Keeps the text of the first and the last entries of arrays, of objects, and of the values of a text themselves. */
export class PassageKeeper {
  /** The values of the text. */
  readonly top: Passage
  /** Of each open level: its passage. */
  readonly #open: (Passage | undefined)[] = []
  readonly #kept: Passage[] = []
  readonly #search: WordSearch
  #text = ''
  #origin = 0
  /** What stands before the text that is being read. */
  #before = ''

  /** @param words - Entries that hold one of these are kept. */
  constructor(start: number, words: readonly string[]) {
    this.top = new Passage(false, start, true)
    this.#search = new WordSearch(words)
  }

  /** Those with most text first. */
  get longest(): readonly Passage[] {
    return this.#kept
  }

  /** What follows is read from this text, which starts at `origin`. */
  reading(text: string, origin: number): void {
    this.#text = text
    this.#origin = origin
    this.#search.open(this.#before, text, origin)
  }

  /** It was read as far as `end`, with so many levels open. */
  read(end: number, levels: number): void {
    for (let level = Math.min(levels, PASSAGE_LEVELS) - 1; level >= 0; level--) this.#fill(this.#open[level])
    this.#fill(this.top)
    const from = Math.max(0, end - PASSAGE_UNITS)
    this.#before = (from > 0 ? '' : this.#before.slice(-PASSAGE_UNITS)) + this.#text.slice(from, end)
    this.#text = ''
  }

  /** An array or an object begins. Of the items of an array, the first one alone has passages of its own. */
  open(level: number, isObject: boolean, offset: number): void {
    if (level >= PASSAGE_LEVELS) return
    const parent = level === 0 ? undefined : this.#open[level - 1]
    const kept = level === 0 || (parent !== undefined && (parent.isObject || parent.entries === 1))
    this.#open[level] = kept ? new Passage(isObject, offset, false) : undefined
  }

  /** Whether the text of an open level is kept. */
  keeps(level: number): boolean {
    return level < PASSAGE_LEVELS && this.#open[level] !== undefined
  }

  /** An entry begins on an open level. */
  addEntry(level: number, offset: number, line: number): void {
    const passage = level < 0 ? this.top : level < PASSAGE_LEVELS ? this.#open[level] : undefined
    if (passage === undefined) return
    this.#endEntry(passage, offset, line)
    passage.add(offset, line)
  }

  /** The array or object of an open level ends. */
  close(level: number, offset: number, line: number, path: () => readonly string[]): void {
    const passage = level < PASSAGE_LEVELS ? this.#open[level] : undefined
    if (passage === undefined) return
    this.#end(passage, offset, line)
    const least = this.#kept[MOST_PASSAGES - 1]
    if (passage.entries < 2 || (least !== undefined && least.end - least.start >= offset - passage.start)) return
    this.#fill(passage)
    passage.keys = path()
    this.#kept.push(passage)
    this.#kept.sort((one, other) => other.end - other.start - (one.end - one.start))
    this.#kept.length = Math.min(this.#kept.length, MOST_PASSAGES)
  }

  /** The text ends. */
  finish(offset: number, line: number): void {
    this.#end(this.top, offset, line)
    this.#fill(this.top)
  }

  /** Whether it matters on any of the open levels if something was not there before. */
  takesRarities(levels: number): boolean {
    if (this.top.takesRarities) return true
    for (let level = Math.min(levels, PASSAGE_LEVELS) - 1; level >= 0; level--)
      if (this.#open[level]?.takesRarities === true) return true
    return false
  }

  /** A value, or the member of this path from the root, was not there before. */
  addRarity(levels: number, path: readonly string[], value: string | undefined): void {
    this.top.addRarity({ path, value })
    for (let level = Math.min(levels, PASSAGE_LEVELS) - 1; level >= 0; level--)
      this.#open[level]?.addRarity({ path: path.slice(level + 1), value })
  }

  #end(passage: Passage, offset: number, line: number): void {
    this.#endEntry(passage, offset, line)
    passage.end = offset
    passage.endLine = line
  }

  /** The entry that began last ends: it is kept where it is notable. */
  #endEntry(passage: Passage, offset: number, line: number): void {
    if (passage.entries === 0) return
    const wanted = this.#search.isActive && this.#search.within(passage.lastStart, offset)
    if (wanted || passage.isRare) passage.keep(offset, line, wanted, this.#textOf)
  }

  /** Take into a passage what has been read of it: its start, and where it has ended, its end. */
  #fill(passage: Passage | undefined): void {
    if (passage === undefined) return
    const limit = Math.min(passage.start + PASSAGE_UNITS, passage.end < 0 ? Infinity : passage.end)
    const from = passage.start + passage.head.length
    if (from < limit && from >= this.#origin) {
      const more = this.#text.slice(from - this.#origin, limit - this.#origin)
      passage.head = detach(passage.head + more)
    }
    if (passage.end > passage.start + PASSAGE_UNITS)
      passage.tail = this.#textOf(passage.end - PASSAGE_UNITS, passage.end)
  }

  readonly #textOf = (start: number, end: number): string => {
    const missing = this.#origin - start
    const early = missing > 0 ? this.#before.slice(Math.max(0, this.#before.length - missing)) : ''
    return detach(early + this.#text.slice(Math.max(0, -missing), Math.max(0, end - this.#origin)))
  }
}

/** Longest word that is looked for, in UTF-16 units, and how many are. */
const LONGEST_WORD = 200
const MOST_WORDS = 8

/** Finds words in a text that is read in stretches, one after the other. */
class WordSearch {
  readonly #words: readonly string[]
  #text = ''
  #origin = 0
  /** Of each word, where it comes next in the text, in units from the start; `Infinity` where it does not. */
  readonly #next: number[]
  /** Places on the seam between this stretch and the one before it. */
  #seam: number[] = []

  constructor(words: readonly string[]) {
    this.#words = words.filter(({ length }) => length > 1 && length <= LONGEST_WORD).slice(0, MOST_WORDS)
    this.#next = this.#words.map(() => Infinity)
  }

  /** Whether anything is looked for. */
  get isActive(): boolean {
    return this.#words.length > 0
  }

  /** Go on with the stretch that starts at `origin`, after `before`. */
  open(before: string, text: string, origin: number): void {
    if (this.#words.length === 0) return
    this.#text = text
    this.#origin = origin
    this.#seam = []
    for (const [index, word] of this.#words.entries()) {
      this.#next[index] = this.#find(word, origin)
      const ending = before.slice(Math.max(0, before.length - word.length + 1))
      const at = (ending + text.slice(0, word.length - 1)).indexOf(word)
      if (at >= 0) this.#seam.push(origin - ending.length + at)
    }
  }

  /** Whether a word begins between two places; where it is asked about in order, the whole search is linear. */
  within(start: number, end: number): boolean {
    let found = this.#seam.some((at) => at >= start && at < end)
    for (const [index, word] of this.#words.entries()) {
      if (this.#next[index]! < start) this.#next[index] = this.#find(word, start)
      found ||= this.#next[index]! < end
    }
    return found
  }

  #find(word: string, from: number): number {
    const at = this.#text.indexOf(word, from - this.#origin)
    return at < 0 ? Infinity : at + this.#origin
  }
}

/** Units kept of the start and of the end of a passage. */
const PASSAGE_UNITS = 65_536
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
interface KeptEntry {
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
