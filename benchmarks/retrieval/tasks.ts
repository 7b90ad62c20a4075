import { fileURLToPath } from 'node:url'
import { TaskError } from '../report/task-error.ts'
import { child } from '../speed/lib.mjs'
import type { SubjectName } from './subjects/open-subject.ts'
import type { BackendUse, Place, Question } from './subjects/subject.ts'

const SCRIPT = fileURLToPath(new URL('process.ts', import.meta.url))

/** Content and who is asked about it. */
export interface Target {
  readonly subject: SubjectName
  readonly place: Place
  readonly contentType: string
}

/** Time and memory of calls. */
export interface Calls {
  /** Milliseconds of the first call. */
  readonly first: number
  /** Milliseconds of those after it; empty where the first was the only one. */
  readonly later: readonly number[]
  /** Megabytes that were resident before the first call. */
  readonly base: number
  /** Megabytes resident at most, from the first call on. */
  readonly peak: number
  /** Bytes that the process read during the first call. */
  readonly bytesRead: number
  /** What the first call asked of the backend, and the last one, where that is counted. */
  readonly firstUse?: BackendUse | undefined
  readonly lastUse?: BackendUse | undefined
}

/** Calls of a search, and what the last answered. */
export interface SearchCalls extends Calls {
  /** Milliseconds that the event loop stood still at most, from the first call on. */
  readonly pause: number
  readonly matches?: number | undefined
  readonly text: string
}

/** Calls that read lines, and what the first answered. */
export interface LineCalls extends Calls {
  readonly text?: string | undefined
}

/** What a process of its own can do, by name. */
export interface Tasks {
  /** Make content once; returns its file. */
  make(input: { kind: string; megabytes: number }): string
  /** Store content on disk; returns its reference and the milliseconds that it took. */
  store(input: Target): { reference: string; ms: number }
  /** Ask each question in turn, once and then `later` times. */
  search(input: Target & { questions: readonly Question[]; later: number }): readonly SearchCalls[]
  /** Read lines once each, then the first of them again `later` times. */
  lines(input: Target & { starts: readonly number[]; count: number; later: number }): LineCalls & {
    /** Milliseconds of each of the starts but the first. */
    elsewhere: readonly number[]
  }
  /** Count matching lines by testing each line with V8. */
  count(input: { file: string; questions: readonly Question[] }): readonly number[]
  /** Store a table, and ask a statement twice. */
  sql(input: { file: string; sql: string; ours: string }): SqlCalls
  /** Index and search a file with context-mode. */
  contextMode(input: { file: string }): ContextModeFigures
}

/** Calls that run a statement, the first of which loads the table. */
export interface SqlCalls {
  readonly first: number
  readonly second: number
  /** Milliseconds that the event loop stood still at most. */
  readonly pause: number
  /** Megabytes added at most. */
  readonly added: number
  /** Rows of the answer, without their numbers. */
  readonly rows: string
}

/** What a full-text index takes and finds. */
export interface ContextModeFigures {
  readonly indexMs: number
  readonly indexMegabytes: number
  readonly searchMs: number
  readonly hits: number
  readonly of: number
  readonly peak: number
}

/** Search once in a fresh process, and `later` times more. Rejects with a {@link TaskError} as {@link inProcess} does. */
export async function searchInProcess(
  target: Target,
  question: Question,
  { later = 0, killMs }: { readonly later?: number; readonly killMs?: number } = {},
): Promise<SearchCalls> {
  const [calls] = await inProcess('search', { ...target, questions: [question], later }, killMs)
  if (calls === undefined) throw new TaskError('nothing was searched')
  return calls
}

/** Do a task in a fresh process. Rejects with a {@link TaskError} where it fails or takes longer than `killMs`. */
export async function inProcess<Name extends keyof Tasks>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  killMs = 300_000,
): Promise<ReturnType<Tasks[Name]>> {
  const outcome = (await child(SCRIPT, { name, input }, { killMs })) as
    | { value: ReturnType<Tasks[Name]> }
    | { killed: true }
    | { error: string }
  if ('value' in outcome) return outcome.value
  throw new TaskError('killed' in outcome ? `killed after ${killMs / 1_000} s` : outcome.error)
}
