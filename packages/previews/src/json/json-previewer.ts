import { detach, estimateTokens } from '@spillway/text/internal'
import { isJsonLinesType, recognizeJson } from '@spillway/text/internal/json'
import type { TextPreviewer, TextReader, TextSubject, WritePreview } from '../previewer.ts'
import type { JsonScan, JsonSink, RecordPlace, ScannedString } from './json-scan.ts'
import { JsonTokenizer } from './json-tokenizer.ts'
import { LongText } from './long-text.ts'
import { nameColumns } from './name-columns.ts'
import { PassageKeeper } from './passage-keeper.ts'
import { FIRST_TIMES, MOST_COLUMNS, Shape, ValueSummary, isSame, type ShapeRoom } from './shape.ts'
import { mostTokensOf, UnusualRecords, unusualWriter } from './unusual-records.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/** Largest text that is stored whole, in UTF-16 units. Such a text is shown whole if it fits. */
const WHOLE_UNITS = 524_288
/** Smallest part of a text that must be JSON, as a length and as a share. Otherwise the text has another format. */
const LEAST_UNITS = 2_048
const LEAST_SHARE = 0.05
/** Largest share of text between values that is not JSON. */
const MOST_STRAY = 0.25

/**
 * Previews a JSON document: all keys with counts, merged over arrays and maps, then values, rows, and long strings.
 *
 * Accepts one or many lines, a byte order mark, leading words, JSONP, comments, trailing commas, single quotes, and
 * incomplete or broken text. Memory is bounded, and time is linear.
 */
export function jsonPreviewer(): TextPreviewer {
  return {
    name: 'json',
    previews: 'text',
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many || isJsonLinesType(subject.contentType) ? 0 : sureness
    },
    read: readJson,
  }
}

/** Previews several JSON values: their merged keys, and then records as rows with line numbers. */
export function ndjsonPreviewer(): TextPreviewer {
  return {
    name: 'ndjson',
    previews: 'text',
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many ? sureness : isJsonLinesType(subject.contentType) ? Math.min(sureness, 0.9) : 0
    },
    read: readJson,
  }
}

function readJson(subject: TextSubject): TextReader {
  const { at, many } = recognizeJson(subject)
  const prefix = subject.start.slice(0, at)
  const scanner = new JsonScanner(prefix, subject.intent.words, many)
  let skip = at
  let pieces: string[] | undefined = []
  let units = 0
  const reader = {
    usualTokens: USUAL_TOKENS.structured as number,
    lines: undefined as number | undefined,
    push: (text: string) => {
      units += text.length
      if (units <= WHOLE_UNITS) pieces?.push(text)
      else pieces = undefined
      const from = Math.min(skip, text.length)
      skip -= from
      scanner.push(from === 0 ? text : text.slice(from))
    },
    finish: ({ end = '' }: TextSubject): WritePreview | undefined => {
      const scan = scanner.finish()
      // If words precede the JSON in its line, further documents begin in lines of words, so only parts of them are read.
      if (!isJson(scan) || (scan.values > 1 && /\S +$/.test(prefix))) return undefined
      reader.lines = scan.lines
      reader.usualTokens += estimateTokens(unusualWriter(scan)(mostTokensOf(scan)))
      const whole = pieces?.join('')
      return async (options) => {
        const { renderJsonPreview } = await import('./render-json-preview.ts')
        return renderJsonPreview({ scan, whole, prefix, end }, options)
      }
    },
  }
  return reader
}

function isJson({ values, broken, length, strayUnits }: JsonScan): boolean {
  if (values === 0 || strayUnits > length * MOST_STRAY) return false
  if (broken === undefined || broken.atEnd) return true
  return broken.offset >= Math.max(LEAST_UNITS, length * LEAST_SHARE)
}

/** Largest depth that is read in detail. Deeper levels are only counted. */
const MOST_LEVELS = 64
const MOST_SHAPES = 24_576
/** Number of strings to keep, and smallest length of such a string in UTF-16 units. */
const MOST_STRINGS = 3
const LEAST_STRING = 1_000
/** Number of lines that are not JSON whose numbers are kept. */
const MOST_STRAYS = 4
/** Longest name of a column, in UTF-16 units. */
const LONGEST_TITLE = 128
/** A line end in a JSON string. */
const NEWLINE = '\\n'

