import { detach } from '@spillway/text/internal'

/** Largest number of passages, and largest depth at which passages are kept. */
const MOST_PASSAGES = 8
const PASSAGE_LEVELS = 6

/** Keeps the text of the first and last entries of arrays, of objects, and of the top level. */
export class PassageKeeper {
  readonly top: Passage
  readonly longest: Passage[] = []
  readonly #open: (Passage | undefined)[] = []
  readonly #search: WordSearch
  #text = ''
  #origin = 0
  /** Text before the current chunk. */
  #before = ''

  constructor(start: number, words: readonly string[]) {
    this.top = new Passage(false, start, true)
    this.#search = new WordSearch(words)
  }

  reading(text: string, origin: number): void {
    this.#text = text
    this.#origin = origin
    this.#search.open(this.#before, text, origin)
  }

  read(end: number, levels: number): void {
    for (let level = Math.min(levels, PASSAGE_LEVELS) - 1; level >= 0; level--) this.#fill(this.#open[level])
    this.#fill(this.top)
    const from = Math.max(0, end - PASSAGE_UNITS)
    this.#before = (from > 0 ? '' : this.#before.slice(end - PASSAGE_UNITS)) + this.#text.slice(from, end)
    this.#text = ''
    this.#origin += end
  }

  /** Start an array or object. In an array, only passages of the first item are kept. */
  open(level: number, isObject: boolean, offset: number): void {
    if (level >= PASSAGE_LEVELS) return
    const parent = level === 0 ? undefined : this.#open[level - 1]
    const kept = level === 0 || (parent !== undefined && (parent.isObject || parent.entries === 1))
    this.#open[level] = kept ? new Passage(isObject, offset, false) : undefined
  }

  keeps(level: number): boolean {
    return level < PASSAGE_LEVELS && this.#open[level] !== undefined
  }

  addEntry(level: number, offset: number, line: number): void {
    const passage = level < 0 ? this.top : level < PASSAGE_LEVELS ? this.#open[level] : undefined
    if (passage === undefined) return
    this.#endEntry(passage, offset, line)
    passage.add(offset, line)
  }

  close(level: number, offset: number, line: number, path: () => readonly string[]): void {
    if (level === 0) this.top.nextLine = line + 1
    const passage = level < PASSAGE_LEVELS ? this.#open[level] : undefined
    if (passage === undefined) return
    passage.nextLine = line
    this.#end(passage, offset, line)
    const least = this.longest[MOST_PASSAGES - 1]
    if (passage.entries < 2 || (least !== undefined && least.end - least.start >= offset - passage.start)) return
    this.#fill(passage)
    passage.keys = path()
    this.longest.push(passage)
    this.longest.sort((one, other) => other.end - other.start - (one.end - one.start))
    this.longest.length = Math.min(this.longest.length, MOST_PASSAGES)
  }

  finish(offset: number, line: number): void {
    this.#end(this.top, offset, line)
    this.#fill(this.top)
  }

