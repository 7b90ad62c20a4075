import type { Outliner, OutlineSymbol } from '../preview/source/outline.ts'
import { findDefinitions, type FoundDefinition } from './find-definitions.ts'
import { foldBraces } from './fold-braces.ts'
import { foldLines } from './fold-lines.ts'
import { foldSuites } from './fold-suites.ts'
import type { Grammar } from './grammar.ts'
import { GRAMMARS } from './grammars/grammars.ts'
import { GrammarLoader, locateInstalled, type LoadedGrammar, type LocateGrammar } from './load-grammar.ts'
import { outlineOf } from './outline-of.ts'
import type { Skeleton } from './skeleton.ts'

/** What a {@link grammarOutliner} is told. */
export interface GrammarOutlinerOptions {
  /**
   * Finds a file of a package that ships grammars, such as `@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm`: its
   * address, its path or its bytes. Defaults to what `import.meta.resolve` says, which Node.js, Bun and Deno have; where
   * files are served, say where.
   */
  readonly locate?: LocateGrammar | undefined
}

/** With fewer definitions than this, those within functions count too. */
const ENOUGH = 8
/** Times that code is parsed at most, each time with more of its blocks. */
const MOST_ROUNDS = 3
/** UTF-16 units of a skeleton that are parsed, whatever the length of the code is; of more code, this share. */
const PARSED_ALWAYS = 131_072
const PARSED_SHARE = 0.3
/** Steps of the parser, in hundreds, that a UTF-16 unit may take: many times what real code takes. */
const STEPS_PER_UNIT = 0.05
const STEPS_ALWAYS = 500

/**
 * Make an {@link Outliner} that finds definitions by the grammars of tree-sitter.
 *
 * A parser takes some 300 ms for a megabyte. What an outline does not need, the bodies of functions above all, is left out
 * before: found by braces and indentation, in one pass. Where the grammar then says that a block holds definitions, the
 * code is parsed again with it.
 *
 * @throws MissingPeerError from the outliner, where `web-tree-sitter` or `@vscode/tree-sitter-wasm` is not installed. A
 * grammar from another package that is not installed counts as a language that it does not know.
 *
 * @example
 * ```ts
 * import { grammarOutliner } from '@spillway/core/code'
 *
 * const outline = grammarOutliner()
 * const symbols = await outline('func (db *DB) Open(path string) error {\n\treturn nil\n}\n', 'go')
 * console.assert(symbols?.[0]?.name === 'Open' && symbols[0].line === 1)
 * ```
 */
export function grammarOutliner(options: GrammarOutlinerOptions = {}): Outliner {
  const { locate = locateInstalled } = options
  if (typeof locate !== 'function') throw new TypeError('`locate` must be a function that finds the file of a grammar.')
  const loader = new GrammarLoader(locate)
  return async (text, language) => {
    const known = GRAMMARS.get(language)
    if (known === undefined) return undefined
    const grammar = known.unless?.pattern.test(text) === true ? known.unless.grammar : known
    const loaded = await loader.load(grammar)
    return loaded && outlineWith(text, grammar, loaded)
  }
}

function outlineWith(code: string, grammar: Grammar, loaded: LoadedGrammar): OutlineSymbol[] | undefined {
  const limit = Math.max(PARSED_ALWAYS, code.length * PARSED_SHARE)
  const asked = new Set<number>()
  let outline: OutlineSymbol[] | undefined
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const skeleton = fold(code, grammar, asked)
    if (skeleton.text.length > limit) break
    const parsed = parse(skeleton, loaded)
    if (parsed === undefined) break
    outline = outlineOf(parsed.definitions, skeleton, code)
    const wanted = parsed.wanted.length > 0 ? parsed.wanted : outline.length < ENOUGH ? skeleton.folded : []
    const before = asked.size
    for (const start of wanted) asked.add(start)
    if (asked.size === before) break
  }
  return outline
}

function fold(code: string, { blocks }: Grammar, asked: ReadonlySet<number>): Skeleton {
  if (blocks === 'suites') return foldSuites(code, asked)
  return 'lexis' in blocks
    ? foldBraces(code, blocks.lexis, { opens: blocks.opens, asked })
    : foldLines(code, blocks, asked)
}

/** Parse a skeleton; `undefined` where that takes too long. `wanted` are blocks that hold definitions and were left out. */
function parse(
  skeleton: Skeleton,
  { parser, plan }: LoadedGrammar,
): { definitions: FoundDefinition[]; wanted: number[] } | undefined {
  // Counted in steps of the parser and not in time, so that it comes out the same everywhere.
  let steps = STEPS_ALWAYS + skeleton.text.length * STEPS_PER_UNIT
  const tree = parser.parse(skeleton.text, null, { progressCallback: () => --steps < 0 })
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
    return { definitions, wanted }
  } finally {
    tree.delete()
  }
}
