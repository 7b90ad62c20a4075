import type { Lexis } from './lexis.ts'
import { LiteralEnds } from './literal-end.ts'
import { SkeletonBuilder, type Skeleton } from './skeleton.ts'

const LF = 10
const HASH = 35
const OPEN = 123
const CLOSE = 125
const SEMICOLON = 59
/** Longest string or list that a skeleton keeps whole, in UTF-16 units. */
const LONGEST_STRING = 24
const LONGEST_LIST = 32
const LONGEST_HEAD = 400
const MOST_LISTS = 1_000
const LONGEST_INDENT = 256
const PLAIN = 0
const LITERAL = 1
const BRACKET = 2

export interface KeptBlocks {
  /** Tested on the text before a block: blocks with definitions stay. */
  readonly opens: RegExp
  /** Starts of blocks that stay in any case. */
  readonly asked: ReadonlySet<number>
}

interface List {
  readonly start: number
  readonly mark: number
  readonly keptFrom: number
}

interface Condition {
  readonly height: number
  branch: { readonly mark: number } | undefined
}

/**
 * Leaves out blocks without definitions, comments, preprocessor lines, and the inside of long strings and lists.
 *
 * Takes one pass. If comments or strings mislead it, indentation helps: a brace at the start of a line closes the block
 * that begins in its column.
 */
export function foldBraces(code: string, lexis: Lexis, kept: KeptBlocks): Skeleton {
  return new BraceFolder(code, lexis, kept).fold()
}

class BraceFolder {
  readonly #code: string
  readonly #lexis: Lexis
  readonly #kept: KeptBlocks
  readonly #literals: LiteralEnds
  readonly #actions = new Uint8Array(128)
  readonly #builder: SkeletonBuilder
  readonly #blocks = new BlockStack()
  readonly #lists: List[] = []
  /** Start of the current kept span; -1 inside a block that is left out. */
  #keptFrom = 0
  #lineStart = 0
  readonly #indents: LineIndents
  /** Start of the statement that may open a block. */
  #head = 0
  #headIndent = Infinity
  #lastBlock = -1
  /** Open `#if`s: the stack height there and the start of the latest branch. */
  readonly #conditions: Condition[] = []

  constructor(code: string, lexis: Lexis, kept: KeptBlocks) {
    this.#code = code
    this.#lexis = lexis
    this.#kept = kept
    this.#literals = new LiteralEnds(code, lexis)
    this.#builder = new SkeletonBuilder(code)
    this.#indents = new LineIndents(code)
    for (const mark of [...lexis.lineComments, '/', '"', "'", '`']) this.#actions[mark.charCodeAt(0)] = LITERAL
    if (lexis.rawStrings !== undefined) this.#actions[HASH] = LITERAL
    if (lexis.heredocs === true) this.#actions['<'.charCodeAt(0)] = LITERAL
    for (const mark of '\n{}()[];') this.#actions[mark.charCodeAt(0)] = BRACKET
    if (lexis.preprocessor === true) this.#actions[HASH] = BRACKET
    if (lexis.embedded === true) this.#actions['?'.charCodeAt(0)] = BRACKET
  }

