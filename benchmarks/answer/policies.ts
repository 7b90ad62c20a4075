import type { AnswerCase, Asks } from './answer-case.ts'
import { caseVariants, type Intent, type Session, type ToolCall } from './systems/system.ts'

/** The knowledge of a policy: the question, the abilities of the system, and the context. Never the answer. */
export interface PolicyView {
  readonly asks: Asks
  readonly session: Session
  /** Return everything that was shown of this result so far. */
  shown(): string
}

/** Calls in order. Each call returns its answer, or `undefined` if the system has no such call. */
export type Steps<Result = void> = Generator<Intent | ToolCall, Result, string | undefined>

export type Policy = (view: PolicyView) => Steps

const PAGE_LINES = 100
/** Limit of continuations that a policy follows to see the rest of an answer. */
const MAX_CONTINUATIONS = 3
const FIRST_WORDS = ['error', 'fail']
const MORE_WORDS = ['FAILED', 'FATAL', 'panic', 'Traceback', 'Exception', 'Error:', 'not found', 'undefined', 'cannot']

/** Deterministic strategies for finding an answer. They model agents of different skill, and work with every system. */
export const POLICIES: Readonly<Record<string, Policy>> = {
  /** Reads pages from the start. */
  pager: function* ({ session }) {
    for (let first = 1, total = Infinity; first <= total; first += PAGE_LINES) {
      const answer = yield* readLines(session, first, first + PAGE_LINES - 1)
      total = session.totalLines(answer) ?? total
    }
  },
  /** Searches like a beginner, from the start, without using structure. */
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
  /** Knows that the reason of a failure is at the end of logs, searches from the end, and uses structured queries. */
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
  /** Searches for the words of the question, the rarest first, without knowledge of the content. */
  words: function* (view) {
    const words = rareWords(questionWords(view.asks))
    yield { want: 'words', words: words.join(' ') }
    for (const word of words) {
      const hits = yield* search(view.session, [word], { context: 3 })
      yield* widen(view.session, hits.slice(-2), 20)
    }
    yield* readBackwards(view, 0)
  },
  /** Makes the calls that the preview suggests, the largest gap first, and then reads pages. */
  follower: function* (view) {
    for (const call of view.session.offered(view.shown()).slice(0, 3)) yield call
    yield* reader(view)
  },
}

const reader: Policy = (view) => POLICIES['reader']?.(view) ?? emptySteps()

/** Strategies that know the lines of the answer. The cheapest one is the minimum cost of a system. */
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

/** Return the single call that answers a question about structure, or a count. */
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

/** Return the literal with which a search for the answer starts. */
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

/** Return at most ten words of a question, rarest first: words with digits or punctuation, then by length. */
function rareWords(text: string): readonly string[] {
  const words = [...new Set(text.match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]{3,60}/gu))]
  const marked = (word: string): number => (/[\d_./:-]|\p{Ll}\p{Lu}/u.test(word) ? 1 : 0)
  return words.toSorted((one, other) => marked(other) - marked(one) || other.length - one.length).slice(0, 10)
}

/** Read a range of lines to its end, even if an answer ends before. */
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

/** Search for any of the literals. Returns matching lines. A system with one literal per search gets each in turn. */
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
    // If matches have no context, the lines around a match are read before the next search.
    if (last !== undefined && context > 0) yield* readLines(session, last - 20, last + 20)
  }
  return found
}

/** Read around the last four matches that are not close to each other. */
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

/** Read pages toward the start, beginning this many lines before the end. */
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
  // The system has no call that helps.
}
