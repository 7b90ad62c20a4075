import { RetrievalError } from '../retrieval-tool.ts'
import { FAILURE_CLASSES, isFailureStem, isSubjectStem } from './failure-words.ts'
import { stemWord, type WordStem } from './word-stem.ts'

/** A word that passages are ranked by. */
export interface QueryWord {
  /** As it was asked for, in lower case. */
  readonly text: string
  /** All of its forms begin with one of these. */
  readonly stems: readonly WordStem[]
  /** What it counts, beside its rarity. */
  readonly weight: number
  /** Whether it is part of longer words too, as in scripts that have no spaces. */
  readonly anywhere: boolean
  /** Whether it tells of a failure, unless there were none: `0 failed`. */
  readonly failure: boolean
  /** Whether it does not count as a part of a path or of another name. */
  readonly alone: boolean
  /** Whether it is only looked for because the question asks for a failure. */
  readonly implied: boolean
}

/** Words asked for that are looked for, at most. */
export const MAX_QUERY_WORDS = 16

/** A word is looked for by so many of its first UTF-16 units. */
const MAX_WORD_LENGTH = 64

/** UTF-16 units of a question that are read. */
const MAX_QUERY_LENGTH = 10_000

/** Words that make a question, and say nothing of what is asked for. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does doing for ' +
    'from get give gives got had has have having how i if in into is it its just let list listed many may me might much ' +
    'my of on or our out please quote quotes shall she should show shows so some such tell tells than that the their ' +
    'them then there these they this those to too up us was we were what when where which while who whom whose why will ' +
    'with would you your explain explains explained identifies identify describe happen happened happens find found ' +
    'contain contains exactly look looks single'
  ).split(' '),
)

/** Words for the content itself: they count little. */
const CONTENT_WORDS: ReadonlySet<string> = new Set('line lines log logs output message messages text file'.split(' '))
const CONTENT_WEIGHT = 0.3

/** What a word for that which failed counts in a question about a failure. */
const SUBJECT_WEIGHT = 0.3

/** What the words count that a question about a failure implies, by the number of other words in it. */
const IMPLIED_WEIGHTS = [0.8, 0.3, 0.15]

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
/** Where a name is put together: `paymentFailed`, `HTTPError`. */
const PART_EDGE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Scripts that do not put spaces between words: each two characters are a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u

/** What a question looks for. */
export interface QueryWords {
  /** Those asked for first, in their order, then those implied. */
  readonly words: readonly QueryWord[]
  /** Words asked for that are beyond {@link MAX_QUERY_WORDS}. */
  readonly leftOut: number
}

/** Take the words out of a question. Rejects with `invalid-input` where there are none. */
export function parseQueryWords(query: string): QueryWords {
  const all = [...new Set(splitWords(query.slice(0, MAX_QUERY_LENGTH).normalize('NFC')))]
  const telling = all.filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || !/[a-z]/.test(word)))
  const chosen = telling.length > 0 ? telling : all
  if (chosen.length === 0) {
    throw new RetrievalError(
      'invalid-input',
      'query has no words. Ask with a few words that the passages should have, or find other characters by pattern.',
    )
  }
  const asked = mergeForms(chosen)
  const kept = asked.slice(0, MAX_QUERY_WORDS)
  const failure = kept.some((word) => word.failure)
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

/** Make one word of those that are forms of each other. */
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
      failure: isFailureStem(key),
      alone: false,
      implied: false,
    })
  }
  return [...words.values()]
}

/** A question about a failure also looks for the words by which failures are told, the less the more else it asks for. */
function weighForFailure(asked: readonly QueryWord[]): QueryWord[] {
  const isSubject = (word: QueryWord): boolean => isSubjectStem(word.stems[0]!.stem)
  const others = asked.filter((word) => !word.failure && !isSubject(word) && word.weight === 1).length
  const share = IMPLIED_WEIGHTS[Math.min(others, IMPLIED_WEIGHTS.length - 1)]!
  const known = new Set(asked.flatMap((word) => word.stems.map(({ stem }) => stem)))
  const implied = FAILURE_CLASSES.map(({ weight, phrases }, index): QueryWord => {
    const stems = phrases
      .map((phrase): WordStem => (/^[a-z]+$/.test(phrase) ? stemWord(phrase) : { stem: phrase, endings: 'none' }))
      .filter(({ stem }) => !known.has(stem))
    return {
      text: `failure ${index}`,
      stems,
      weight: weight * share,
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
