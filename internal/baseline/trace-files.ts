/**
 * Prints the source files that one warm call runs, in the order in which a function of each file runs first: `node
 * internal/baseline/trace-files.ts`. V8 counts the calls of every function during one call. For a second call, each
 * function that ran has a breakpoint. The condition of the breakpoint records the file, and never stops the program.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Session, type Debugger, type Profiler } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ContextOffloader, type Storage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'

const SOURCES = pathToFileURL(join(import.meta.dirname, '../../packages')).href
const countOf = ({ ranges }: Profiler.FunctionCoverage): number => ranges[0]?.count ?? 0
/** Breakpoints of files that have not run yet in this call. */
const waiting = new Map<string, Debugger.BreakpointId[]>()
const order: string[] = []
Object.assign(globalThis, { noteFile })

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Debugger.enable')
const directory = mkdtempSync(join(tmpdir(), 'spillway-trace-'))
await traceStorage('memory', new InMemoryStorage())
await traceStorage('files', new FileStorage(directory))
rmSync(directory, { recursive: true })

async function traceStorage(name: string, storage: Storage): Promise<void> {
  const session = new ContextOffloader({ storage }).forScope('trace')
  let calls = 0
  const references: string[] = []
  const offload = async (): Promise<void> => {
    calls += 1
    const content = [{ type: 'text', text: makeLog(calls) }] as const
    const outcome = await session.offload({ toolName: 'read_log', toolCallId: `call_${calls}`, content })
    if (outcome.status !== 'offloaded') throw new Error(`The log was not offloaded: ${outcome.reason}.`)
    references.push(...outcome.stored.map(({ reference }) => reference))
  }
  // Each search reads other content, so that no answer comes from a cache.
  const search = async (): Promise<void> => {
    const call = { reference: references.pop(), pattern: String.raw`ERROR.*code=\d+` }
    if ((await session.retrievalTool.execute(call)).isError) throw new Error('The search failed.')
  }
  print(`Offload a log, ${name}`, await trace(offload))
  print(`Retrieve with a pattern, ${name}`, await trace(search))
}

/** Run a call three times: to load the code, to count calls, and to record the order of files. */
async function trace(call: () => Promise<void>): Promise<readonly Profiler.ScriptCoverage[]> {
  await call()
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await inspector.post('Profiler.takePreciseCoverage')
  await call()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  await inspector.post('Profiler.stopPreciseCoverage')
  const scripts = result
    .filter(({ url }) => url.startsWith(SOURCES))
    .map((script) => ({ ...script, functions: script.functions.filter((one) => countOf(one) > 0) }))
    .filter(({ functions }) => functions.length > 0)
  for (const { scriptId, url, functions } of scripts) {
    const text = readFileSync(fileURLToPath(url), 'utf8')
    const breakpoints: Debugger.BreakpointId[] = []
    for (const { ranges } of functions) {
      const [first] = ranges
      const { locations } = await inspector.post('Debugger.getPossibleBreakpoints', {
        start: { scriptId, ...placeOf(text, first?.startOffset) },
        end: { scriptId, ...placeOf(text, first?.endOffset) },
        restrictToFunction: true,
      })
      if (locations[0] === undefined) continue
      const condition = `noteFile(${JSON.stringify(url)})`
      const { breakpointId } = await inspector.post('Debugger.setBreakpoint', { location: locations[0], condition })
      breakpoints.push(breakpointId)
    }
    waiting.set(url, breakpoints)
  }
  order.length = 0
  await call()
  for (const url of waiting.keys()) noteFile(url)
  return scripts.toSorted((one, other) => order.indexOf(one.url) - order.indexOf(other.url))
}

/** Record that a file runs, and remove its breakpoints, because they would slow down frequent functions. */
function noteFile(url: string): void {
  order.push(url)
  for (const breakpointId of waiting.get(url) ?? []) void inspector.post('Debugger.removeBreakpoint', { breakpointId })
  waiting.delete(url)
}

function print(title: string, scripts: readonly Profiler.ScriptCoverage[]): void {
  const rows = scripts.map(({ url, functions }) => ({
    path: url.slice(SOURCES.length + 1),
    lines: readFileSync(fileURLToPath(url), 'utf8').split('\n').length - 1,
    calls: functions.reduce((sum, one) => sum + countOf(one), 0),
  }))
  const sum = (field: 'lines' | 'calls'): string =>
    rows.reduce((all, row) => all + row[field], 0).toLocaleString('en-US')
  console.log(`\n${title}: ${rows.length} files, ${sum('lines')} lines, ${sum('calls')} calls of functions`)
  for (const { path, lines, calls } of rows)
    console.log(`${String(lines).padStart(6)} ${String(calls).padStart(8)}  ${path}`)
}

function placeOf(text: string, offset = 0): { lineNumber: number; columnNumber: number } {
  const before = text.slice(0, offset)
  return { lineNumber: before.split('\n').length - 1, columnNumber: offset - before.lastIndexOf('\n') - 1 }
}

/** Return a log of 1.08 MB in which every 401st line is an error. */
function makeLog(seed: number): string {
  const lines = Array.from({ length: 16_000 }, (_, line) => {
    const number = (line * 7_919 + seed * 104_729) % 1_000_000
    const start = new Date(Date.UTC(2026, 0, 5) + line * 250).toISOString()
    if (line % 401 === 400) return `${start} ERROR payment declined, user=u${number % 97} code=${number}`
    return `${start} INFO  request ${number} user=u${number % 97} needed ${number % 91} ms`
  })
  return `${lines.join('\n')}\n`
}
