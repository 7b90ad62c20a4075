import { isJsonLinesType, recognizeJson } from '@spillway/text/internal/json'
import type { TextPreviewer, TextReader, TextSubject } from '../previewer.ts'
import type { JsonScan, JsonSink, ScannedString } from './json-scan.ts'
import { renderJsonPreview } from './render-json-preview.ts'
import { JsonTokenizer } from './json-tokenizer.ts'
import { LongText } from './long-text.ts'
import { PassageKeeper } from './passage-keeper.ts'
import { FIRST_TIMES, Shape, ValueSummary, isSame, type ShapeRoom } from './shape.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/** Texts up to so many UTF-16 units are kept, to be shown whole where the budget allows. */
const WHOLE_UNITS = 524_288
/** A text that stops being JSON before so many units, or before this share of it, is something else. */
const LEAST_UNITS = 2_048
const LEAST_SHARE = 0.05
/** Largest share of lines between values in a text of many values. */
const MOST_STRAY = 0.25

/**
 * Preview a JSON document: all its keys within their paths, merged over the items of arrays and over maps of like members,
 * with how many there are; then values, rows of items with their line numbers, and strings of many lines by the lines that
 * matter.
 *
 * It reads JSON as tools write it: on one line or on many, with a byte order mark, after a few words, as JSONP, with
 * comments, trailing commas or single quotes, cut off, or broken halfway. Memory is bounded, and time grows with the length
 * alone.
 */
export function jsonPreviewer(): TextPreviewer {
  return {
    name: 'json',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many || isJsonLinesType(subject.contentType) ? 0 : sureness
    },
    read: readJson,
  }
}

/**
 * Preview a row of JSON values: JSON Lines, JSON text sequences (RFC 7464), or documents one after another.
 *
 * The keys of all records are merged and shown once; then come records as rows with their line numbers.
 */
export function ndjsonPreviewer(): TextPreviewer {
  return {
    name: 'ndjson',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many ? sureness : isJsonLinesType(subject.contentType) ? Math.min(sureness, 0.9) : 0
    },
    read: readJson,
  }
}

function readJson(subject: TextSubject): TextReader {
  const { at } = recognizeJson(subject)
  const prefix = subject.start.slice(0, at)
  const scanner = new JsonScanner(prefix, subject.intent.words)
  let skip = at
  let pieces: string[] | undefined = []
  let units = 0
  return {
    push: (text) => {
      units += text.length
      if (units <= WHOLE_UNITS) pieces?.push(text)
      else pieces = undefined
      const from = Math.min(skip, text.length)
      skip -= from
      scanner.push(from === 0 ? text : text.slice(from))
    },
    finish: () => {
      const scan = scanner.finish()
      if (!isJson(scan)) return undefined
      const content = { scan, whole: pieces?.join(''), prefix }
      return (options) => renderJsonPreview(content, options)
    },
  }
}

/** Whether enough of a text was JSON. */
function isJson({ values, broken, length, strayUnits }: JsonScan): boolean {
  if (values === 0 || strayUnits > length * MOST_STRAY) return false
  if (broken === undefined || broken.atEnd) return true
  return broken.offset >= Math.max(LEAST_UNITS, length * LEAST_SHARE)
}

/** Levels that are told apart; what is deeper is only counted. */
const MOST_LEVELS = 64
/** Different shapes in one document. */
const MOST_SHAPES = 24_576
/** Strings of many lines that are kept, and the shortest that count. */
const MOST_STRINGS = 3
const LEAST_STRING = 1_000
/** The end of a line, as it stands in a string of JSON. */
const NEWLINE = '\\n'

/** Reads JSON of any length, in pieces of any size, and keeps what a preview of it can show. */
class JsonScanner implements JsonSink {
  readonly #tokenizer = new JsonTokenizer(this)
  readonly #room: ShapeRoom = { left: MOST_SHAPES }
  readonly #root = new Shape('')
  /** Of each open level: its shape, how many entries it has, and its last member. */
  readonly #shapes: Shape[] = []
  readonly #objects: boolean[] = []
  readonly #counts: number[] = []
  readonly #lasts: (Shape | undefined)[] = []
  /** Of each open array that has held nothing but strings: these, as lines. */
  readonly #lists: (LongText | undefined)[] = []
  #level = -1
  /** Open levels that are not told apart. */
  #below = 0
  #deeper = 0
  #key: Shape | undefined
  readonly #passages: PassageKeeper
  #strings: ScannedString[] = []
  #long: LongText | undefined
  #longOwner: Shape | undefined
  #length = 0
  #strays = 0
  readonly #nested: (() => JsonScanner) | undefined
  #endsLine = false