  #end(passage: Passage, offset: number, line: number): void {
    this.#endEntry(passage, offset, passage.nextLine)
    passage.end = offset
    passage.endLine = line
  }

  /** End the last entry, and keep it if the call searches for its words. */
  #endEntry(passage: Passage, offset: number, line: number): void {
    if (passage.entries === 0 || !this.#search.isActive) return
    if (this.#search.within(passage.lastStart, offset)) passage.keep(offset, line, this.textOf)
  }

  #fill(passage: Passage | undefined): void {
    if (passage === undefined) return
    const limit = Math.min(passage.start + PASSAGE_UNITS, passage.end < 0 ? Infinity : passage.end)
    const from = passage.start + passage.head.length
    if (from < limit && from >= this.#origin) {
      const more = this.#text.slice(from - this.#origin, limit - this.#origin)
      passage.head = detach(passage.head + more)
    }
    if (passage.end > passage.start + PASSAGE_UNITS)
      passage.tail = this.textOf(passage.end - PASSAGE_UNITS, passage.end)
  }

  /** Return a part of the text that is at most `PASSAGE_UNITS` before the current chunk. */
  readonly textOf = (start: number, end: number): string => {
    const missing = this.#origin - start
    const early = missing > 0 ? this.#before.slice(Math.max(0, this.#before.length - missing)) : ''
    if (end <= this.#origin) return detach(early.slice(0, early.length - (this.#origin - end)))
    return detach(early + this.#text.slice(Math.max(0, -missing), Math.max(0, end - this.#origin)))
  }
}

/** Longest word that is searched, in UTF-16 units, and largest number of words. */
const LONGEST_WORD = 200
const MOST_WORDS = 8

class WordSearch {
  readonly #words: readonly string[]
  #text = ''
  #origin = 0
  /** Next position of each word, or `Infinity` after the last position. */
  readonly #next: number[]
  /** Positions of words that begin in one chunk and end in the next. */
  #seam: number[] = []

  constructor(words: readonly string[]) {
    this.#words = words.filter(({ length }) => length > 1 && length <= LONGEST_WORD).slice(0, MOST_WORDS)
    this.#next = this.#words.map(() => Infinity)
  }

  get isActive(): boolean {
    return this.#words.length > 0
  }

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

  /** Return whether a word begins in a range. Ascending calls together take linear time. */
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

/** Number of UTF-16 units that are kept at each end of a passage. */
const PASSAGE_UNITS = 65_536
/** Number of entries at each end whose positions are kept. */
const MOST_ENTRIES = 512

export interface EntryPlace {
  readonly index: number
  /** Position in UTF-16 units from the start of the text. */
  readonly start: number
  readonly line: number
}

interface KeptEntry {
  readonly place: EntryPlace
  readonly text: string
}

/** An entry with words that the call searches for. */
export interface WantedEntry extends KeptEntry {
  /** Line of the next entry. For the last entry, the last line of the passage. */
  readonly nextLine: number
}

/** Largest number of wanted entries, and their largest length. */
const MOST_WANTED = 96
const LONGEST_WANTED = 8_192

const NONE: readonly never[] = []

export class Passage {
  /** Keys of the passage, set when the passage ends. The key of an array item is `''`. */
  keys: readonly string[] = NONE
  readonly isObject: boolean
  readonly start: number
  readonly isTop: boolean
  entries = 0
  lastStart = 0
  lastLine = 0
  end = -1
  endLine = 0
  /** Line after the last entry. */
  nextLine = 0
  head = ''
  tail = ''
  /** Positions of the first entries, and after them a ring buffer with the last positions. */
  #starts: number[] | undefined
  #lines: number[] | undefined
  #wanted: WantedEntry[] | undefined

  constructor(isObject: boolean, start: number, isTop: boolean) {
    this.isObject = isObject
    this.start = start
    this.isTop = isTop
  }

  get wanted(): readonly WantedEntry[] {
    return this.#wanted ?? NONE
  }

  keep(end: number, nextLine: number, textOf: (start: number, end: number) => string): void {
    const wanted = (this.#wanted ??= [])
    const place = { index: this.entries - 1, start: this.lastStart, line: this.lastLine }
    if (end - place.start > LONGEST_WANTED || wanted.length >= MOST_WANTED) return
    wanted.push({ place, text: textOf(place.start, end), nextLine })
  }

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

  /** Return up to `most` entries at each end, in order. */
  kept(most: number): KeptEntry[] {
    const kept: KeptEntry[] = []
    for (let index = 0; index < Math.min(this.entries, MOST_ENTRIES, most); index++) {
      const place = this.#placeOf(index)
      const next = this.#endOf(index)
      if (index > 0 && next - this.start > this.head.length) break
      kept.push({ place, text: this.head.slice(place.start - this.start, next - this.start) })
    }
    // A short passage has no tail, because its head is complete.
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

  #placeOf(index: number): EntryPlace {
    const slot = slotOf(index)
    return { index, start: this.#starts?.[slot] ?? 0, line: this.#lines?.[slot] ?? 0 }
  }

  #endOf(index: number): number {
    if (index === this.entries - 1) return this.end
    // Positions of entries between the first and the last entries are not kept.
    return index === MOST_ENTRIES - 1 && this.entries > 2 * MOST_ENTRIES ? Infinity : this.#placeOf(index + 1).start
  }
}

function slotOf(index: number): number {
  return index < MOST_ENTRIES ? index : MOST_ENTRIES + (index % MOST_ENTRIES)
}
