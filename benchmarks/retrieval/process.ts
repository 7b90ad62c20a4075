/** Runs one task in a separate process: `process.ts --child JSON`. See tasks.ts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { args, countRead, makeFile, now, peakMB, peerFile, reply, resetPeak } from '../speed/lib.mjs'
import { openSubject, storeFor } from './subjects/open-subject.ts'
import { openStore } from './subjects/ours-subject.ts'
import { MAX_CHARS, type BackendUse, type Question, type Subject } from './subjects/subject.ts'
import type { Calls, ContextModeFigures, SearchCalls, SqlCalls, Target, Tasks } from './tasks.ts'

type Runners = {
  readonly [Name in keyof Tasks]: (...input: Parameters<Tasks[Name]>) => Promise<ReturnType<Tasks[Name]>>
}

const RUN: Runners = {
  make: async ({ kind, megabytes }) => makeFile(kind, megabytes),
  store: async ({ subject, place, contentType }) => {
    const start = now()
    const reference = await storeFor(subject, place, contentType)
    return { reference, ms: now() - start }
  },
  search: async ({ questions, later, ...target }) =>
    await withSubject(target, (subject) => searchAll(subject, questions, later)),
  lines: async ({ starts, count, later, ...target }) =>
    await withSubject(target, async (subject) => {
      const [first = 1, ...rest] = starts
      const read = (start: number) => subject.lines?.(start, start + count - 1)
      const base = resetPeak()
      const { result, ...begin } = await firstCall(subject, () => read(first))
      const elsewhere: number[] = []
      for (const start of rest) elsewhere.push((await timed(() => read(start))).ms)
      const again = await laterCalls(subject, later, () => read(first))
      return { ...begin, ...again, text: result, elsewhere, base, peak: peakMB() }
    }),
  count: async ({ file, questions }) => countByLine(file, questions),
  sql: measureStatement,
  contextMode: async ({ file }) => await measureContextMode(file),
}

/** Interval in milliseconds for checking whether the event loop is blocked. */
const TIMER_MS = 5

async function withSubject<T>(
  { subject, place, contentType }: Target,
  use: (subject: Subject) => Promise<T>,
): Promise<T> {
  const opened = await openSubject(subject, place, contentType)
  const result = await use(opened)
  await opened.close?.()
  return result
}

async function searchAll(subject: Subject, questions: readonly Question[], later: number): Promise<SearchCalls[]> {
  const found: SearchCalls[] = []
  for (const question of questions) {
    const search = () => subject.search!(question)
    const base = resetPeak()
    const delays = monitorEventLoopDelay({ resolution: TIMER_MS })
    delays.enable()
    const { result, ...begin } = await firstCall(subject, search)
    const again = await laterCalls(subject, later, search)
    // If the event loop was blocked, only the next timer measures the delay.
    await setTimeout(2 * TIMER_MS)
    delays.disable()
    const pause = Math.max(0, delays.max / 1e6 - TIMER_MS)
    found.push({ ...result, ...begin, ...again, pause, base, peak: peakMB() })
  }
  return found
}

async function timed<T>(call: () => T | Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = now()
  const result = await call()
  return { result, ms: now() - start }
}

async function firstCall<T>(
  subject: Subject,
  call: () => T | Promise<T>,
): Promise<Pick<Calls, 'first' | 'bytesRead' | 'firstUse'> & { readonly result: T }> {
  const before = subject.backendUse?.()
  const { result: answer, bytes } = await countRead(() => timed(call))
  return { first: answer.ms, result: answer.result, bytesRead: bytes, firstUse: useSince(subject, before) }
}

async function laterCalls(
  subject: Subject,
  times: number,
  call: () => unknown,
): Promise<Pick<Calls, 'later' | 'lastUse'>> {
  const later: number[] = []
  let lastUse: BackendUse | undefined
  for (let count = 0; count < times; count++) {
    const before = subject.backendUse?.()
    later.push((await timed(call)).ms)
    lastUse = useSince(subject, before)
  }
  return { later, lastUse }
}

function useSince(subject: Subject, before: BackendUse | undefined): BackendUse | undefined {
  const after = subject.backendUse?.()
  if (before === undefined || after === undefined) return undefined
  return { calls: after.calls - before.calls, bytes: after.bytes - before.bytes }
}

function countByLine(file: string, questions: readonly Question[]): readonly number[] {
  const lines = readFileSync(file, 'utf8').replaceAll('\r\n', '\n').split('\n')
  // The empty text after the last line end is not a line.
  if (lines.at(-1) === '') lines.pop()
  return questions.map(({ pattern, ignoreCase }) => {
    const expression = new RegExp(pattern, ignoreCase === true ? 'i' : '')
    return lines.reduce((count, line) => count + Number(expression.test(line)), 0)
  })
}

async function measureStatement({ file, sql, ours }: Parameters<Tasks['sql']>[0]): Promise<SqlCalls> {
  const directory = mkdtempSync(join(tmpdir(), 'spillway-bench-sql-'))
  try {
    const store = await openStore('file', { ours, directory })
    if (store.sql === undefined) throw new Error(`${ours} answers no SQL`)
    const reference = await store.putFile('bench', 'table', file, { contentType: 'text/csv' })
    const ask = async (): Promise<string> => (await store.sql!(reference, { sql, maxChars: MAX_CHARS })).text
    const base = resetPeak()
    const delays = monitorEventLoopDelay({ resolution: TIMER_MS })
    delays.enable()
    const first = await timed(ask)
    const second = await timed(ask)
    await setTimeout(2 * TIMER_MS)
    delays.disable()
    const rows = [...second.result.matchAll(/^\d+\| (.*)$/gm)].map(([, row]) => row).join('\n')
    const pause = Math.max(0, delays.max / 1e6 - TIMER_MS)
    return { first: first.ms, second: second.ms, pause, added: peakMB() - base, rows }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

interface ContentStore {
  indexPlainText(text: string, source: string): unknown
  searchWithFallback(query: string, limit: number, source: string): readonly { readonly content: string }[]
}

async function measureContextMode(file: string): Promise<ContextModeFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'spillway-bench-cm-'))
  const { ContentStore: Peer } = (await peerFile('cm/node_modules/context-mode/build/store.js')) as {
    ContentStore: new (path: string) => ContentStore
  }
  const store = new Peer(join(directory, 'index.db'))
  const text = readFileSync(file, 'utf8')
  resetPeak()
  const indexed = await timed(() => store.indexPlainText(text, 'log'))
  const of = 3
  const search = await timed(() => store.searchWithFallback('payment gateway refused', of, 'log'))
  const names = readdirSync(directory)
  const bytes = names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  rmSync(directory, { recursive: true })
  return {
    indexMs: indexed.ms,
    indexMegabytes: bytes / 1_048_576,
    searchMs: search.ms,
    hits: search.result.filter(({ content }) => content.includes('payment gateway refused')).length,
    of,
    peak: peakMB(),
  }
}

async function run<Name extends keyof Tasks>(name: Name, input: Parameters<Tasks[Name]>): Promise<void> {
  reply({ value: await RUN[name](...input) })
}

const { name, input } = args().child as unknown as { name: keyof Tasks; input: Parameters<Tasks[keyof Tasks]>[0] }
await run(name, [input] as Parameters<Tasks[typeof name]>)
