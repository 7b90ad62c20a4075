import type { Lexis } from './lexis.ts'
import { LiteralEnds } from './literal-end.ts'
import { SkeletonBuilder, type Skeleton } from './skeleton.ts'

const LF = 10
const HASH = 35
const OPEN = 123
const CLOSE = 125
const SEMICOLON = 59
/** Longest string and list that a skeleton keeps whole. */
const LONGEST_STRING = 24
const LONGEST_LIST = 32
/** How much of what stands before a block is looked at. */
const LONGEST_HEAD = 400
const MOST_LISTS = 1_000
const LONGEST_INDENT = 256

/** What the scanner does at a character. */
const PLAIN = 0
const LITERAL = 1
const BRACKET = 2

/** Which blocks stay in a skeleton. */
export interface KeptBlocks {
  /** Tested on what stands before a block: those that hold definitions stay. */
  readonly opens: RegExp
  /** Blocks that stay whatever stands before them, by where they begin. */
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
 * Leave out the blocks in braces that hold no definitions, comments, lines of a preprocessor, and the inside of long strings
 * and lists.
 *
 * One pass. Where comments or strings mislead it, as an apostrophe in the text of a template may, indentation sets it right:
 * a brace that begins its line closes the block that begins at the same column.
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
  /** Lists in round and square brackets that are open in what is kept. */
  readonly #lists: List[] = []
  /** Where what is kept began last; -1 inside of a block that is left out. */
  #keptFrom = 0
  #lineStart = 0
  readonly #indents: LineIndents
  /** Where the statement begins that a block may end, and how far its line is indented. */
  #head = 0
  #headIndent = Infinity
  /** The latest block whose beginning is kept. */
  #lastBlock = -1
  /** The open `#if`s: the height of the stack there, and where the latest of their other branches begins. */
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

  /** A line that is indented no deeper than the statement before it begins another one, unless it opens its block. */
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

  /** Whether only blanks stand before a character on its line. */
  #isFirst(index: number): boolean {
    return index - this.#lineStart < LONGEST_INDENT && this.#code.slice(this.#lineStart, index).trim() === ''
  }

  /** Go on with what is kept, where the block that was left out has been closed. */
  #shown(closed: boolean, index: number): void {
    this.#lists.length = Math.min(this.#lists.length, Math.max(this.#blocks.lists, 0))
    if (closed && this.#keptFrom < 0 && !this.#blocks.hidden) this.#keptFrom = index
  }

  #closeList(index: number): void {
    if (this.#keptFrom < 0 || this.#lists.length <= this.#blocks.lists) return
    const { start, mark, keptFrom } = this.#lists.pop()!
    if (index - start < LONGEST_LIST || this.#lastBlock > start || this.#opens(start)) return
    const code = this.#code
    // Attributes, as `#[derive(Debug)]` and `[Serializable]`, may not be empty.
    if (code[start] === '[' && (code[start - 1] === '#' || this.#startsLine(start))) return
    // Of `(*name)(parameters)` and `for (a; b; c)` the inside counts.
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

  /** Whether only blanks stand before a character, on whatever line it is. */
  #startsLine(index: number): boolean {
    return /(?:^|\n)[ \t]*$/.test(this.#code.slice(Math.max(0, index - LONGEST_HEAD), index))
  }

  /** Leave out a line of the preprocessor. Blocks that a branch of a condition leaves open are those of its first one. */
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
    // Another beginning of the statement that goes on behind the condition.
    if (/[^;}\s]\s*$/.test(this.#code.slice(Math.max(this.#keptFrom, index - LONGEST_INDENT), index))) {
      this.#builder.drop(branch.mark)
      this.#keptFrom = index
    }
  }

  /** Leave out what stands outside of the code of a template. */
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

/** How far down a stack is searched for the block that a brace closes. */
const DEEPEST_SEARCH = 64
/** Blocks that stand in each other; deeper ones count as the deepest. */
const DEEPEST = 100_000

/** A block that a scanner stands in: its measures are those of the line with its brace. */
interface Block extends LineIndent {
  /** How far the line with the beginning of its statement is indented. */
  readonly headIndent: number
  /** Lists that were open where it began. */
  readonly lists: number
}

/** The blocks that a scanner stands in, and whether one of them is left out. */
class BlockStack {
  readonly #blocks: Block[] = []
  /** The height below which everything is kept. */
  #hiddenAt = Infinity

  get height(): number {
    return this.#blocks.length
  }

  /** Whether one of the blocks is left out. */
  get hidden(): boolean {
    return this.#hiddenAt < Infinity
  }

  /** Lists that were open where the innermost block began. */
  get lists(): number {
    return this.#blocks.at(-1)?.lists ?? 0
  }

  push(block: Block): void {
    if (this.#blocks.length < DEEPEST) this.#blocks.push(block)
  }

  /** Leave out the innermost block. */
  hide(): void {
    this.#hiddenAt = this.#blocks.length
  }

  /**
   * Close a block, and return whether that ends the one that is left out.
   *
   * @param line - The line of the brace, where it begins it: it closes the block that begins in the same column then.
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
    // A brace that stands further in than the block would not close it: its own was missed.
    const isOther = tabs === top.tabs && indent > Math.max(top.wordIndent, top.headIndent)
    return isOther ? false : this.cut(this.#blocks.length - 1)
  }

  /** Close blocks down to a height, and return whether that ends the one that is left out. */
  cut(height: number): boolean {
    this.#blocks.length = Math.min(this.#blocks.length, height)
    if (this.#blocks.length >= this.#hiddenAt) return false
    this.#hiddenAt = Infinity
    return true
  }
}

/** How far a line is indented, in columns; a tab goes to the next multiple of eight. */
interface LineIndent {
  readonly indent: number
  /** With what stands before the first word or brace of the line: two more in `? { a: 1 }`. */
  readonly wordIndent: number
  /** Whether tabs are part of it: lines that differ in this may be of editors that differ on what a tab is. */
  readonly tabs: boolean
}

/** Longest run of marks before the first word. */
const MOST_MARKS = 4

/** Measures lines, each once as long as the same one is asked for. */
export class LineIndents {
  readonly #code: string
  #lineStart = -1
  #measured: LineIndent = { indent: 0, wordIndent: 0, tabs: false }

  constructor(code: string) {
    this.#code = code
  }

  /** Measure the line that begins at `lineStart`. */
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
