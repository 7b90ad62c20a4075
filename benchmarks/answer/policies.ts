import type { AnswerCase, Asks } from './answer-case.ts'
import { caseVariants, type Intent, type Session, type ToolCall } from './systems/system.ts'

/** What a policy knows: the question, what the system can do, and what stands in the context. Never the answer. */
export interface PolicyView {
  readonly asks: Asks
  readonly session: Session
  /** Everything that was shown of this result so far. */
  shown(): string
}

/** Calls in the order in which an agent makes them. Each gets its answer, or `undefined` if the system has no such call. */
export type Steps<Result = void> = Generator<Intent | ToolCall, Result, string | undefined>

export type Policy = (view: PolicyView) => Steps

const PAGE_LINES = 100
/** How often a policy takes the continuation that an answer names, to see the rest of what it asked for. */
const MAX_CONTINUATIONS = 3
const FIRST_WORDS = ['error', 'fail']
const MORE_WORDS = ['FAILED', 'FATAL', 'panic', 'Traceback', 'Exception', 'Error:', 'not found', 'undefined', 'cannot']

/** Deterministic ways to look for an answer. They stand for agents of different skill, and know no system by name. */
export const POLICIES: Readonly<Record<string, Policy>> = {
  /** Reads from the start, page by page. */
  pager: function* ({ session }) {
    for (let first = 1, total = Infinity; first <= total; first += PAGE_LINES) {
      const answer = yield* readLines(session, first, first + PAGE_LINES - 1)
      total = session.totalLines(answer) ?? total
    }
  },
  /** Searches as a beginner does, from the top, without using structure. */
  grepper: function* (view) {
    const { asks, session } = view
    if (asks.form === 'why' || asks.form === 'overview') {
      yield* search(session, FIRST_WORDS, { ignoreCase: true, context: 5 })
      const hits = yield* search(session, MORE_WORDS, { context: 5 })
      yield* widen(session, hits, 20)
      yield* readTail(view, 50)
      yield* readBackwards(view, 50)
      return
    }
    if (asks.form === 'count' || asks.form === 'rows')
      yield { want: 'count', literal: asks.form === 'rows' ? asks.value : asks.literal }
    const hits = yield* search(session, [keyOf(asks)], { context: 5 })
    yield* widen(session, hits, 15)
    yield* widen(session, hits, 60)
    if ('field' in asks) yield* search(session, [asks.field], { context: 2 })
    yield* readBackwards(view, 0)
  },
  /** Knows that logs end with their reason, searches from the end, and uses structure where the tools have it. */
  reader: function* (view) {
    const { asks, session } = view
    if (asks.form === 'overview') {
      yield* readLines(session, 1, 20)
      yield* readTail(view, 20)
      yield { want: 'total' }
    } else if (asks.form === 'why') {
      yield* readTail(view, 60)
      const hits = yield* search(session, [...FIRST_WORDS, 'exception', 'panic'], {
        ignoreCase: true,
        context: 3,
        fromEnd: true,
      })
      yield* widen(session, hits, 20)
    } else {
      const exact = exactIntent(asks)
      if (exact !== undefined) yield exact
      const hits = yield* search(session, [keyOf(asks)], { context: asks.form === 'sibling' ? 8 : 0 })
      yield* widen(session, hits, asks.form === 'cell' || asks.form === 'word' ? 3 : 20)
      yield* widen(session, hits, 60)
    }
    yield* readBackwards(view, asks.form === 'why' ? 60 : 0)
  },
  /** Takes the words of the question, the rarest first, as one who does not know the content. */
  words: function* (view) {
    const words = rareWords(questionWords(view.asks))
    yield { want: 'words', words: words.join(' ') }
    for (const word of words) {
      const hits = yield* search(view.session, [word], { context: 3 })
      yield* widen(view.session, hits.slice(-2), 20)
    }
    yield* readBackwards(view, 0)
  },
  /** Makes the calls that the preview names, the largest gap first, then reads. */
  follower: function* (view) {
    for (const call of view.session.offered(view.shown()).slice(0, 3)) yield call
    yield* reader(view)
  },
}

const reader: Policy = (view) => POLICIES['reader']?.(view) ?? emptySteps()

/** Ways of one who knows where the answer is: the cheapest of them is the least that a system can cost. */
export const ORACLE_WAYS: readonly ((question: AnswerCase, result: number) => Policy)[] = [
  ({ asks }) =>
    function* ({ session }) {
      const exact = exactIntent(asks)
      if (exact !== undefined) yield* withContinuations(session, exact)
      yield* search(session, [keyOf(asks)], { context: 0 })
    },
  ({ lines }, result) =>
    function* ({ session }) {
      for (const [first, last] of lines[result] ?? []) yield* readLines(session, first, last)
    },
  () =>
    function* (view) {
      yield* readLines(view.session, 1, 20)
      yield* readTail(view, 20)
      yield { want: 'total' }
    },
]