  /**
   * @param prefix - Text before the first value, which is part of what is pushed no more.
   * @param words - Entries that hold one of these are kept.
   * @param inString - Whether this is JSON in a string of JSON: strings in it are text.
   */
  constructor(prefix: string, words: readonly string[], inString = false) {
    this.#nested = inString ? undefined : () => new JsonScanner('', words, true)
    this.#tokenizer.skipPrefix(prefix)
    this.#length = prefix.length
    this.#passages = new PassageKeeper(prefix.length, words)
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
    this.#passages.finish(end, line)
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
      passages: tokenizer.values > 1 ? [this.#passages.top] : this.#passages.longest,
      strings: this.#strings,
    }
  }

  reading(text: string, origin: number): void {
    this.#passages.reading(text, origin)
  }

  read(end: number): void {
    this.#passages.read(end, this.#level + 1)
  }

  open(isObject: boolean, offset: number, line: number): void {
    if (this.#below > 0 || this.#level + 1 >= MOST_LEVELS) {
      this.#below++
      this.#deeper++
      return
    }
    const shape = this.#entry(offset, line)
    this.#endList()
    if (shape.objects + shape.arrays === 0) shape.startLine = line
    if (isObject) shape.objects++
    else shape.arrays++
    const level = ++this.#level
    this.#shapes[level] = shape
    this.#objects[level] = isObject
    this.#counts[level] = 0
    this.#lasts[level] = undefined
    this.#passages.open(level, isObject, offset)
    // A program's output often comes as an array of its lines.
    this.#lists[level] = isObject || !this.#passages.keeps(level) ? undefined : new LongText(this.#path(), undefined)
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
    this.#passages.addEntry(level, offset, line)
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
    this.#listOfStrings?.push(`${text.slice(start, end)}${NEWLINE}`)
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
    const part = text.slice(start, end)
    this.#long?.push(part)
    this.#listOfStrings?.push(part)
  }

  closeString(): void {
    if (this.#long === undefined) return
    const { start, length } = this.#long
    ;(this.#longOwner!.scalars ??= new ValueSummary()).addString(`"${start}`, 0, start.length + 1, length + 2)
    this.#keep(this.#long)
    this.#long = undefined
    this.#listOfStrings?.push(NEWLINE)
  }

  number(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    this.#endList()
    const values = (shape.scalars ??= new ValueSummary())
    if (values.addNumber(text, start, end)) this.#rare(shape, values)
    this.#key = undefined
  }

  word(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    this.#endList()
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
      this.#passages.addEntry(level, offset, line)
    } else if (this.#objects[level]!) shape = this.#key ?? this.#shapes[level]!.field('', this.#room)
    else {
      const parent = this.#shapes[level]!
      shape = parent.item ??= new Shape('')
      this.#counts[level]!++
      this.#passages.addEntry(level, offset, line)
    }
    shape.seen++
    return shape
  }

  /** A member, or a value of one, is the first of its kind: the entries that it stands in are notable. */
  #rare(shape: Shape, values: ValueSummary | undefined): void {
    const levels = this.#level + 1
    if (!this.#passages.takesRarities(levels)) return
    this.#passages.addRarity(levels, this.#pathOf(shape), values?.last)
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
    this.#passages.close(level, offset, line, this.#path)
    const list = this.#lists[level]
    if (list !== undefined && list.length >= LEAST_STRING) this.#keep(list)
    this.#level--
  }

  /** The lines of the innermost array, where it has held nothing but strings; a string below it is none of its lines. */
  get #listOfStrings(): LongText | undefined {
    return this.#level < 0 || this.#below > 0 ? undefined : this.#lists[this.#level]
  }

  /** The innermost array holds something else than strings. */
  #endList(): void {
    if (this.#level >= 0) this.#lists[this.#level] = undefined
  }

  #keep(long: LongText): void {
    if (long.length <= (this.#strings[MOST_STRINGS - 1]?.length ?? 0)) return
    const scanned = long.finish()
    if (scanned === undefined) return
    this.#strings.push(scanned)
    this.#strings.sort((one, other) => other.length - one.length)
    this.#strings.length = Math.min(this.#strings.length, MOST_STRINGS)
  }

  /** The keys that lead to the innermost level; `''` for an item of an array. */
  readonly #path = (): string[] => {
    const path: string[] = []
    for (let level = 1; level <= this.#level; level++)
      path.push(this.#objects[level - 1]! ? this.#shapes[level]!.key : '')
    return path
  }

  #pathOf(shape: Shape): string[] {
    return this.#level < 0 ? [] : [...this.#path(), this.#objects[this.#level]! ? shape.key : '']
  }
}
