export interface QueryWord {
  readonly text: string
  readonly stems: readonly WordStem[]
  /** Factor by which the rarity of the word is multiplied. */
  readonly weight: number
  /** Whether the word also matches inside longer words, as in scripts without spaces. */
  readonly anywhere: boolean
  /** Whether the word reports a failure. No match if the text says that there was none: `0 failed`. */
  readonly failure: boolean
  /** Whether the word only matches outside of paths and other names. */
  readonly alone: boolean
  /** Whether the word was added because the question is about a failure. */
  readonly implied: boolean
}

export const MAX_QUERY_WORDS = 16
const MAX_WORD_LENGTH = 64
const MAX_QUERY_LENGTH = 10_000

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does doing for ' +
    'from get give gives got had has have having how i if in into is it its just let list listed many may me might much ' +
    'my not of on or our out please quote quotes shall she should show shows so some such tell tells than that the their ' +
    'them then there these they this those to too up us was we were what when where which while who whom whose why will ' +
    'with would you your explain explains explained identifies identify describe happen happened happens find found ' +
    'contain contains exactly look looks single'
  ).split(' '),
)

const CONTENT_WORDS: ReadonlySet<string> = new Set('line lines log logs output message messages text file'.split(' '))
const CONTENT_WEIGHT = 0.3
const SUBJECT_WEIGHT = 0.3

const IRREGULAR: readonly (readonly string[])[] = [
  ['break', 'broke', 'broken'],
  ['build', 'built'],
  ['run', 'ran'],
  ['write', 'wrote', 'written'],
  ['throw', 'threw', 'thrown'],
  ['send', 'sent'],
  ['lose', 'lost'],
  ['take', 'took', 'taken'],
]

const TOKEN = /[\p{L}\p{M}\p{N}_]+/gu
/** Boundaries inside a name, as in `paymentFailed` and `HTTPError`. */
const PART_EDGE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Matches scripts without spaces. In these scripts, every two adjacent characters count as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u

export interface QueryWords {
  readonly words: readonly QueryWord[]
  readonly leftOut: number
}

export function parseQueryWords(query: string): QueryWords {
  const all = [...new Set(splitWords(query.slice(0, MAX_QUERY_LENGTH).normalize('NFC')))]
  const telling = all.filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || !/[a-z]/.test(word)))
  const chosen = telling.length > 0 ? telling : all
  const asked = mergeForms(chosen)
  const kept = asked.slice(0, MAX_QUERY_WORDS)
  const failure = NEGATION.test(query) || kept.some((word) => word.failure)
  const words = failure ? weighForFailure(kept) : kept
  return { words, leftOut: asked.length - kept.length }
}

function splitWords(query: string): string[] {
  return [...query.matchAll(TOKEN)].flatMap(([token]) =>
    token
      .split('_')
      .flatMap((name) => name.split(PART_EDGE))
      .filter((part) => part !== '')
      .map((part) => part.toLowerCase().slice(0, MAX_WORD_LENGTH))
      .flatMap((part) => (UNSPACED.test(part) ? pairs(part) : [part])),
  )
}

function pairs(text: string): string[] {
  const characters = Array.from(text)
  return characters.length < 3 ? [text] : characters.slice(1).map((character, index) => characters[index]! + character)
}

function mergeForms(texts: readonly string[]): QueryWord[] {
  const words = new Map<string, QueryWord>()
  for (const text of texts) {
    const forms = IRREGULAR.find((group) => group.includes(text)) ?? [text]
    const stems = forms.map(stemWord)
    const key = stems[0]!.stem
    if (words.has(key)) continue
    words.set(key, {
      text,
      stems,
      weight: CONTENT_WORDS.has(text) ? CONTENT_WEIGHT : 1,
      anywhere: UNSPACED.test(text),
      failure: FAILURE_STEMS.has(key),
      alone: false,
      implied: false,
    })
  }
  return [...words.values()]
}

/** Add words that report failures. */
function weighForFailure(asked: readonly QueryWord[]): QueryWord[] {
  const isSubject = (word: QueryWord): boolean => SUBJECT_STEMS.has(word.stems[0]!.stem)
  const others = asked.filter((word) => !word.failure && !isSubject(word) && word.weight === 1).length
  const known = new Set(asked.flatMap((word) => word.stems.map(({ stem }) => stem)))
  const implied = FAILURE_CLASSES.map(([weight, phrases], index): QueryWord => {
    const stems = phrases
      .split(', ')
      .map((phrase): WordStem => (/^[a-z]+$/.test(phrase) ? stemWord(phrase) : { stem: phrase, endings: 'none' }))
      .filter(({ stem }) => !known.has(stem))
    return {
      text: `failure ${index}`,
      stems,
      weight,
      anywhere: false,
      failure: true,
      alone: true,
      implied: true,
    }
  })
  const weighed = asked.map((word) => {
    if (isSubject(word)) return { ...word, weight: word.weight * SUBJECT_WEIGHT }
    return word.failure ? { ...word, alone: others === 0 } : word
  })
  return [...weighed, ...implied.filter((word) => word.stems.length > 0)]
}

