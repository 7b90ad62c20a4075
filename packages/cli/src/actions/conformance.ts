import {
  conformanceCases,
  formatReport,
  runConformance,
  type CaseResult,
  type ConformanceHarness,
  type ConformanceReport,
} from '@spillway/core/conformance'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Invocation } from '../commands/command.ts'
import { CliError, EXIT_CODE, usageError } from '../cli-error.ts'
import { clearStatus, print, printJson, showStatus } from '../output.ts'

interface ConformanceOptions {
  readonly harness?: string
  readonly filter?: string
  readonly everyCase?: boolean
  readonly thorough?: boolean
  readonly large?: boolean
  readonly seed?: number
  readonly timeLimit?: number
  readonly json?: boolean
}

export async function conformance({ args: [path = ''], options }: Invocation<ConformanceOptions>): Promise<number> {
  const { filter = '', thorough = false, large = false, seed = 1, timeLimit } = options
  assertSomeCase(filter)
  const harness = await loadHarness(path, options.harness)
  const limit = timeLimit === undefined ? {} : { timeLimitMs: timeLimit * 1_000 }
  const report = await run(harness, { thorough, large, seed, ...limit, filter: (id) => id.includes(filter) })
  if (options.json === true) await printJson({ ...report, results: report.results.map(resultJson) })
  else await print(formatReport(report, { everyCase: options.everyCase ?? false }))
  return report.ok ? EXIT_CODE.ok : EXIT_CODE.nothing
}

/** Throws if no case matches: a run without cases would look like a success. */
function assertSomeCase(filter: string): void {
  if (conformanceCases.some(({ id }) => id.includes(filter))) return
  const areas = new Set(conformanceCases.map(({ id }) => `${id.split('/', 1)[0]}/`))
  throw usageError(`No case has ${JSON.stringify(filter)} in its id. Areas: ${[...areas].join(', ')}.`)
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

async function run(
  harness: ConformanceHarness,
  options: Parameters<typeof runConformance>[1],
): Promise<ConformanceReport> {
  let done = 0
  const onResult = ({ id }: CaseResult): void => showStatus(`${++done} cases, ${id}`)
  // After one signal, the run prints its results so far; a second signal ends the process.
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  for (const name of SIGNALS) process.once(name, onSignal)
  try {
    return await runConformance(harness, { ...options, onResult, signal: stop.signal })
  } catch (error) {
    // The suite rejects only for an invalid harness, or if the first storage cannot be created.
    if (error instanceof TypeError) throw usageError(error.message, { cause: error })
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('setup', EXIT_CODE.storage, `${harness.name} could not create a storage: ${reason}`, {
      cause: error,
    })
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal)
    await clearStatus()
  }
}

/** Adds the stack of an error, which JSON would omit. */
function resultJson({ failure, ...result }: CaseResult): Record<string, unknown> {
  return failure === undefined ? result : { ...result, failure: { kind: failure.kind, message: failure.message } }
}

const SHAPE = '{ name, create: async () => ({ storage }) }'

async function loadHarness(path: string, name?: string): Promise<ConformanceHarness> {
  const file = resolve(path)
  if (!existsSync(file)) throw usageError(`${path}: no such file.`)
  if (statSync(file).isDirectory()) throw usageError(`${path} is a directory: name the module that exports a harness.`)
  const exported = await importModule(file, path)
  if (name !== undefined) {
    if (Object.hasOwn(exported, name)) return exported[name] as ConformanceHarness
    throw usageError(`${path} does not export ${name}. It exports ${listed(Object.keys(exported))}.`)
  }
  const usual = exported['harness'] ?? exported['default']
  if (usual !== undefined) return usual as ConformanceHarness
  const [only, ...more] = Object.keys(exported).filter((each) => looksLikeHarness(exported[each]))
  if (only === undefined) {
    const names = listed(Object.keys(exported))
    throw usageError(`${path} exports no harness, but ${names}. Export ${SHAPE} as its default or as \`harness\`.`)
  }
  if (more.length > 0) {
    const names = [only, ...more]
    throw usageError(`${path} exports several harnesses: ${listed(names)}. Choose one with --harness ${only}.`)
  }
  return exported[only] as ConformanceHarness
}

async function importModule(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    const { code, message = String(cause) } = Object(cause) as Partial<NodeJS.ErrnoException>
    const reason = code === 'ERR_UNKNOWN_FILE_EXTENSION' ? 'TypeScript needs Node.js 22.18 or later.' : message
    const advice = code?.includes('TYPESCRIPT') ? ' Node.js only strips types: compile the module.' : ''
    throw usageError(`${path} cannot be loaded: ${reason.replace(/\.?$/, '.')}${advice}`, { cause })
  }
}

const looksLikeHarness = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as Partial<ConformanceHarness>).create === 'function'

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '))
