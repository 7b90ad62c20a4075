import fc from 'fast-check'

/** The parts of generated patterns. */
interface PatternParts {
  /** Expressions that match characters. */
  readonly atoms: readonly string[]
  readonly assertions: readonly string[]
  readonly quantifiers: readonly string[]
  /** Starts of groups other than `(` and `(?:`. */
  readonly groups: readonly string[]
}

/** An expression, and a text that it matches if its assertions hold. */
export interface GeneratedPattern {
  readonly source: string
  readonly sample: string
}

/** The four kinds of look-around. */
export const LOOKS: readonly string[] = ['(?=', '(?!', '(?<=', '(?<!']
const COUNTS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
  '*?': [0, Infinity],
  '+?': [1, Infinity],
  '??': [0, 1],
  '{0}': [0, 0],
  '{1}': [1, 1],
  '{2}': [2, 2],
  '{2,}': [2, Infinity],
  '{0,3}': [0, 3],
  '{1,2}': [1, 2],
  '{1,3}?': [1, 3],
}
/** Quantifiers of all kinds. */
export const QUANTIFIERS: readonly string[] = Object.keys(COUNTS)
const CHARACTERS = ['a', 'b', ' ', '1', '-', '\n', '\r', '\t', '_', 'é', '😀', '\ufffd']

/** Generate valid JavaScript expressions by the grammar. */
export function generatedPatterns(parts: PatternParts): fc.Arbitrary<string> {
  return generatedMatches(parts).map(({ source }) => source)
}

/** Generate valid JavaScript expressions by the grammar, each with a text that nearly matches. */
export function generatedMatches(parts: PatternParts): fc.Arbitrary<GeneratedPattern> {
  const atom = fc.constantFrom(...parts.atoms.map((source) => ({ source, sample: sampleOf(source) })))
  const assertion = fc.constantFrom(...parts.assertions.map((source) => ({ source, sample: '' })))
  const quantified = (body: fc.Arbitrary<GeneratedPattern>): fc.Arbitrary<GeneratedPattern> =>
    fc.tuple(body, fc.constantFrom(...parts.quantifiers), fc.nat(2)).map(([{ source, sample }, quantifier, more]) => ({
      source: source + quantifier,
      sample: sample.repeat(countOf(quantifier, more)),
    }))
  const { choice } = fc.letrec<Record<'choice' | 'row' | 'part' | 'group', GeneratedPattern>>((tie) => ({
    choice: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: tie('row') },
      { weight: 1, arbitrary: fc.tuple(tie('row'), tie('row')).map(joinBranches) },
      { weight: 1, arbitrary: fc.tuple(tie('row'), tie('row'), tie('row')).map(joinBranches) },
    ),
    row: fc.array(tie('part'), { maxLength: 4, size: 'small' }).map((row) => ({
      source: row.map(({ source }) => source).join(''),
      sample: row.map(({ sample }) => sample).join(''),
    })),
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: atom },
      { weight: 4, arbitrary: quantified(atom) },
      { weight: 1, arbitrary: assertion },
      { weight: 3, arbitrary: quantified(tie('group')) },
      { weight: 1, arbitrary: tie('group') },
      { weight: 1, arbitrary: inGroup(parts.groups, tie('choice')) },
    ),
    group: inGroup(['(', '(?:'], tie('choice')),
  }))
  return choice
}

function joinBranches(branches: readonly GeneratedPattern[]): GeneratedPattern {
  return { source: branches.map(({ source }) => source).join('|'), sample: branches.at(-1)!.sample }
}

function inGroup(openings: readonly string[], body: fc.Arbitrary<GeneratedPattern>): fc.Arbitrary<GeneratedPattern> {
  return fc.tuple(fc.constantFrom(...openings), body).map(([opening, { source, sample }]) => ({
    source: `${opening}${source})`,
    sample: LOOKS.includes(opening) ? '' : sample,
  }))
}

function sampleOf(atom: string): string {
  if (/^[\w ]+$/.test(atom)) return atom
  const flags = /\\[pPu]\{/.test(atom) ? 'su' : 's'
  const isMatch = (character: string): boolean => new RegExp(`^(?:${atom})$`, flags).test(character)
  return CHARACTERS.find((character) => /^(?:\\[hR]|\[\[)/.test(atom) || isMatch(character)) ?? ''
}

function countOf(quantifier: string, more: number): number {
  const [min, max] = COUNTS[quantifier] ?? [0, 0]
  return Math.min(min + more, max)
}

/** Whether a backtracking engine certainly finishes a text soon. */
export function isQuick(
  { cost }: { readonly cost: { readonly degree: number; readonly factor: number } },
  text: string,
): boolean {
  if (cost.degree === Infinity) return text.length <= 6
  return cost.factor * (text.length + 1) ** cost.degree < 1_000_000
}
