import { KeyedLock, yieldToOthers, yieldWhenDue } from '@spillway/text/internal'
import type { Tree } from 'web-tree-sitter'
import type { OutlineSymbol, Outliner } from '../source/outline.ts'
import { findDefinitions, type FoundDefinition } from './find-definitions.ts'
import { foldBraces } from './fold-braces.ts'
import { foldLines } from './fold-lines.ts'
import type { Grammar } from './grammar.ts'
import { GRAMMARS } from './grammars/grammars.ts'
import type { GrammarLoader, LoadedGrammar } from './load-grammar.ts'
import { SkeletonBuilder, type Skeleton } from './skeleton.ts'

/** With fewer definitions, those within functions count too. */
const ENOUGH = 8
/** Parses at most so often, each time with more blocks. */
const MOST_ROUNDS = 3
/** UTF-16 units of a skeleton that are always parsed; of longer code, a share. */
const PARSED_ALWAYS = 131_072
const PARSED_SHARE = 0.3
/** Parser steps, in hundreds, per UTF-16 unit. Real code takes a third of it. */
const STEPS_PER_UNIT = 0.025
const STEPS_ALWAYS = 100
/**
 * Share of the steps that may end in an error. Most errors take fewer steps to recover from than are counted at once.
 */
const ERRORS_PER_UNIT = 0.001
const ERRORS_ALWAYS = 50
/** Steps between two pauses, about 6 ms. Counted too, so that pauses never depend on the time. */
const STEPS_OF_A_SLICE = 64
const LONGEST_LINE = 2_000
/** Milliseconds of parsing that end it. Usual code takes a tenth. */
const MOST_TIME = 500

/**
 * Finds definitions by tree-sitter grammars.
 *
 * Parsing takes about 300 ms per megabyte, so function bodies are left out before, found by braces or indentation. If a
 * block that was left out holds definitions, the code is parsed again with it.
 */
export function outlineByGrammars(loader: GrammarLoader): Outliner {
  return async (text, language) => {
    const known = GRAMMARS.get(language)
    if (known === undefined) return undefined
    const grammar = known.unless?.pattern.test(text) === true ? known.unless.grammar : known
    const loaded = (await loader.load(grammar)) ?? (grammar.otherwise && (await loader.load(grammar.otherwise)))
    // A parser that pauses must not read another text.
    return loaded && (await locks.run(language, () => outlineWith(text, grammar, loaded)))
  }
}

const locks = new KeyedLock()

async function outlineWith(
  code: string,
  grammar: Grammar,
  loaded: LoadedGrammar,
): Promise<OutlineSymbol[] | undefined> {
  const limit = Math.max(PARSED_ALWAYS, code.length * PARSED_SHARE)
  const time = { left: MOST_TIME }
  const asked = new Set<number>()
  let outline: OutlineSymbol[] | undefined
  let looksInside = false
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await yieldWhenDue()
    const skeleton = fold(code, grammar, asked)
    await yieldWhenDue()
    if (skeleton.text.length > limit || (grammar.columns === true && hasLongLine(skeleton.text))) break
    const parsed = await parse(skeleton, loaded, time)
    // Function bodies may contain unknown syntax. The outline without them is then used.
    if (parsed === undefined || (looksInside && parsed.hasErrors)) break
    await yieldWhenDue()
    outline = outlineOf(parsed.definitions, skeleton, code)
    looksInside ||= parsed.wanted.length === 0
    if (looksInside && (outline.length >= ENOUGH || parsed.hasErrors)) break
    const before = asked.size
    for (const start of looksInside ? skeleton.folded : parsed.wanted) asked.add(start)
    if (asked.size === before) break
  }
  return outline
}

function hasLongLine(text: string): boolean {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    if ((end === -1 ? text.length : end) - start > LONGEST_LINE) return true
    if (end === -1) return false
    start = end + 1
  }
  return false
}