const FAILURE_STEMS: ReadonlySet<string> = new Set(
  'fail err error crash break brok broken exception except fatal abort panic wrong bug problem caus reason fault assert'.split(
    ' ',
  ),
)

/** Matches a question about something that did not happen, which is a question about a failure. */
const NEGATION =
  /\b(?:not|cannot|unable|refuse|reject|decline|missing|invalid|undefined|stop|die|died|killed)|n['’]t\b/i

/** Things that can fail. Lines that report the failure rarely name them. */
const SUBJECT_STEMS: ReadonlySet<string> = new Set(
  'build built ci job run pipelin task step command process program script workflow stag test'.split(' '),
)

const FAILURE_CLASSES: readonly (readonly [weight: number, phrases: string])[] = [
  [
    1,
    'fatal, exception, panic, panicked, traceback, abort, assertion, crash, segmentation fault, caused by, ' +
      'unhandled, uncaught, core dumped',
  ],
  [0.9, 'error, err!'],
  [0.9, 'fail'],
  [
    0.6,
    "cannot, could not, couldn't, can't, unable, not found, no such, undefined, unresolved, denied, refused, " +
      "missing, invalid, unexpected, mismatch, unsupported, incompatible, not exist, doesn't exist, conflict, " +
      'timed out, timeout, killed, expected, exit code, exited with',
  ],
]

export interface WordStem {
  readonly stem: string
  /** Endings that may follow the stem: none, any inflection, or inflections after a removed `e` or `y`. */
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

/** Longest ending, including a doubled consonant. */
export const LONGEST_ENDING = 8

/** Suffixes in the order in which they are tried, with the smallest length of the rest of the word. */
const SUFFIXES: readonly (readonly [suffix: string, remaining: number])[] = (
  [
    ['ations ation ments ment ions ion', 5],
    ['ures ure', 4],
    ['ings ing', 3],
    ['ers ors er or', 4],
    ['ed', 3],
  ] as const
).flatMap(([suffixes, remaining]) => suffixes.split(' ').map((suffix) => [suffix, remaining] as const))

/** Return the stem of a word: `failed`, `failing` and `failures` become `fail`. Other scripts do not change. */
export function stemWord(word: string): WordStem {
  if (!/^[a-z]+$/.test(word)) return { stem: word, endings: 'none' }
  if (word.length < 4) return { stem: word, endings: 'any' }
  if (/[^aeiou]ies$|[^aeiou]ied$/.test(word) && word.length > 4) return { stem: word.slice(0, -3), endings: 'after-y' }
  if (/[^aeiou]y$/.test(word)) return { stem: word.slice(0, -1), endings: 'after-y' }
  for (const [suffix, remaining] of SUFFIXES) {
    const stem = word.slice(0, -suffix.length)
    if (!word.endsWith(suffix) || stem.length < remaining || !VOWEL.test(stem) || stem.endsWith('e')) continue
    // `stopped` becomes `stop`, but `calling` does not become `cal`.
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

export function isEnding({ stem, endings }: WordStem, ending: string): boolean {
  if (ENDINGS[endings].has(ending)) return true
  // `stop` matches `stopped`. A stem without its final `e` allows no doubled consonant.
  const doubled = endings === 'any' && ending.length > 2 && ending[0] === stem.at(-1)
  return doubled && ENDINGS.any.has(ending.slice(1))
}

/** BM25 parameter `k1`. */
const REPEAT = 1.2
/** BM25 parameter `b`. */
const LENGTH = 0.3

export interface WordStatistics {
  /** Number of units. A unit is a line, or a part of a long line. */
  units: number
  length: number
  readonly unitCounts: number[]
}

/** Factors for added failure words, by the number of other words of the question that the content has. */
const IMPLIED_SHARES = [1, 0.5, 0.2]

/** Compute the inverse document frequency of BM25. Each unit counts as a document. */
export function weighWords(words: readonly QueryWord[], statistics: WordStatistics): number[] {
  const { units, unitCounts } = statistics
  const telling = words.filter((word, index) => !word.failure && word.weight === 1 && unitCounts[index]! > 0).length
  const share = IMPLIED_SHARES[Math.min(telling, IMPLIED_SHARES.length - 1)]!
  return words.map(({ weight, implied }, index) => {
    const count = unitCounts[index]!
    return count === 0 ? 0 : weight * (implied ? share : 1) * Math.log(1 + (units - count + 0.5) / (count + 0.5))
  })
}

/** Compute the term frequency of BM25. Each further occurrence adds less. */
export function saturate(times: number, length: number, averageLength: number): number {
  const relative = 1 - LENGTH + (LENGTH * length) / averageLength
  return (times * (REPEAT + 1)) / (times + REPEAT * relative)
}

export function averageLength({ units, length }: WordStatistics): number {
  return Math.max(1, length / Math.max(1, units))
}
