import { fileURLToPath } from 'node:url'
import { TaskError } from '../report/task-error.ts'
import { child } from '../speed/lib.mjs'
import type { SubjectName } from './subjects/open-subject.ts'
import type { BackendUse, Place, Question } from './subjects/subject.ts'

const SCRIPT = fileURLToPath(new URL('process.ts', import.meta.url))

/** Content, and the implementation that searches it. */
export interface Target {
  readonly subject: SubjectName
  readonly place: Place
  readonly contentType: string
}

/** Time and memory of calls. */
export interface Calls {
  /** Milliseconds of the first call. */
  readonly first: number
  /** Milliseconds of later calls; empty if there was only one call. */
  readonly later: readonly number[]
  /** Resident memory before the first call in megabytes. */
  readonly base: number
  /** Peak memory since the first call in megabytes. */
  readonly peak: number
  /** Bytes that the process read during the first call. */
  readonly bytesRead: number
  /** Backend calls of the first and of the last call, if they are counted. */
  readonly firstUse?: BackendUse | undefined
  readonly lastUse?: BackendUse | undefined
}

/** Calls of a search, and the answer of the last call. */
export interface SearchCalls extends Calls {
  /** The longest time in milliseconds during which the event loop was blocked, since the first call. */
  readonly pause: number
  readonly matches?: number | undefined
  readonly text: string
}

/** Calls that read lines, and the answer of the first call. */
export interface LineCalls extends Calls {
  readonly text?: string | undefined
}

/** Tasks of a separate process, by name. */
export interface Tasks {
  /** Generate content once. Returns its file. */
  make(input: { kind: string; megabytes: number }): string
  /** Store content on disk. Returns its reference and the milliseconds. */
  store(input: Target): { reference: string; ms: number }
  /** Ask each question in turn, once and then `later` times. */
  search(input: Target & { questions: readonly Question[]; later: number }): readonly SearchCalls[]
  /** Read `count` lines from each line in `starts`, and then `later` times from the first of these. */
  lines(input: Target & { starts: readonly number[]; count: number; later: number }): LineCalls & {
    /** Milliseconds for each of `starts` except the first. */
    elsewhere: readonly number[]
  }
  /** Count matching lines by testing each line in V8. */
  count(input: { file: string; questions: readonly Question[] }): readonly number[]
  /** Store a table, and run a statement twice. */
  sql(input: { file: string; sql: string; ours: string }): SqlCalls
  /** Index and search a file with context-mode. */
  contextMode(input: { file: string }): ContextModeFigures
}

/** Calls that run a statement. The first call loads the table. */
export interface SqlCalls {
  readonly first: number
  readonly second: number
  /** The longest time in milliseconds during which the event loop was blocked. */
  readonly pause: number
  /** Added peak memory in megabytes. */
  readonly added: number
  /** Rows of the answer, without their numbers. */
  readonly rows: string
}

/** Cost and hits of a full-text index. */
export interface ContextModeFigures {
  readonly indexMs: number
  readonly indexMegabytes: number
  readonly searchMs: number
  readonly hits: number
  readonly of: number
  readonly peak: number
}

/** Search once in a fresh process, and then `later` times. Rejects with a {@link TaskError} like {@link inProcess}. */
export async function searchInProcess(
  target: Target,
  question: Question,
  { later = 0, killMs }: { readonly later?: number; readonly killMs?: number } = {},
): Promise<SearchCalls> {
  const [calls] = await inProcess('search', { ...target, questions: [question], later }, killMs)
  if (calls === undefined) throw new TaskError('nothing was searched')
  return calls
}

/** Run a task in a fresh process. Rejects with a {@link TaskError} if it fails or takes longer than `killMs`. */
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