/** The one call that answers a question about structure, or a count. */
function exactIntent(asks: Asks): Intent | undefined {
  switch (asks.form) {
    case 'cell':
      return { want: 'rows', keyColumn: asks.keyColumn, key: asks.key, field: asks.field }
    case 'sibling':
      return { want: 'sibling', keyName: asks.keyName, key: asks.key, field: asks.field }
    case 'path':
      return { want: 'path', path: asks.path }
    case 'count':
      return { want: 'count', literal: asks.literal }
    case 'rows':
      return { want: 'count-rows', column: asks.column, value: asks.value }
    case 'words':
      return { want: 'words', words: asks.words }
    default:
      return undefined
  }
}

/** The literal that a search for the answer starts from. */
function keyOf(asks: Asks): string {
  switch (asks.form) {
    case 'word':
      return asks.word
    case 'cell':
      return asks.key
    case 'sibling':
      return String(asks.key)
    case 'count':
      return asks.literal
    case 'rows':
      return asks.value
    case 'path':
      return String(asks.path.findLast((key) => typeof key === 'string') ?? '')
    case 'words':
      return rareWords(asks.words)[0] ?? asks.words
    default:
      return FIRST_WORDS[0] ?? ''
  }
}

function questionWords(asks: Asks): string {
  if (asks.form === 'words') return asks.words
  if (asks.form === 'why') return 'error failed reason'
  return 'field' in asks ? `${keyOf(asks)} ${asks.field}` : keyOf(asks)
}

/** Words of a question, rarest first: those with digits or marks, then by length. Ten at most. */
function rareWords(text: string): readonly string[] {
  const words = [...new Set(text.match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]{3,60}/gu))]
  const marked = (word: string): number => (/[\d_./:-]|\p{Ll}\p{Lu}/u.test(word) ? 1 : 0)
  return words.toSorted((one, other) => marked(other) - marked(one) || other.length - one.length).slice(0, 10)
}

/** Read a span of lines to its end, although an answer may end before it. */
function* readLines(session: Session, first: number, last: number): Steps<string> {
  return yield* withContinuations(session, { want: 'lines', first: Math.max(1, first), last })
}

function* withContinuations(session: Session, intent: Intent): Steps<string> {
  let answer = yield intent
  let all = answer ?? ''
  for (let count = 0; count < MAX_CONTINUATIONS && answer !== undefined; count += 1) {
    const next = session.next(answer)
    if (next === undefined) break
    answer = yield next
    all += `\n${answer ?? ''}`
  }
  return all
}

interface SearchOptions {
  readonly ignoreCase?: boolean
  readonly context: number
  readonly fromEnd?: boolean
}

/** Search for any of the literals, and return the lines found. A system that takes one literal is asked for each. */
function* search(session: Session, literals: readonly string[], options: SearchOptions): Steps<readonly number[]> {
  const { ignoreCase = false, context, fromEnd = false } = options
  if (!session.literalOnly) {
    const answer = yield { want: 'grep', literals, ignoreCase, context, ...(fromEnd && { fromEnd }) }
    return answer === undefined ? [] : session.hits(answer)
  }
  const found: number[] = []
  for (const literal of ignoreCase ? literals.flatMap(caseVariants) : literals) {
    const answer = yield { want: 'grep', literals: [literal], ignoreCase: false, context }
    const hits = answer === undefined ? [] : session.hits(answer)
    found.push(...hits)
    const last = hits.at(-1)
    // Without the lines around a match, the match is read in its place before the next search.
    if (last !== undefined && context > 0) yield* readLines(session, last - 20, last + 20)
  }
  return found
}

/** Read around the last four places that were found and are apart. */
function* widen(session: Session, hits: readonly number[], radius: number): Steps {
  const places: number[] = []
  for (const hit of [...new Set(hits)].toSorted((one, other) => other - one))
    if (places.length < 4 && places.every((place) => Math.abs(place - hit) >= 2 * radius)) places.push(hit)
  for (const place of places) yield* readLines(session, place - radius, place + radius)
}

function* readTail({ session, shown }: PolicyView, count: number): Steps {
  if (session.plan({ want: 'tail', count }) !== undefined) return void (yield { want: 'tail', count })
  const total = yield* findTotal(session, shown)
  if (total !== undefined) yield* readLines(session, total - count + 1, total)
}

/** Read page by page towards the start, from so many lines before the end. */
function* readBackwards({ session, shown }: PolicyView, from: number): Steps {
  const total = yield* findTotal(session, shown)
  for (let last = (total ?? 0) - from; last > 0; last -= PAGE_LINES)
    yield* readLines(session, last - PAGE_LINES + 1, last)
}

function* findTotal(session: Session, shown: () => string): Steps<number | undefined> {
  const known = session.totalLines(shown())
  if (known !== undefined) return known
  const answer = yield { want: 'total' }
  return answer === undefined ? undefined : session.totalLines(answer)
}

function* emptySteps(): Steps {
  // No call helps.
}