class JsonScanner implements JsonSink {
  readonly #tokenizer = new JsonTokenizer(this)
  readonly #room: ShapeRoom = { left: MOST_SHAPES }
  readonly #root = new Shape('')
  /** For each open level, its shape, its number of entries, and the shape of its last member. */
  readonly #shapes: Shape[] = []
  readonly #objects: boolean[] = []
  readonly #counts: number[] = []
  readonly #lasts: (Shape | undefined)[] = []
  /** For each open level, the last key of the object above. A shape of many keys has no key of its own. */
  readonly #names: string[] = []
  /** For each open level, its lines if it is an array that has only strings. */
  readonly #lists: (LongText | undefined)[] = []
  #level = -1
  #below = 0
  #deeper = 0
  #key: Shape | undefined
  readonly #passages: PassageKeeper
  readonly #unusual = new UnusualRecords(this.#root)
  #strings: ScannedString[] = []
  #long: LongText | undefined
  #longOwner: Shape | undefined
  #length = 0
  #strays = 0
  readonly #strayLines: number[] = []
  readonly #nested: (() => JsonScanner) | undefined
  readonly #many: boolean
  #endsLine = false

  /**
   * @param prefix - Text before the first value. This text is not passed to `push`.
   * @param words - Entries with one of these words are notable.
   * @param many - Whether the text has several values. Arrays at the top level are then rows.
   * @param inString - Whether the text is the content of a JSON string. Strings in this text are not parsed as JSON.
   */
  constructor(prefix: string, words: readonly string[], many: boolean, inString = false) {
    this.#many = many
    this.#nested = inString ? undefined : () => new JsonScanner('', words, false, true)
    this.#tokenizer.skipPrefix(prefix)
    this.#length = prefix.length
    this.#passages = new PassageKeeper(prefix.length, words)
  }

  push(text: string): void {
    this.#length += text.length
    if (text !== '') this.#endsLine = text.endsWith('\n')
    this.#tokenizer.push(text)
  }

