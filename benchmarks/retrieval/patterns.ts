import type { Question } from './subjects/subject.ts'

/** A question with its name in tables. */
export interface NamedQuestion extends Question {
  readonly name: string
  /** The same pattern for POSIX tools, if their syntax differs. */
  readonly posix?: string
  /** Whether the question finds the lines that are planted at 10 %, 50 %, and 90 % of the content. */
  readonly findsPlanted?: true
}

/** Content of a kind and size, and questions about it. */
export interface SearchCase {
  readonly kind: 'log' | 'json1' | 'crlf' | 'utf8'
  readonly megabytes: number
  readonly questions: readonly NamedQuestion[]
}

/** Text in every planted line. */
export const PLANTED = 'payment gateway refused'

/** A question for three planted lines. */
export const RARE: NamedQuestion = { name: 'rare', pattern: PLANTED, findsPlanted: true }
const COMMON: NamedQuestion = { name: 'common', pattern: 'INFO' }
/** Alternatives, one of which is planted. */
export const ALTERNATION: NamedQuestion = { name: 'alternation', pattern: 'OOMKilled|code=E7731|panic: runtime' }
/** Matches one in a hundred and forty lines of a log. */
export const DIGITS: NamedQuestion = { name: 'digits', pattern: String.raw`status=5\d\d`, posix: 'status=5[0-9][0-9]' }
const IGNORE_CASE: NamedQuestion = {
  name: 'ignore case',
  pattern: PLANTED.toUpperCase(),
  ignoreCase: true,
  findsPlanted: true,
}
const ANCHORED: NamedQuestion = { name: 'anchored', pattern: '^FATAL.*code=E7731$', findsPlanted: true }
const NONE: NamedQuestion = { name: 'none', pattern: 'zz_no_such_token_42' }
const JSON_COMMON: NamedQuestion = { name: 'common', pattern: '"plan":"pro"' }

const LOG_QUESTIONS = [RARE, COMMON, ALTERNATION, DIGITS, IGNORE_CASE, ANCHORED, NONE]

/** All cases. */
export const SEARCH_CASES: readonly SearchCase[] = [
  { kind: 'log', megabytes: 1, questions: LOG_QUESTIONS },
  { kind: 'log', megabytes: 10, questions: LOG_QUESTIONS },
  { kind: 'log', megabytes: 100, questions: LOG_QUESTIONS },
  { kind: 'json1', megabytes: 10, questions: [RARE, JSON_COMMON, NONE] },
  { kind: 'crlf', megabytes: 10, questions: [RARE, DIGITS, ANCHORED] },
  { kind: 'utf8', megabytes: 10, questions: [RARE, DIGITS, IGNORE_CASE, NONE] },
]

/** Cases of a quick run. */
export const QUICK_CASES: readonly SearchCase[] = [
  { kind: 'log', megabytes: 1, questions: [RARE, DIGITS] },
  { kind: 'crlf', megabytes: 1, questions: [ANCHORED] },
]
