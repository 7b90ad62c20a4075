import fc from 'fast-check'

/** What patterns are generated of. */
interface PatternParts {
  /** Each matches a character, or asserts something. */
  readonly atoms: readonly string[]
  readonly assertions: readonly string[]
  readonly quantifiers: readonly string[]
  /** Openings of groups, `(` and `(?:` apart. */
  readonly groups: readonly string[]
}

/** Generate valid expressions of JavaScript by its grammar. */
export function generatedPatterns({ atoms, assertions, quantifiers, groups }: PatternParts): fc.Arbitrary<string> {
  const atom = fc.constantFrom(...atoms)
  const assertion = fc.constantFrom(...assertions)
  const quantifier = fc.constantFrom(...quantifiers)
  const { choice } = fc.letrec<{ choice: string; row: string; part: string; group: string }>((tie) => ({
    choice: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: tie('row') },
      { weight: 1, arbitrary: fc.tuple(tie('row'), tie('row')).map((rows) => rows.join('|')) },
      { weight: 1, arbitrary: fc.tuple(tie('row'), tie('row'), tie('row')).map((rows) => rows.join('|')) },
    ),
    row: fc.array(tie('part'), { maxLength: 4, size: 'small' }).map((parts) => parts.join('')),
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: atom },
      { weight: 4, arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: assertion },
      { weight: 3, arbitrary: fc.tuple(tie('group'), quantifier).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: tie('group') },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom(...groups), tie('choice')).map(([open, body]) => `${open}${body})`),
      },
    ),
    group: fc.tuple(fc.constantFrom('(', '(?:'), tie('choice')).map(([open, body]) => `${open}${body})`),
  }))
  return choice
}

/** Look-around, all four. */
export const LOOKS: readonly string[] = ['(?=', '(?!', '(?<=', '(?<!']
/** Quantifiers of all kinds. */
export const QUANTIFIERS: readonly string[] = [
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0,3}',
  '{1,2}',
  '{2,}',
  '{0}',
  '{1,3}?',
]
