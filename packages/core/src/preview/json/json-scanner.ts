import { detach } from '../../content/detach.ts'
import type { JsonScan, ScannedString } from './json-scan.ts'
import { JsonTokenizer, type JsonSink } from './json-tokenizer.ts'
import { LongText } from './long-text.ts'
import { Passage, PASSAGE_UNITS } from './passage.ts'
import { Shape, type ShapeRoom } from './shape.ts'
import { FIRST_TIMES, isSame, ValueSummary } from './value-summary.ts'
import { WordSearch } from './word-search.ts'

/** Levels that are told apart; what is deeper is only counted. */
const MOST_LEVELS = 64
/** Different shapes in one document. */
const MOST_SHAPES = 24_576
/** Passages kept, and levels on which they begin. */
const MOST_PASSAGES = 8
const PASSAGE_LEVELS = 5
/** Strings of many lines that are kept, and the shortest that count. */
const MOST_STRINGS = 3
const LEAST_STRING = 1_000

/** Reads JSON of any length, in pieces of any size, and keeps what a preview of it can show. */
export class JsonScanner implements JsonSink {
  readonly #tokenizer = new JsonTokenizer(this)
  readonly #room: ShapeRoom = { left: MOST_SHAPES }
  readonly #root = new Shape('')
  /** Of each open level: its shape, how many entries it has, its last member, and its passage. */
  readonly #shapes: Shape[] = []
  readonly #objects: boolean[] = []
  readonly #counts: number[] = []
  readonly #lasts: (Shape | undefined)[] = []
  readonly #passages: (Passage | undefined)[] = []
  #level = -1
  /** Open levels that are not told apart. */
  #below = 0
  #deeper = 0
  #key: Shape | undefined
  readonly #top: Passage
  #kept: Passage[] = []
  #strings: ScannedString[] = []
  #long: LongText | undefined
  #longOwner: Shape | undefined
  #text = ''
  #origin = 0
  /** What stands before the text that is being read. */
  #before = ''
  #length = 0
  #strays = 0

  readonly #search: WordSearch
  readonly #nested: (() => JsonScanner) | undefined
  #endsLine = false

