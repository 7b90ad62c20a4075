import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  formatReport,
  runConformance,
  type CaseResult,
  type ConformanceHarness,
  type ConformanceReport,
} from '@spillway/core/conformance'
import { Option, type Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { usageError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { parseCount } from '../option-parsers.ts'
import { clearStatus, print, printJson, showStatus } from '../output.ts'

interface ConformanceOptions {
  readonly filter?: string
  readonly everyCase?: boolean
  readonly thorough?: boolean
  readonly large?: boolean
  readonly seed?: number
  readonly json?: boolean
}

/** Add `spillway conformance`. */
export function addConformanceCommand(program: Command): void {
  const command = program
    .command('conformance')
    .summary('test a storage of your own')
    .description(
      'Run the conformance suite on a storage and print the report as Markdown, for its README.\n\n' +
        'The module exports a harness, as its default or as `harness`: { name, create: async () => ({ storage }) }.\n' +
        'Exits with 1 where a case failed or a known gap has closed. What is not proven does not count.',
    )
    .argument('<module>', 'a JavaScript or TypeScript module, such as ./my-storage.harness.ts')
    .option('--filter <text>', 'only the cases whose id contains this, such as scope/')
    .option('--every-case', 'a line for every case instead of one for every area')
    .option('--thorough', 'run long random series in full')
    .option('--large', 'also run the cases that need hundreds of megabytes')
    .addOption(new Option('--seed <number>', 'seed of everything random (default: 1)').argParser(parseCount))
    .option('--json', 'print JSON, errors too')
  action(command, conformance)
}

async function conformance({ args: [path = ''], options }: Invocation<ConformanceOptions>): Promise<number> {
  const harness = await loadHarness(path)
  const { filter, thorough = false, large = false, seed = 1 } = options
  const report = await run(harness, {
    thorough,
    large,
    seed,
    filter: (id) => filter === undefined || id.includes(filter),
  })
  if (options.json === true) await printJson({ ...report, results: report.results.map(resultJson) })
  else await print(formatReport(report, { everyCase: options.everyCase ?? false }))
  return report.ok ? EXIT_CODE.ok : EXIT_CODE.nothing
}

async function loadHarness(path: string): Promise<ConformanceHarness> {
  const file = resolve(path)
  if (!existsSync(file)) throw usageError(`${path}: no such file.`)
  const loaded = (await load(file, path)) as { readonly default?: unknown; readonly harness?: unknown }
  const harness = loaded.harness ?? loaded.default
  if (harness === undefined) {
    throw usageError(`${path} exports no harness. Export { name, create } as its default or as \`harness\`.`)
  }
  return harness as ConformanceHarness
}

async function load(file: string, path: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    const { code } = Object(error) as NodeJS.ErrnoException
    if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw usageError(`${path} cannot be loaded: TypeScript needs Node.js 22.18 or later. Compile it, or update.`, {
      cause: error,
    })
  }
}

async function run(
  harness: ConformanceHarness,
  options: Parameters<typeof runConformance>[1],
): Promise<ConformanceReport> {
  let done = 0
  const onResult = ({ id }: CaseResult): void => showStatus(`${++done} cases, ${id}`)
  try {
    return await runConformance(harness, { ...options, onResult })
  } catch (error) {
    // Only a harness that is none makes the suite reject, with a message that says what to change.
    if (!(error instanceof TypeError)) throw error
    throw usageError(error.message, { cause: error })
  } finally {
    await clearStatus()
  }
}

/** A result without the error object, whose stack and fields JSON would not show. */
function resultJson({ failure, ...result }: CaseResult): Record<string, unknown> {
  return failure === undefined ? result : { ...result, failure: { kind: failure.kind, message: failure.message } }
}
