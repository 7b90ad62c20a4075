import { detach } from '../../content/detach.ts'
import { JsonTokenizer, type JsonBreak, type JsonSink } from './json-tokenizer.ts'
import { LongText, type ScannedString } from './long-text.ts'
import { Passage, PASSAGE_UNITS } from './passage.ts'
import { Shape, type ShapeRoom } from './shape.ts'
import { ValueSummary } from './value-summary.ts'

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

/** What is kept of a text of JSON to make a preview of: bounded, however long the text was. */
export interface JsonScan {
  /** What the values at the top are made of. */
  readonly root: Shape
  readonly values: number
  /** Whether each value stands on a line of its own, and whether none has more than one line. */
  readonly byLine: boolean
  readonly oneLine: boolean
  /** Values that broke off at the end of their line, and lines between values that are none. */
  readonly abandoned: number
  readonly strays: number
  readonly strayUnits: number
  /** UTF-16 units of the text. */
  readonly length: number
  /** The line that the text ends on. */
  readonly lines: number
  /** Where the text stops being JSON, or ends before its values do. */
  readonly broken: (JsonBreak & { readonly atEnd: boolean }) | undefined
  /** Objects and arrays below the levels that are told apart. */
  readonly deeper: number
  /** The longest arrays and objects that stand in no array, the longest first. */
  readonly passages: readonly Passage[]
  /** The longest strings of many lines, the longest first. */
  readonly strings: readonly ScannedString[]
}

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

  /** @param prefix - Text before the first value, which is part of what is pushed no more. */
  constructor(prefix = '') {
    this.#tokenizer.skipPrefix(prefix)
    this.#length = prefix.length
    this.#top = new Passage(false, prefix.length, 1, true)
  }

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#length += text.length
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
      lines: line,
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
    // In an array, the passages of the items are those of the array.
    const unique =
      level <= PASSAGE_LEVELS && (parent < 0 || (this.#objects[parent]! && this.#passages[parent] !== undefined))
    this.#passages[level] = unique ? new Passage(isObject, offset, line) : undefined
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
    this.#passages[level]?.add(offset, line)
    let field = shape.others === undefined ? (last === undefined ? shape.first : last.next) : undefined
    if (field === undefined || !isSame(field.key, text, start, end)) {
      field = shape.field(text.slice(start, end), this.#room)
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
    ;(shape.scalars ??= new ValueSummary()).addString(text, start, end)
    if (length >= LEAST_STRING && length > (this.#strings[MOST_STRINGS - 1]?.length ?? 0)) {
      const long = new LongText(this.#pathOf(shape))
      long.push(text.slice(start, end))
      this.#keep(long)
    }
    this.#key = undefined
  }

  openString(offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    this.#longOwner = shape
    this.#long = new LongText(this.#pathOf(shape))
    this.#key = undefined
  }

  stringPart(text: string, start: number, end: number): void {
    this.#long?.push(text.slice(start, end))
  }

  closeString(): void {
    if (this.#long === undefined) return
    const { start, length } = this.#long
    ;(this.#longOwner!.scalars ??= new ValueSummary()).addString(start, 0, start.length, length)
    this.#keep(this.#long)
    this.#long = undefined
  }

  number(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    ;(shape.scalars ??= new ValueSummary()).addNumber(text, start, end)
    this.#key = undefined
  }

  word(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    ;(shape.scalars ??= new ValueSummary()).addWord(text, start, end)
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
      this.#top.add(offset, line)
    } else if (this.#objects[level]!) shape = this.#key ?? this.#shapes[level]!.field('', this.#room)
    else {
      const parent = this.#shapes[level]!
      shape = parent.item ??= new Shape('')
      this.#counts[level]!++
      this.#passages[level]?.add(offset, line)
    }
    shape.seen++
    return shape
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
      const start = passage.end - PASSAGE_UNITS
      const early =
        start < this.#origin ? this.#before.slice(Math.max(0, this.#before.length - (this.#origin - start))) : ''
      passage.tail = detach(early + this.#text.slice(Math.max(0, start - this.#origin), passage.end - this.#origin))
    }
  }

  #keep(long: LongText): void {
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

function isSame(key: string, text: string, start: number, end: number): boolean {
  if (key.length !== end - start) return false
  for (let index = 0; index < key.length; index++) {
    if (key.charCodeAt(index) !== text.charCodeAt(start + index)) return false
  }
  return true
}
