import { KeyedLock, workMilliseconds, yieldToOthers, yieldWhenDue } from '@spillway/text/internal'
import type { Tree } from 'web-tree-sitter'
import type { OutlineSymbol, Outliner } from '../source/outline.ts'
import { findDefinitions, type FoundDefinition } from './find-definitions.ts'
import { GRAMMARS } from './grammars/grammars.ts'
import type { GrammarLoader, LoadedGrammar } from './load-grammar.ts'

/** Longest code to parse, in UTF-16 units. A megabyte takes about 300 ms. Patterns outline longer code. */
const MOST_PARSED = 131_072
/** Smallest number of outer definitions. If there are fewer, definitions within functions are listed too. */
const ENOUGH = 8
/** Limit of parser steps per UTF-16 unit, counted in hundreds. Real code takes a third of this limit. */
const STEPS_PER_UNIT = 0.025
const STEPS_ALWAYS = 100
/** Limit of steps with an error, counted in hundreds. Recovery from an error usually takes fewer than 100 steps. */
const ERRORS_PER_UNIT = 0.001
const ERRORS_ALWAYS = 50
/** Hundreds of steps between two pauses, about 6 ms. Unlike time, this number does not depend on the machine. */
const STEPS_OF_A_SLICE = 64
const LONG_LINE = /.{2001}/
/** Time limit of parsing, in milliseconds of work. Most code takes a tenth of this limit. */
const MOST_TIME = 500

/** Find definitions with tree-sitter grammars. Return `undefined` if the code is too long or parsing takes too long. */
export function outlineByGrammars(loader: GrammarLoader): Outliner {
  return async (text, language, caller) => {
    const known = GRAMMARS.get(language)
    if (known === undefined || text.length > MOST_PARSED) return undefined
    const grammar = known.unless?.pattern.test(text) === true ? known.unless.grammar : known
    if (grammar.columns === true && LONG_LINE.test(text)) return undefined
    const loaded = (await loader.load(grammar)) ?? (grammar.otherwise && (await loader.load(grammar.otherwise)))
    if (loaded === undefined) return undefined
    // While a parser pauses, it must not parse another text. Each caller waits with at most one text for a parser.
    return await callers.run(caller, () => parsers.run(language, () => outlineWith(text, loaded, caller)))
  }
}

const callers = new KeyedLock<unknown>()
const parsers = new KeyedLock()

async function outlineWith(
  text: string,
  { parser, plan }: LoadedGrammar,
  caller: unknown,
): Promise<OutlineSymbol[] | undefined> {
  // Without a final newline, scanners that search for the end of a line never end.
  const code = text.endsWith('\n') ? text : `${text}\n`
  const brake = new Brake(code.length)
  const parseOn = (): Tree | null => parser.parse(code, null, { progressCallback: brake.check })
  let tree = parseOn()
  while (tree === null && brake.pauses) {
    await yieldToOthers(caller)
    brake.goOn()
    tree = parseOn()
  }
  if (tree === null) {
    parser.reset()
    return undefined
  }
  try {
    await yieldWhenDue(caller)
    const all = findDefinitions(tree, plan)
    const outer = all.filter(({ isInner }) => !isInner)
    await yieldWhenDue(caller)
    return outlineOf(outer.length < ENOUGH ? all : outer, code)
  } finally {
    tree.delete()
  }
}

/** Counts steps and errors, so that the result does not depend on the machine, except at the time limit. */
class Brake {
  #steps: number
  #errors: number
  #untilPause = STEPS_OF_A_SLICE
  #time = MOST_TIME
  #start = workMilliseconds()

  constructor(length: number) {
    this.#steps = STEPS_ALWAYS + length * STEPS_PER_UNIT
    this.#errors = ERRORS_ALWAYS + length * ERRORS_PER_UNIT
  }

  /** Whether the parser has stopped only to let other work run. */
  get pauses(): boolean {
    return this.#untilPause === 0 && this.#steps >= 0 && this.#errors >= 0 && this.#time > 0
  }

  goOn(): void {
    this.#untilPause = STEPS_OF_A_SLICE
    this.#start = workMilliseconds()
  }

  /** Returns whether the parser has to stop. */
  readonly check = ({ hasError }: { readonly hasError: boolean }): boolean => {
    this.#steps--
    this.#untilPause--
    if (hasError) this.#errors--
    const now = workMilliseconds()
    this.#time -= now - this.#start
    this.#start = now
    return this.#untilPause === 0 || this.#steps < 0 || this.#errors < 0 || this.#time <= 0
  }
}

const WRAPPERS: ReadonlySet<string> = new Set(['namespace', 'module'])

function outlineOf(definitions: readonly FoundDefinition[], code: string): OutlineSymbol[] {
  const defined = new Set(definitions.filter(({ announces }) => !announces).map(({ name }) => name))
  const placed = definitions
    .filter(({ name, announces }) => !announces || !defined.has(name))
    .toSorted((one, other) => one.nameStart - other.nameStart)
  const lines = linesAt(
    code,
    placed.flatMap(({ nameStart, end }) => [nameStart, end - 1]),
  )
  const total = lines.get(Infinity)!
  const wrappers: FoundDefinition[] = []
  return placed.flatMap((definition, index) => {
    const { name, kind, nameStart, start, end, depth } = definition
    const before = placed[index - 1]
    const line = lines.get(nameStart)!
    // `typedef struct x {} x` defines the name twice.
    if (before?.name === name && before.end === end && lines.get(before.nameStart) === line) return []
    const lifted = wrappers.filter((wrapper) => wrapper.start <= start && end <= wrapper.end).length
    const endLine = Math.max(line, lines.get(end - 1)!)
    if (WRAPPERS.has(kind) && (endLine - line) * 2 > total) wrappers.push(definition)
    return { name, kind, line, endLine, depth: Math.max(0, depth - lifted) }
  })
}

/** Returns the line number of each position. The key `Infinity` has the number of lines. */
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
