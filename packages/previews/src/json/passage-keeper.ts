import { detach } from '@spillway/text/internal'
import { PASSAGE_UNITS, Passage } from './passage.ts'

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
