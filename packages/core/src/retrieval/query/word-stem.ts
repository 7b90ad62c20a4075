/** What the forms of a word have in common. */
export interface WordStem {
  /** The beginning of all forms, in lower case. */
  readonly stem: string
  /** What may follow it: nothing, any inflection, one after an `e` that was taken off, or one after such a `y`. */
  readonly endings: 'none' | 'any' | 'after-e' | 'after-y'
}

const VOWEL = /[aeiouy]/
const INFLECTIONS =
  's e es ed d ing ings er ers or ors ion ions ation ations ure ures ment ments able al als ly ance ence ency encies ent'
const ANY_ENDING: ReadonlySet<string> = new Set(['', ...INFLECTIONS.split(' ')])
const ENDINGS: Readonly<Record<WordStem['endings'], ReadonlySet<string>>> = {
  none: new Set(['']),
  any: ANY_ENDING,
  'after-e': new Set('e es ed er ers ing ings ion ions or ors ation ations ure ures able al ement ements'.split(' ')),
  'after-y': new Set('y ies ied ying yed ier ily'.split(' ')),
}

/** UTF-16 units of the longest ending, with a consonant that it doubles. */
export const LONGEST_ENDING = 8

/** Suffixes that are taken off, each with the letters that must remain. */
const SUFFIXES: readonly (readonly [suffix: string, remaining: number])[] = [
  ['ations', 5],
  ['ation', 5],
  ['ments', 5],
  ['ment', 5],
  ['ions', 5],
  ['ion', 5],
  ['ures', 4],
  ['ure', 4],
  ['ings', 3],
  ['ing', 3],
  ['ers', 4],
  ['ors', 4],
  ['er', 4],
  ['or', 4],
  ['ed', 3],
]

/**
 * Take the inflection off a word in lower case: `failed`, `failing`, `failures` become `fail`.
 *
 * Words of other letters than `a` to `z`, numbers and codes stay as they are, and have no other forms.
 */
export function stemWord(word: string): WordStem {
  if (!/^[a-z]+$/.test(word)) return { stem: word, endings: 'none' }
  if (word.length < 4) return { stem: word, endings: 'any' }
  if (/[^aeiou]ies$|[^aeiou]ied$/.test(word) && word.length > 4) return { stem: word.slice(0, -3), endings: 'after-y' }
  if (/[^aeiou]y$/.test(word)) return { stem: word.slice(0, -1), endings: 'after-y' }
  for (const [suffix, remaining] of SUFFIXES) {
    const stem = word.slice(0, -suffix.length)
    if (!word.endsWith(suffix) || stem.length < remaining || !VOWEL.test(stem) || stem.endsWith('e')) continue
    // `stopped` to `stop`, but not `calling` to `cal`.
    if (/([bdgmnprt])\1$/.test(stem)) return { stem: stem.slice(0, -1), endings: 'any' }
    return { stem, endings: 'any' }
  }
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return { stem: word.slice(0, -2), endings: 'any' }
  const singular = /[^sui]s$/.test(word) ? word.slice(0, -1) : word
  if (singular.length > 3 && singular.endsWith('e') && !singular.endsWith('ee')) {
    return { stem: singular.slice(0, -1), endings: 'after-e' }
  }
  return { stem: singular, endings: 'any' }
}

/** Tell whether `ending`, in lower case, makes another form of the word whose stem it follows. */
export function isEnding({ stem, endings }: WordStem, ending: string): boolean {
  if (ENDINGS[endings].has(ending)) return true
  if (endings === 'after-e' && ending === '') return false
  // `stop` to `stopped`; a stem that lost its `e` (`clos`) is also that of words that never had one (`compil`).
  const doubled = endings === 'any' && ending.length > 2 && ending[0] === stem.at(-1)
  return doubled && ENDINGS.any.has(ending.slice(1))
}
