import { SkeletonBuilder, type Skeleton } from './skeleton.ts'

const LF = 10
const BACKSLASH = 92
const HASH = 35
const QUOTE = 34
const APOSTROPHE = 39
/** Longest string and list that a skeleton keeps whole. */
const LONGEST_STRING = 24
const LONGEST_LIST = 32
const MOST_LISTS = 1_000
/** How much of a statement is looked at. */
const LONGEST_HEAD = 64
const FUNCTION = /^(?:async[ \t]+)?def\b/
/** Statements that define something, or in whose suites definitions stand. The others are as good as `pass`. */
const KEPT = /^(?:@|(?:async|def|class|if|elif|else|try|except|finally|with|for|while|match|case|type)\b)/

/**
 * Leave out the suites of functions in Python, statements without a suite, and the inside of long strings and lists.
 *
 * One pass over the statements: a suite is what is indented deeper than the statement that it follows.
 *
 * @param asked - Functions whose suites stay, by where they begin.
 */
export function foldSuites(code: string, asked: ReadonlySet<number>): Skeleton {
  const builder = new SkeletonBuilder(code)
  const scanner = new StatementScanner(code)
  /** How far the function is indented whose suite is left out. */
  let hiddenBelow = Infinity
  /** How far the statement before is indented, where it was left out. */
  let passed = -1
  for (let start = 0; start < code.length;) {
    const { first, end, indent, cuts, colon } = scanner.scan(start)
    const empty = first >= end
    if (!empty && indent <= hiddenBelow) {
      hiddenBelow = Infinity
      const head = code.slice(first, first + LONGEST_HEAD)
      const passes = !KEPT.test(head)
      if (passes) {
        if (passed !== indent) {
          builder.keep(start, first)
          builder.fill('pass\n', first)
        }
      } else {
        keepWithout(builder, start, end, cuts)
        if (colon !== -1 && FUNCTION.test(head) && !asked.has(first)) {
          builder.fold(first)
          builder.fill(' pass', colon)
          hiddenBelow = indent
        }
        builder.fill('\n', end)
      }
      passed = passes ? indent : -1
    }
    start = end + 1
  }
  return builder.finish()
}

function keepWithout(builder: SkeletonBuilder, start: number, end: number, cuts: readonly number[]): void {
  let from = start
  for (let at = 0; at < cuts.length; at += 2) {
    builder.keep(from, cuts[at]!)
    from = cuts[at + 1]!
  }
  builder.keep(from, end)
}

interface Statement {
  /** Its first character, and the end of its last line. */
  readonly first: number
  readonly end: number
  readonly indent: number
  /** Two numbers for each span that is left out. */
  readonly cuts: readonly number[]
  /** Behind the colon at its end; -1 where no suite follows. */
  readonly colon: number
}

class StatementScanner {
  readonly #code: string
  readonly #unclosed = new Set<string>()

  constructor(code: string) {
    this.#code = code
  }

  /** Read the statement that begins with the line at `start`. */
  scan(start: number): Statement {
    const code = this.#code
    let indent = 0
    let first = start
    for (; ; first++) {
      const unit = code.charCodeAt(first)
      if (unit === 32) indent++
      else if (unit === 9) indent += 8 - (indent % 8)
      else if (unit !== 12) break
    }
    const cuts: number[] = []
    /** Where the open lists begin, and how many cuts there were. */
    const lists: { readonly start: number; readonly cuts: number }[] = []
    /** The last character that is neither blank nor comment. */
    let last = -1
    let meaningful = first
    let index = first
    for (; index < code.length; index++) {
      const unit = code.charCodeAt(index)
      if (unit === LF) {
        if (lists.length === 0) break
        continue
      }
      if (unit === 32 || unit === 9 || unit === 13) continue
      if (unit === HASH) {
        const end = code.indexOf('\n', index)
        cuts.push(index, end === -1 ? code.length : end)
        index = (end === -1 ? code.length : end) - 1
        continue
      }
      last = unit
      if (unit === BACKSLASH) {
        index += code.charCodeAt(index + 1) === 13 ? 2 : 1
        continue
      }
      if (unit === QUOTE || unit === APOSTROPHE) {
        const triple = this.#tripleEnd(index)
        const end = triple === -1 ? this.#stringEnd(index, unit) : triple
        const edge = triple === -1 ? 1 : 3
        if (end - index > LONGEST_STRING && code.charCodeAt(end - 1) === unit) cuts.push(index + edge, end - edge)
        index = end - 1
      } else if (unit === 40 || unit === 91 || unit === 123) {
        if (lists.length < MOST_LISTS) lists.push({ start: index, cuts: cuts.length })
      } else if (unit === 41 || unit === 93 || unit === 125) {
        const list = lists.pop()
        if (list !== undefined && index - list.start > LONGEST_LIST) {
          cuts.length = list.cuts
          cuts.push(list.start + 1, index)
        }
      } else if (lists.length > 0 && this.#restarts(index)) {
        // A list that was never closed, before a definition at the beginning of a line.
        index--
        break
      }
      meaningful = index + 1
    }
    const empty = last === -1
    const end = Math.min(index, code.length)
    return { first: empty ? end : first, end, indent, cuts, colon: last === 58 ? meaningful : -1 }
  }

  /** Whether a definition begins in the first column here, as none does within a list. */
  #restarts(index: number): boolean {
    return (
      this.#code.charCodeAt(index - 1) === LF && /^(?:async def|def|class) /.test(this.#code.slice(index, index + 10))
    )
  }

  #tripleEnd(index: number): number {
    const mark = this.#code.slice(index, index + 3)
    if ((mark !== '"""' && mark !== "'''") || this.#unclosed.has(mark)) return -1
    for (let at = index + 3; ;) {
      const end = this.#code.indexOf(mark, at)
      if (end === -1) break
      let backslashes = 0
      while (this.#code.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
      if (backslashes % 2 === 0) return end + 3
      at = end + 1
    }
    this.#unclosed.add(mark)
    return -1
  }

  /** A string that does not end on its line is taken to end there. */
  #stringEnd(index: number, quote: number): number {
    const code = this.#code
    for (let at = index + 1; at < code.length; at++) {
      const unit = code.charCodeAt(at)
      if (unit === quote) return at + 1
      if (unit === BACKSLASH) at++
      else if (unit === LF) return at
    }
    return code.length
  }
}