  fold(): Skeleton {
    const code = this.#code
    const actions = this.#actions
    let index = this.#lexis.embedded === true ? this.#skipMarkup(0) : 0
    while (index < code.length) {
      const unit = code.charCodeAt(index)
      const action = unit < 128 ? actions[unit] : PLAIN
      if (action === PLAIN) index++
      else if (action === LITERAL) index = this.#literal(index, unit)
      else index = this.#bracket(index, unit)
    }
    if (this.#keptFrom >= 0) this.#builder.keep(this.#keptFrom, code.length)
    return this.#builder.finish()
  }

  #literal(index: number, unit: number): number {
    const literal = this.#literals.at(index, unit)
    if (literal === undefined) return index + 1
    const { end, comment, edge } = literal
    let lineStart = -1
    for (let at = end - 1; at >= index && lineStart === -1; at--)
      if (this.#code.charCodeAt(at) === LF) lineStart = at + 1
    if (lineStart !== -1) this.#lineStart = lineStart
    if (this.#keptFrom >= 0) {
      if (comment) {
        this.#builder.keep(this.#keptFrom, index)
        if (lineStart !== -1) this.#builder.fill('\n', index)
        this.#keptFrom = end
      } else if (end - index > LONGEST_STRING && edge < LONGEST_STRING) {
        this.#builder.keep(this.#keptFrom, index + edge)
        this.#keptFrom = end - edge
      }
    }
    return end
  }

  #bracket(index: number, unit: number): number {
    switch (unit) {
      case LF:
        this.#lineStart = index + 1
        if (this.#keptFrom >= 0 && this.#lists.length === this.#blocks.lists) this.#nextLine(index + 1)
        return index + 1
      case OPEN:
        this.#open(index)
        return index + 1
      case CLOSE:
        this.#close(index)
        return index + 1
      case SEMICOLON:
        if (this.#lists.length === this.#blocks.lists) this.#newHead(index + 1)
        return index + 1
      case HASH:
        return this.#isFirst(index) ? this.#directive(index) : index + 1
      case 63:
        return this.#code.charCodeAt(index + 1) === 62 ? this.#skipMarkup(index + 2) : index + 1
      case 40:
      case 91:
        if (this.#keptFrom >= 0 && this.#lists.length < MOST_LISTS)
          this.#lists.push({ start: index, mark: this.#builder.mark, keptFrom: this.#keptFrom })
        return index + 1
      default:
        this.#closeList(index)
        return index + 1
    }
  }

  #newHead(index: number): void {
    this.#head = index
    this.#headIndent = Infinity
  }

  /** A line indented no deeper than the previous statement begins another one, unless it opens its block. */
  #nextLine(start: number): void {
    let first = start
    while (this.#code.charCodeAt(first) === 32 || this.#code.charCodeAt(first) === 9) first++
    const unit = this.#code.charCodeAt(first)
    if (unit === LF || unit === 13 || unit === OPEN) return
    const { indent } = this.#indents.at(this.#lineStart)
    if (indent > this.#headIndent) return
    this.#head = first
    this.#headIndent = indent
  }

  #open(index: number): void {
    const line = this.#indents.at(this.#lineStart)
    const headIndent = Math.min(line.indent, this.#headIndent)
    const opens = this.#keptFrom < 0 || this.#opens(index)
    if (this.#keptFrom >= 0) this.#lastBlock = index
    this.#blocks.push({ ...line, headIndent, lists: this.#lists.length })
    if (!opens) {
      this.#builder.keep(this.#keptFrom, index + 1)
      this.#builder.fold(index)
      this.#keptFrom = -1
      this.#blocks.hide()
    }
    this.#newHead(index + 1)
  }

  #opens(index: number): boolean {
    if (this.#kept.asked.has(index)) return true
    return this.#kept.opens.test(this.#code.slice(Math.max(this.#head, index - LONGEST_HEAD), index))
  }

  #close(index: number): void {
    this.#shown(this.#blocks.close(this.#isFirst(index) ? this.#indents.at(this.#lineStart) : undefined), index)
    this.#newHead(index + 1)
  }

  #isFirst(index: number): boolean {
    return index - this.#lineStart < LONGEST_INDENT && this.#code.slice(this.#lineStart, index).trim() === ''
  }

  #shown(closed: boolean, index: number): void {
    this.#lists.length = Math.min(this.#lists.length, Math.max(this.#blocks.lists, 0))
    if (closed && this.#keptFrom < 0 && !this.#blocks.hidden) this.#keptFrom = index
  }

  #closeList(index: number): void {
    if (this.#keptFrom < 0 || this.#lists.length <= this.#blocks.lists) return
    const { start, mark, keptFrom } = this.#lists.pop()!
    if (index - start < LONGEST_LIST || this.#lastBlock > start || this.#opens(start)) return
    const code = this.#code
    // Attributes, for example `#[derive(Debug)]` and `[Serializable]`, may not be empty.
    if (code[start] === '[' && (code[start - 1] === '#' || this.#startsLine(start))) return
    // In `(*name)(parameters)` and `for (a; b; c)`, the inside counts.
    if (
      /^[ \t]*\(/.test(code.slice(index + 1, index + 4)) ||
      /\bfor\s*$/.test(code.slice(Math.max(0, start - 8), start))
    )
      return
    this.#builder.drop(mark)
    this.#builder.keep(keptFrom, start + 1)
    const { placeholder } = this.#lexis
    if (placeholder !== undefined && code[start] === '(') this.#builder.fill(placeholder, start + 1)
    this.#keptFrom = index
  }

  #startsLine(index: number): boolean {
    return /(?:^|\n)[ \t]*$/.test(this.#code.slice(Math.max(0, index - LONGEST_HEAD), index))
  }

  /** Blocks left open by several branches of a condition count once, for the first branch. */
  #directive(index: number): number {
    const code = this.#code
    let end = code.indexOf('\n', index)
    while (end !== -1 && /\\\r?$/.test(code.slice(end - 2, end))) end = code.indexOf('\n', end + 1)
    if (end === -1) end = code.length
    const word = /^#[ \t]*(if|else|elif|endif)/.exec(code.slice(index, index + 32))?.[1]
    if (word === 'if') this.#conditions.push({ height: this.#blocks.height, branch: undefined })
    else if (word !== undefined) this.#branch(word, index)
    if (this.#keptFrom >= 0) {
      this.#builder.keep(this.#keptFrom, index)
      this.#keptFrom = end
    }
    const condition = this.#conditions.at(-1)
    if (condition !== undefined && (word === 'else' || word === 'elif'))
      condition.branch = this.#keptFrom < 0 ? undefined : { mark: this.#builder.mark }
    return end
  }

  #branch(word: string, index: number): void {
    const condition = this.#conditions.at(-1)
    if (condition === undefined) return
    const { height, branch } = condition
    if (word === 'endif') this.#conditions.pop()
    else if (this.#blocks.height > height) this.#shown(this.#blocks.cut(height), index)
    if (branch === undefined || this.#keptFrom < 0) return
    // Another start of a statement that continues after the condition.
    if (/[^;}\s]\s*$/.test(this.#code.slice(Math.max(this.#keptFrom, index - LONGEST_INDENT), index))) {
      this.#builder.drop(branch.mark)
      this.#keptFrom = index
    }
  }

  #skipMarkup(index: number): number {
    const next = this.#code.indexOf('<?', index)
    const start = next === -1 ? this.#code.length : next
    if (this.#keptFrom >= 0) {
      this.#builder.keep(this.#keptFrom, index)
      this.#keptFrom = start
    }
    return start + 2
  }
}

const DEEPEST_SEARCH = 64
/** Deeper nesting counts as this depth. */
const DEEPEST = 100_000

interface Block extends LineIndent {
  readonly headIndent: number
  readonly lists: number
}

class BlockStack {
  readonly #blocks: Block[] = []
  #hiddenAt = Infinity

  get height(): number {
    return this.#blocks.length
  }

  get hidden(): boolean {
    return this.#hiddenAt < Infinity
  }

  get lists(): number {
    return this.#blocks.at(-1)?.lists ?? 0
  }

  push(block: Block): void {
    if (this.#blocks.length < DEEPEST) this.#blocks.push(block)
  }

  hide(): void {
    this.#hiddenAt = this.#blocks.length
  }

  /**
   * Returns whether this ends the block that is left out.
   *
   * @param line - Set if the brace begins the line: then it closes the block in the same column.
   */
  close(line: LineIndent | undefined): boolean {
    const top = this.#blocks.at(-1)
    if (top === undefined) return false
    if (line === undefined) return this.cut(this.#blocks.length - 1)
    const { indent, tabs } = line
    const lowest = Math.max(0, this.#blocks.length - DEEPEST_SEARCH)
    for (let at = this.#blocks.length - 1; at >= lowest; at--) {
      const block = this.#blocks[at]!
      if (block.indent === indent || block.headIndent === indent || block.wordIndent === indent) return this.cut(at)
    }
    // A brace indented further than the block closes another one, whose start was missed.
    const isOther = tabs === top.tabs && indent > Math.max(top.wordIndent, top.headIndent)
    return isOther ? false : this.cut(this.#blocks.length - 1)
  }

  cut(height: number): boolean {
    this.#blocks.length = Math.min(this.#blocks.length, height)
    if (this.#blocks.length >= this.#hiddenAt) return false
    this.#hiddenAt = Infinity
    return true
  }
}

/** Indentation in columns; a tab advances to the next multiple of eight. */
interface LineIndent {
  readonly indent: number
  /** Includes list marks before the first word: two more columns in `? { a: 1 }`. */
  readonly wordIndent: number
  /** Whether tabs are part of it: editors differ in the width of tabs. */
  readonly tabs: boolean
}

const MOST_MARKS = 4

export class LineIndents {
  readonly #code: string
  #lineStart = -1
  #measured: LineIndent = { indent: 0, wordIndent: 0, tabs: false }

  constructor(code: string) {
    this.#code = code
  }

  at(lineStart: number): LineIndent {
    if (lineStart !== this.#lineStart) {
      this.#lineStart = lineStart
      this.#measured = measure(this.#code, lineStart)
    }
    return this.#measured
  }
}

function measure(code: string, lineStart: number): LineIndent {
  let indent = 0
  let tabs = false
  let first = lineStart
  for (; ; first++) {
    const unit = code.charCodeAt(first)
    if (unit === 32) indent++
    else if (unit === 9) {
      indent += 8 - (indent % 8)
      tabs = true
    } else break
  }
  const marks = /^[?:|&,.]*[ \t]*/.exec(code.slice(first, first + MOST_MARKS))?.[0].length ?? 0
  return { indent, wordIndent: indent + marks, tabs }
}
