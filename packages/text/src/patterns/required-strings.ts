import type { PatternNode, RepeatNode } from './pattern-tree.ts'

/** More strings than this do not narrow a search. */
const MOST_STRINGS = 16
/** Longer strings are no rarer. */
const LONGEST_STRING = 256
/** Shorter strings are found everywhere. */
const SHORTEST_STRING = 2

/** Sets that are worth trying. */
const MOST_SETS = 4

/** What is known of the strings that a node matches. */
interface Strings {
  /** All of them, where they are few. */
  readonly exact?: readonly string[]
  /** The best set of which each match has one. */
  readonly required?: readonly string[]
}

/** Return the one string that a tree matches, or `undefined` where it may match others, none, or under a condition. */
export function literalString(tree: PatternNode): string | undefined {
  if (tree.kind === 'character') return tree.few?.length === 1 ? String.fromCodePoint(tree.few[0]!) : undefined
  if (tree.kind === 'repeat') {
    const repeated = tree.min === tree.max && tree.max <= LONGEST_STRING ? literalString(tree.body) : undefined
    return repeated === undefined || tree.max === 0 ? undefined : repeated.repeat(tree.max)
  }
  if (tree.kind !== 'sequence') return undefined
  const parts = tree.parts.map(literalString)
  return parts.includes(undefined) || parts.length === 0 ? undefined : parts.join('')
}

/**
 * Return strings of which each match of a tree contains at least one, or `undefined` where there are none worth a look.
 *
 * They are the longest and fewest that follow from the tree: what stands in a row, or in each branch of a choice. Sound by
 * induction: of nodes in a row a match has all, so any set will do; of a choice it has one, so it has one of the union.
 * Strings that a text from UTF-8 may have without having their bytes, with U+FFFD and half a surrogate pair, are left out.
 */
function requiredStrings(tree: PatternNode): readonly string[] | undefined {
  const { exact, required } = stringsOf(tree)
  const best = better(exact, required)
  // Whoever has `foobar` has `foo`.
  return best?.filter((string) => !best.some((other) => other !== string && string.includes(other)))
}

/**
 * Return sets of strings, the best first, such that each match of a tree contains one of every set: those of nodes that
 * stand in a row. Which of them narrows a search most, the text tells.
 */
export function requiredSets(tree: PatternNode): readonly (readonly string[])[] {
  const best = requiredStrings(tree)
  if (best === undefined) return []
  const rows = tree.kind === 'sequence' ? rowSets(tree.parts) : []
  const others = rows.filter((set) => worth(set) > 0 && !set.some((string) => best.some((one) => one.includes(string))))
  return [best, ...others.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_SETS - 1)]
}

/** Return the strings of each run of nodes that have few, and what is required of each of the others. */
function rowSets(parts: readonly PatternNode[]): (readonly string[])[] {
  const sets: (readonly string[])[] = []
  let run: readonly string[] = ['']
  for (const part of parts) {
    const { exact, required } = stringsOf(part)
    const longer = joined(run, exact)
    if (longer !== undefined) {
      run = longer
      continue
    }
    sets.push(run)
    if (required !== undefined) sets.push(required)
    run = exact ?? ['']
  }
  return [...sets, run]
}

function stringsOf(node: PatternNode): Strings {
  switch (node.kind) {
    case 'character':
      return node.few === undefined ? {} : { exact: node.few.map((character) => String.fromCodePoint(character)) }
    case 'edge':
    case 'boundary':
    case 'look':
      return { exact: [''] }
    case 'reference':
      return {}
    case 'sequence':
      return stringsOfRow(node.parts.map(stringsOf))
    case 'choice':
      return stringsOfChoice(node.branches.map(stringsOf))
    case 'repeat':
      return stringsOfRepeat(node)
  }
}

function stringsOfRow(parts: readonly Strings[]): Strings {
  let run: readonly string[] | undefined = ['']
  let isExact = true
  let required: readonly string[] | undefined
  for (const part of parts) {
    const longer: readonly string[] | undefined = joined(run, part.exact)
    if (longer === undefined) {
      required = better(better(required, run), part.required)
      isExact = false
      run = part.exact ?? ['']
    } else {
      // Many strings are longer, one string may be better.
      if (longer.length > run.length) required = better(required, run)
      run = longer
    }
  }
  return isExact ? { exact: run, ...(required && { required }) } : defined(better(required, run))
}

function stringsOfChoice(branches: readonly Strings[]): Strings {
  const exact = branches.map((branch) => branch.exact)
  if (exact.every((strings) => strings !== undefined)) {
    const all = [...new Set(exact.flat())]
    if (all.length <= MOST_STRINGS) return { exact: all }
  }
  const required = branches.map((branch) => better(branch.exact, branch.required))
  if (!required.every((strings) => strings !== undefined)) return {}
  return defined(better([...new Set(required.flat())], undefined))
}

function stringsOfRepeat({ body, min, max }: RepeatNode): Strings {
  const strings = stringsOf(body)
  if (max === 0) return { exact: [''] }
  if (min === 0) {
    const optional = max === 1 && strings.exact !== undefined && !strings.exact.includes('')
    return optional && strings.exact.length < MOST_STRINGS ? { exact: [...strings.exact, ''] } : {}
  }
  let run: readonly string[] | undefined = strings.exact
  for (let count = 1; count < min && run !== undefined; count++) run = joined(run, strings.exact)
  if (run !== undefined && min === max) return { exact: run }
  return defined(better(better(strings.exact, strings.required), run))
}

function joined(
  before: readonly string[] | undefined,
  behind: readonly string[] | undefined,
): readonly string[] | undefined {
  if (before === undefined || behind === undefined || before.length * behind.length > MOST_STRINGS) return undefined
  const strings = before.flatMap((one) => behind.map((other) => one + other))
  return strings.some(({ length }) => length > LONGEST_STRING) ? undefined : strings
}

function defined(required: readonly string[] | undefined): Strings {
  return required === undefined ? {} : { required }
}

/** Return the set that narrows a search more: long strings do, many do not. */
function better(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  const scores = [worth(one), worth(other)] as const
  if (scores[0] <= 0 && scores[1] <= 0) return undefined
  return scores[1] > scores[0] ? other : one
}

function worth(strings: readonly string[] | undefined): number {
  if (strings === undefined || strings.length === 0 || strings.length > MOST_STRINGS) return 0
  if (!strings.every(isSearchable)) return 0
  const shortest = Math.min(...strings.map(({ length }) => length))
  return shortest - Math.log2(strings.length) / 4
}

function isSearchable(text: string): boolean {
  return text.length >= SHORTEST_STRING && text.isWellFormed() && !/[\n\ufffd]/.test(text)
}
