import type { Outliner, OutlineSymbol } from '../source/outline.ts'
import { findDefinitions, type FoundDefinition } from './find-definitions.ts'
import { foldBraces } from './fold-braces.ts'
import { foldLines } from './fold-lines.ts'
import { foldSuites } from './fold-suites.ts'
import type { Grammar } from './grammar.ts'
import { GRAMMARS } from './grammars/grammars.ts'
import type { GrammarLoader, LoadedGrammar } from './load-grammar.ts'
import { outlineOf } from './outline-of.ts'
import type { Skeleton } from './skeleton.ts'

/** With fewer definitions than this, those within functions count too. */
const ENOUGH = 8
/** Times that code is parsed at most, each time with more of its blocks. */
const MOST_ROUNDS = 3
/** UTF-16 units of a skeleton that are parsed, whatever the length of the code is; of more code, this share. */
const PARSED_ALWAYS = 131_072
const PARSED_SHARE = 0.3
/** Steps of the parser, in hundreds, that a UTF-16 unit may take; real code takes a third of it. */
const STEPS_PER_UNIT = 0.025
const STEPS_ALWAYS = 100
/** How many of those may end within an error. Most errors take fewer steps to recover from than are counted at once. */
const ERRORS_PER_UNIT = 0.001
const ERRORS_ALWAYS = 50
/** Longest line that grammars take which count columns. */
const LONGEST_LINE = 2_000
/** Milliseconds after which parsing ends in any case; code that is not made to break a parser takes a tenth of it. */
const MOST_TIME = 500

/**
 * Make an {@link Outliner} that finds definitions by the grammars of tree-sitter.
 *
 * A parser takes some 300 ms for a megabyte. What an outline does not need, the bodies of functions above all, is left out
 * before: found by braces and indentation, in one pass. Where the grammar then says that a block holds definitions, the
 * code is parsed again with it.
 */
export function outlineByGrammars(loader: GrammarLoader): Outliner {
  return async (text, language) => {
    const known = GRAMMARS.get(language)
    if (known === undefined) return undefined
    const grammar = known.unless?.pattern.test(text) === true ? known.unless.grammar : known
    const loaded = (await loader.load(grammar)) ?? (grammar.otherwise && (await loader.load(grammar.otherwise)))
    return loaded && outlineWith(text, grammar, loaded)
  }
}

function outlineWith(code: string, grammar: Grammar, loaded: LoadedGrammar): OutlineSymbol[] | undefined {
  const limit = Math.max(PARSED_ALWAYS, code.length * PARSED_SHARE)
  const end = performance.now() + MOST_TIME
  const asked = new Set<number>()
  let outline: OutlineSymbol[] | undefined
  let looksInside = false
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const skeleton = fold(code, grammar, asked)
    if (skeleton.text.length > limit || (grammar.columns === true && hasLongLine(skeleton.text))) break
    const parsed = parse(skeleton, loaded, end)
    // Bodies of functions may hold what the grammar does not know; what was found without them stays then.
    if (parsed === undefined || (looksInside && parsed.hasErrors)) break
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

/** Parse a skeleton; `undefined` where that takes too long. `wanted` are blocks that hold definitions and were left out. */
function parse(skeleton: Skeleton, { parser, plan }: LoadedGrammar, end: number): Parsed | undefined {
  const tree = parser.parse(skeleton.text, null, { progressCallback: brake(skeleton.text.length, end) })
  if (tree === null) {
    parser.reset()
    return undefined
  }
  try {
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

/**
 * Say when a parser has to stop. Steps and errors are counted, so that it comes out the same everywhere; time only ends
 * what no count foresees.
 */
function brake(length: number, end: number): (state: { readonly hasError: boolean }) => boolean {
  let steps = STEPS_ALWAYS + length * STEPS_PER_UNIT
  let errors = ERRORS_ALWAYS + length * ERRORS_PER_UNIT
  return ({ hasError }) => {
    steps--
    if (hasError) errors--
    return steps < 0 || errors < 0 || performance.now() > end
  }
}