  /** End the text. No more text may be pushed. */
  finish(): JsonScan {
    const tokenizer = this.#tokenizer
    tokenizer.finish()
    const { broken, depth, line } = tokenizer
    const end = broken?.offset ?? this.#length
    const lines = this.#endsLine ? line - 1 : line
    while (this.#level >= 0) this.#pop(end, line)
    nameColumns(this.#root)
    this.#root.foldAll(this.#room)
    this.#passages.finish(end, lines)
    return {
      root: this.#root,
      values: tokenizer.values,
      byLine: tokenizer.byLine,
      oneLine: tokenizer.oneLine,
      abandoned: tokenizer.abandoned,
      hasSingleQuotes: tokenizer.hasSingleQuotes,
      strays: this.#strays,
      strayLines: this.#strayLines,
      strayUnits: tokenizer.strayUnits,
      length: this.#length,
      lines,
      broken:
        broken !== undefined
          ? { ...broken, atEnd: false }
          : depth > 0
            ? { offset: this.#length, line, atEnd: true }
            : undefined,
      deeper: this.#deeper,
      passages: tokenizer.values > 1 ? [this.#passages.top] : this.#passages.longest,
      strings: this.#strings,
      unusual: this.#unusual.unusual(),
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
    const shape = this.#entry(offset, line, false)
    this.#endList()
    if (isObject) shape.mergeColumns(this.#room)
    else if (shape.objects + shape.arrays === 0)
      shape.isRow = this.#level < 0 ? this.#many : !this.#objects[this.#level]! && !this.#shapes[this.#level]!.isRow
    if (shape.objects + shape.arrays === 0) shape.startLine = line
    if (isObject) shape.objects++
    else shape.arrays++
    const level = ++this.#level
    this.#shapes[level] = shape
    this.#objects[level] = isObject
    this.#counts[level] = 0
    this.#lasts[level] = undefined
    this.#passages.open(level, isObject, offset)
    this.#unusual.open(level, offset, line)
    // Output of programs is often an array of lines.
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
    this.#names[level + 1] = field === shape.others ? text.slice(start, end) : field.key
  }

  string(text: string, start: number, end: number, offset: number, line: number): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    const length = end - start
    const values = (shape.scalars ??= new ValueSummary())
    if (values.addString(text, start - 1, end + 1)) this.#rare(shape, values)
    this.#addTitle(shape, text, start, end)
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

  plain(text: string, start: number, end: number, offset: number, line: number, isNumber: boolean): void {
    if (this.#below > 0) return
    const shape = this.#entry(offset, line)
    this.#endList()
    const values = (shape.scalars ??= new ValueSummary())
    if (isNumber ? values.addNumber(text, start, end) : values.addWord(text, start, end)) this.#rare(shape, values)
    this.#key = undefined
  }

  abandon(offset: number): void {
    this.#below = 0
    while (this.#level >= 0) this.#pop(offset, this.#tokenizer.line)
  }

  stray(line: number): void {
    this.#strayLines[Math.min(this.#strays++, MOST_STRAYS - 1)] = line
  }

  /** Keep a string of an array, or the name of an object in an array. */
  #addTitle(shape: Shape, text: string, start: number, end: number): void {
    const level = this.#objects[this.#level] && shape.key === 'name' ? this.#level - 1 : this.#level
    const owner = this.#shapes[level]
    if (level < 0 || owner === undefined || this.#objects[level]!) return
    if (owner.arrays > 1) {
      const title = owner.isRow ? undefined : owner.titles?.[this.#counts[level]! - 1]
      if (title !== undefined && !isSame(title, text, start, end)) owner.titles = []
    } else if (end - start <= LONGEST_TITLE && this.#passages.keeps(level)) {
      owner.titles ??= []
      if (owner.titles.length <= MOST_COLUMNS) owner.titles.push(detach(text.slice(start, end)))
    }
  }

  #entry(offset: number, line: number, isSimple = true): Shape {
    const level = this.#level
    let shape: Shape
    if (level < 0) {
      shape = this.#root
      this.#passages.addEntry(level, offset, line)
    } else if (this.#objects[level]!) shape = this.#key ?? this.#shapes[level]!.field('', this.#room)
    else {
      const parent = this.#shapes[level]!
      shape = parent.itemAt(this.#counts[level]!++, isSimple, this.#room)
      this.#passages.addEntry(level, offset, line)
    }
    shape.seen++
    return shape
  }

  /** Record a rare value. The first occurrences of a value under a path make its entries notable. */
  #rare(shape: Shape, values: ValueSummary | undefined): void {
    const isRecord = (level: number): boolean => this.#objects[level]! || this.#shapes[level]!.isRow
    // A value in a list is a value of the object with the list.
    const to = this.#level > 0 && !isRecord(this.#level) ? this.#level - 1 : this.#level
    if (to < 0 || !isRecord(to)) return
    let from = to
    while (from > 0 && this.#objects[from - 1]!) from--
    this.#unusual.add(from, to, this.#pathOf(shape), values?.last)
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
    this.#unusual.close(level, offset, this.#place, this.#passages.textOf)
    const list = this.#lists[level]
    if (list !== undefined && list.length >= LEAST_STRING) this.#keep(list)
    this.#level--
  }

  /** Return the lines of the innermost open array if it has only strings. */
  get #listOfStrings(): LongText | undefined {
    return this.#level < 0 || this.#below > 0 ? undefined : this.#lists[this.#level]
  }

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

  /** Return the path of the innermost open level. The key of an array item is `''`. */
  readonly #path = (): string[] => this.#shapes.slice(1, this.#level + 1).map(({ key }) => key)

  readonly #place = (): RecordPlace => ({
    path: this.#path().map((key, level) => (this.#objects[level]! ? this.#names[level + 1]! : key)),
    indexes: this.#counts.slice(0, this.#level).flatMap((count, level) => (this.#objects[level]! ? [] : [count - 1])),
  })

  #pathOf(shape: Shape): string[] {
    return this.#level < 0 ? [] : [...this.#path(), shape.key]
  }
}