function fold(code: string, { blocks }: Grammar, asked: ReadonlySet<number>): Skeleton {
  if (blocks === 'suites') return foldSuites(code, asked)
  return 'lexis' in blocks
    ? foldBraces(code, blocks.lexis, { opens: blocks.opens, asked })
    : foldLines(code, blocks, asked)
}

/** Returns `undefined` on timeout. `wanted` are omitted blocks that contain definitions. */
async function parse(
  skeleton: Skeleton,
  { parser, plan }: LoadedGrammar,
  time: { left: number },
): Promise<Parsed | undefined> {
  const brake = new Brake(skeleton.text.length, time)
  const parseOn = (): Tree | null => parser.parse(skeleton.text, null, { progressCallback: brake.check })
  let tree = parseOn()
  while (tree === null && brake.pauses) {
    await yieldToOthers(undefined)
    brake.goOn()
    tree = parseOn()
  }
  if (tree === null) {
    parser.reset()
    return undefined
  }
  try {
    await yieldWhenDue()
    const folded = new Set(skeleton.folded)
    const wanted: number[] = []
    const definitions = findDefinitions(tree, plan, (start) => {
      const origin = skeleton.originOf(start)
      if (folded.has(origin)) wanted.push(origin)
    })
    return { definitions, wanted, hasErrors: tree.rootNode.hasError }
  } finally {
    tree.delete()
  }
}

interface Parsed {
  readonly definitions: readonly FoundDefinition[]
  readonly wanted: readonly number[]
  readonly hasErrors: boolean
}

/** Counts steps and errors, so that the result is the same everywhere. Time is only the last resort. */
class Brake {
  #steps: number
  #errors: number
  #untilPause = STEPS_OF_A_SLICE
  readonly #time: { left: number }
  #start = performance.now()

  constructor(length: number, time: { left: number }) {
    this.#steps = STEPS_ALWAYS + length * STEPS_PER_UNIT
    this.#errors = ERRORS_ALWAYS + length * ERRORS_PER_UNIT
    this.#time = time
  }

  /** Whether the parser stopped only to let other work run. */
  get pauses(): boolean {
    return this.#untilPause === 0 && this.#steps >= 0 && this.#errors >= 0 && this.#time.left > 0
  }

  goOn(): void {
    this.#untilPause = STEPS_OF_A_SLICE
    this.#start = performance.now()
  }

  /** Returns whether the parser has to stop. */
  readonly check = ({ hasError }: { readonly hasError: boolean }): boolean => {
    this.#steps--
    this.#untilPause--
    if (hasError) this.#errors--
    const now = performance.now()
    this.#time.left -= now - this.#start
    this.#start = now
    return this.#untilPause === 0 || this.#steps < 0 || this.#errors < 0 || this.#time.left <= 0
  }
}

const WRAPPERS: ReadonlySet<string> = new Set(['namespace', 'module'])
const LONGEST_SIGNATURE = 240
/** Longest start of a line that a signature keeps before the name. */
const LONGEST_BEFORE = 160

function outlineOf(definitions: readonly FoundDefinition[], skeleton: Skeleton, code: string): OutlineSymbol[] {
  const { originOf } = skeleton
  const defined = new Set(definitions.filter(({ announces }) => !announces).map(({ name }) => name))
  const placed = definitions
    .filter(({ name, announces }) => !announces || !defined.has(name))
    .map((definition) => ({
      definition,
      name: originOf(definition.nameStart),
      end: originOf(Math.max(definition.start, definition.end - 1)),
    }))
    .toSorted((one, other) => one.name - other.name)
  const lines = linesAt(code, [...placed.map(({ name }) => name), ...placed.map(({ end }) => end)])
  const total = lines.get(Infinity)!
  const wrappers: { start: number; end: number }[] = []
  return placed.flatMap(({ definition, name, end }, index) => {
    const before = placed[index - 1]
    const line = lines.get(name)!
    // `typedef struct x {} x` names it twice.
    const repeats = before?.definition.name === definition.name && before.definition.end === definition.end
    if (repeats && lines.get(before.name) === line) return []
    const lifted = wrappers.filter(
      (wrapper) => wrapper.start <= definition.start && definition.end <= wrapper.end,
    ).length
    const endLine = Math.max(line, lines.get(end)!)
    if (WRAPPERS.has(definition.kind) && (endLine - line) * 2 > total) wrappers.push(definition)
    return {
      name: definition.name,
      kind: definition.kind,
      line,
      endLine,
      depth: Math.max(0, definition.depth - lifted),
      signature: signatureOf(
        code,
        name,
        originOf(definition.start),
        originOf(Math.max(0, definition.bodyStart - 1)) + 1,
      ),
    }
  })
}

