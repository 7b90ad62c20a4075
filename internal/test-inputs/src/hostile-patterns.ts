import fc from 'fast-check'

/** Parts of patterns that are slow in a backtracking engine or in its compiler. */
const atoms = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '\\w',
  '\\s',
  '(?:a|a)',
  '(?:a|aa)',
  '(?:a|ab|b)',
  '(a)',
  '[^b]',
  '\\b',
  '(?=a)',
  '(?<=a)',
  '',
)
const repeats = fc.constantFrom(
  '',
  '*',
  '+',
  '?',
  '{2,}',
  '{0,50}',
  '{1,999}',
  '{1000}',
  '{50000}',
  '{99999999}',
  '*?',
  '+?',
)
const endings = fc.constantFrom('$', '!', 'b$', '\\1', '(?!a)', '(?<!a)$', '(?=b)', '[', '(', '\\', '')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(atoms, repeats).map(([atom, repeat]) => atom + repeat),
    fc.tuple(tie('pattern'), repeats).map(([inner, repeat]) => `(${inner})${repeat}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})+`),
    fc.tuple(tie('pattern')).map(([inner]) => `(?:(?=${inner}))*${inner}`),
  ),
}))
const hostile = fc.tuple(fc.constantFrom('', '^', '(?i)', '.*'), pattern, endings).map((parts) => parts.join(''))

/** Known slow patterns, which every run includes. */
const CLASSICS = [
  '(a+)+$',
  '(a*)*$',
  '(a|a)*$',
  '(a|aa)+$',
  '(.*a){12}$',
  '(.*)*(.*)*(.*)*(.*)*!b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(\\w+\\s?)*$',
  '(?:a?){500}a{500}b',
  '((a{1,99}){1,99}){1,99}b',
  '(?:x?){99999999}',
  '(?=(a+))\\1*b',
  '(a+)\\1+b',
  '(?<=(a+)+)b',
  '(?:(?:(?:a{0,999}){0,999}){0,999}){0,999}b',
  `${'('.repeat(400)}a+${')+'.repeat(400)}$`,
  '(?<!(a|aa)+)c',
  '[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*!b',
  '(',
  '[z-a]',
]

/** Generate slow patterns. The known ones are first. The same seed gives the same patterns. */
export function hostilePatterns(count: number, seed = 20_260_101): readonly string[] {
  return [...CLASSICS, ...fc.sample(hostile, { numRuns: Math.max(0, count - CLASSICS.length), seed })]
}