  /**
   * @param prefix - Text before the first value, which is part of what is pushed no more.
   * @param words - Entries that hold one of these are kept.
   * @param inString - Whether this is JSON in a string of JSON: strings in it are text.
   */
  constructor(prefix: string, words: readonly string[], inString = false) {
    this.#nested = inString ? undefined : () => new JsonScanner('', words, true)
    this.#search = new WordSearch(words)
    this.#tokenizer.skipPrefix(prefix)
    this.#length = prefix.length
    this.#top = new Passage(false, prefix.length, true)
  }

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#length += text.length
    if (text !== '') this.#endsLine = text.endsWith('\n')
    this.#tokenizer.push(text)
  }

  /** End the text and return what was kept. The scanner takes no text after that. */
  finish(): JsonScan {
    const tokenizer = this.#tokenizer
    tokenizer.finish()
    const { broken, depth, line } = tokenizer
    const end = broken?.offset ?? this.#length
    while (this.#level >= 0) this.#pop(end, line)
    this.#root.foldAll(this.#room)
    this.#endEntry(this.#top, end, line)
    this.#top.end = end
    this.#top.endLine = line
    this.#fill(this.#top)
    return {
      root: this.#root,
      values: tokenizer.values,
      byLine: tokenizer.byLine,
      oneLine: tokenizer.oneLine,
      abandoned: tokenizer.abandoned,
      strays: this.#strays,
      strayUnits: tokenizer.strayUnits,
      length: this.#length,
      lines: this.#endsLine ? line - 1 : line,
      broken:
        broken !== undefined
          ? { ...broken, atEnd: false }
          : depth > 0
            ? { offset: this.#length, line, atEnd: true }
            : undefined,
      deeper: this.#deeper,
      passages: tokenizer.values > 1 ? [this.#top] : this.#kept,
      strings: this.#strings,
    }
  }

  reading(text: string, origin: number): void {
    this.#text = text
    this.#origin = origin
    this.#search.open(this.#before, text, origin)
  }

  read(end: number): void {
    for (let level = Math.min(this.#level, PASSAGE_LEVELS); level >= 0; level--) this.#fill(this.#passages[level])
    this.#fill(this.#top)
    const from = Math.max(0, end - PASSAGE_UNITS)
    this.#before = (from > 0 ? '' : this.#before.slice(-PASSAGE_UNITS)) + this.#text.slice(from, end)
    this.#text = ''
  }

  open(isObject: boolean, offset: number, line: number): void {
    if (this.#below > 0 || this.#level + 1 >= MOST_LEVELS) {
      this.#below++
      this.#deeper++
      return
    }
    const shape = this.#entry(offset, line)
    if (shape.objects + shape.arrays === 0) shape.startLine = line
    if (isObject) shape.objects++
    else shape.arrays++
    const parent = this.#level
    const level = ++this.#level
    this.#shapes[level] = shape
    this.#objects[level] = isObject
    this.#counts[level] = 0
    this.#lasts[level] = undefined
    // Of the items of an array, the first one alone may have passages of its own.
    const unique =
      level <= PASSAGE_LEVELS &&
      (parent < 0 || (this.#passages[parent] !== undefined && (this.#objects[parent]! || this.#counts[parent] === 1)))
    this.#passages[level] = unique ? new Passage(isObject, offset, false) : undefined
    this.#key = undefined
  }

  close(offset: number, line: number): void {
    if (this.#below > 0) this.#below--
    else this.#pop(offset, line)
  }

  key(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const level = this.#level
    const shape = this.#shapes[level]!
    const last = this.#lasts[level]
    this.#counts[level]!++
    const passage = this.#passages[level]
    if (passage !== undefined) this.#addEntry(passage, offset, line)
    let field = shape.others === undefined ? (last === undefined ? shape.first : last.next) : undefined
    if (field === undefined || !isSame(field.key, text, start, end)) {
      field = shape.field(text.slice(start, end), this.#room)
      if (field.seen < FIRST_TIMES && shape.others === undefined) this.#rare(field, undefined)
      if (last === undefined) shape.first = field
      else last.next = field
    }
    this.#lasts[level] = field
    this.#key = field
  }

  string(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    const length = end - start
    const values = (shape.scalars ??= new ValueSummary())
    if (values.addString(text, start - 1, end + 1)) this.#rare(shape, values)
    if (length >= LEAST_STRING && length > (this.#strings[MOST_STRINGS - 1]?.length ?? 0)) {
      const long = new LongText(this.#pathOf(shape), this.#nested)
      long.push(text.slice(start, end))
      this.#keep(long)
    }
    this.#key = undefined
  }

  openString(offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    this.#longOwner = shape
    this.#long = new LongText(this.#pathOf(shape), this.#nested)
    this.#key = undefined
  }

  stringPart(text: string, start: number, end: number): void {
    this.#long?.push(text.slice(start, end))
  }

  closeString(): void {
    if (this.#long === undefined) return
    const { start, length } = this.#long
    ;(this.#longOwner!.scalars ??= new ValueSummary()).addString(`"${start}`, 0, start.length + 1, length + 2)
    this.#keep(this.#long)
    this.#long = undefined
  }

  number(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    const values = (shape.scalars ??= new ValueSummary())
    if (values.addNumber(text, start, end)) this.#rare(shape, values)
    this.#key = undefined
  }

  word(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    const values = (shape.scalars ??= new ValueSummary())
    if (values.addWord(text, start, end)) this.#rare(shape, values)
    this.#key = undefined
  }

  abandon(offset: number): void {
    this.#below = 0
    while (this.#level >= 0) this.#pop(offset, this.#tokenizer.line)
  }

  stray(): void {
    this.#strays++
  }

  /** The shape of the value that begins here. */
  #entry(offset: number, line: number): Shape {
    const level = this.#level
    let shape: Shape
    if (level < 0) {
      shape = this.#root
      this.#addEntry(this.#top, offset, line)
    } else if (this.#objects[level]!) shape = this.#key ?? this.#shapes[level]!.field('', this.#room)
    else {
      const parent = this.#shapes[level]!
      shape = parent.item ??= new Shape('')
      this.#counts[level]!++
      const passage = this.#passages[level]
      if (passage !== undefined) this.#addEntry(passage, offset, line)
    }
    shape.seen++
    return shape
  }

  #addEntry(passage: Passage, offset: number, line: number): void {
    this.#endEntry(passage, offset, line)
    passage.add(offset, line)
  }

  /** The entry that began last ends: it is kept where it is notable. */
  #endEntry(passage: Passage, offset: number, line: number): void {
    if (passage.entries === 0) return
    const wanted = this.#search.isActive && this.#search.within(passage.lastStart, offset)
    if (wanted || passage.isRare) passage.keep(offset, line, wanted, this.#textOf)
  }

  /** A member, or a value of one, is the first of its kind: the entries that it stands in are notable. */
  #rare(shape: Shape, values: ValueSummary | undefined): void {
    const deepest = Math.min(this.#level, PASSAGE_LEVELS)
    let takes = this.#top.takesRarities
    for (let level = deepest; level >= 0 && !takes; level--) takes = this.#passages[level]?.takesRarities === true
    if (!takes) return
    const path = this.#pathOf(shape)
    const value = values?.last
    const times = (): number => (values === undefined ? shape.seen : values.timesOf(value!))
    this.#top.addRarity({ path: path.join('.'), value, times })
    for (let level = deepest; level >= 0; level--)
      this.#passages[level]?.addRarity({ path: path.slice(level + 1).join('.'), value, times })
  }

  readonly #textOf = (start: number, end: number): string => {
    const early =
      start < this.#origin ? this.#before.slice(Math.max(0, this.#before.length - (this.#origin - start))) : ''
    return detach(early + this.#text.slice(Math.max(0, start - this.#origin), Math.max(0, end - this.#origin)))
  }

  #pop(offset: number, line: number): void {
    const level = this.#level
    const shape = this.#shapes[level]!
    const count = this.#counts[level]!
    if (this.#objects[level]!) {
      if (count < shape.leastKeys) shape.leastKeys = count
      if (count > shape.mostKeys) shape.mostKeys = count
    } else {
      if (count < shape.leastItems) shape.leastItems = count
      if (count > shape.mostItems) shape.mostItems = count
    }
    if (shape.endLine === 0) shape.endLine = line
    this.#key = undefined
    const passage = this.#passages[level]
    if (passage !== undefined) this.#endPassage(passage, offset, line)
    this.#level--
  }

  #endPassage(passage: Passage, offset: number, line: number): void {
    passage.end = offset
    passage.endLine = line
    this.#endEntry(passage, offset, line)
    const least = this.#kept[MOST_PASSAGES - 1]
    if (passage.entries < 2 || (least !== undefined && least.end - least.start >= offset - passage.start)) return
    this.#fill(passage)
    passage.keys = this.#path()
    this.#kept.push(passage)
    this.#kept.sort((one, other) => other.end - other.start - (one.end - one.start))
    this.#kept.length = Math.min(this.#kept.length, MOST_PASSAGES)
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
    if (passage.end > passage.start + PASSAGE_UNITS) {
      passage.tail = this.#textOf(passage.end - PASSAGE_UNITS, passage.end)
    }
  }

  #keep(long: LongText): void {
    if (long.length <= (this.#strings[MOST_STRINGS - 1]?.length ?? 0)) return
    const scanned = long.finish()
    if (scanned === undefined) return
    this.#strings.push(scanned)
    this.#strings.sort((one, other) => other.length - one.length)
    this.#strings.length = Math.min(this.#strings.length, MOST_STRINGS)
  }

  #path(): string[] {
    const path: string[] = []
    for (let level = 1; level <= this.#level; level++)
      path.push(this.#objects[level - 1]! ? this.#shapes[level]!.key : '')
    return path
  }

  #pathOf(shape: Shape): string[] {
    return this.#level < 0 ? [] : [...this.#path(), this.#objects[this.#level]! ? shape.key : '']
  }
}