/** Returns the line number of each place; under `Infinity`, the number of lines. */
function linesAt(code: string, places: readonly number[]): Map<number, number> {
  const lines = new Map<number, number>()
  let line = 1
  let from = 0
  for (const place of [...places, code.length].toSorted((one, other) => one - other)) {
    for (let at = code.indexOf('\n', from); at !== -1 && at < place; at = code.indexOf('\n', from)) {
      line++
      from = at + 1
    }
    lines.set(place, line)
  }
  lines.set(Infinity, line)
  return lines
}

/** Returns the name's line and its continued parameters, without the body. */
function signatureOf(code: string, name: number, start: number, end: number): string {
  const earliest = Math.max(0, name - LONGEST_BEFORE)
  const lineStart = code.slice(earliest, name).lastIndexOf('\n')
  const from = lineStart === -1 ? (earliest === 0 ? 0 : Math.max(start, earliest)) : earliest + lineStart + 1
  const text = code.slice(from, Math.max(Math.min(end, from + LONGEST_SIGNATURE), name))
  return text
    .slice(0, headEnd(text, name - from))
    .replace(/\s+/g, ' ')
    .replace(/\s*(?:\{|=>?|:|\bdo)\s*$/, '')
    .trim()
}

function headEnd(text: string, from: number): number {
  let open = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '(' || character === '[') open++
    else if (character === ')' || character === ']') open--
    else if (character === '\n' && open <= 0) return at
  }
  return text.length
}

const LF = 10
const BACKSLASH = 92
const HASH = 35
const QUOTE = 34
const APOSTROPHE = 39
const LONGEST_STRING = 24
const LONGEST_LIST = 32
const MOST_LISTS = 1_000
const LONGEST_HEAD = 64
const FUNCTION = /^(?:async[ \t]+)?def\b/
/** Statements that define something or enclose definitions. Others count as `pass`. */
const KEPT = /^(?:@|(?:async|def|class|if|elif|else|try|except|finally|with|for|while|match|case|type)\b)/

/**
 * Leaves out function suites, statements without a suite, and the inside of long strings and lists of Python.
 *
 * A suite is the part indented deeper than its statement.
 *
 * @param asked - Starts of functions whose suites stay.
 */
export function foldSuites(code: string, asked: ReadonlySet<number>): Skeleton {
  const builder = new SkeletonBuilder(code)
  const scanner = new StatementScanner(code)
  /** Indentation of the function whose suite is left out. */
  let hiddenBelow = Infinity
  /** Indentation of the previous statement, if it was left out. */
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
  readonly first: number
  readonly end: number
  readonly indent: number
  /** Start and end of each omitted span. */
  readonly cuts: readonly number[]
  /** Offset after the final colon; -1 if no suite follows. */
  readonly colon: number
}

class StatementScanner {
  readonly #code: string
  readonly #unclosed = new Set<string>()

  constructor(code: string) {
    this.#code = code
  }

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
    const lists: { readonly start: number; readonly cuts: number }[] = []
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
        // A list that was never closed before a definition at the start of a line.
        index--
        break
      }
      meaningful = index + 1
    }
    const empty = last === -1
    const end = Math.min(index, code.length)
    return { first: empty ? end : first, end, indent, cuts, colon: last === 58 ? meaningful : -1 }
  }

  /** Whether a definition begins in the first column: inside a list, none does. */
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

  /** An unclosed string ends with its line. */
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
