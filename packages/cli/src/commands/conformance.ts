import {
  conformanceCases,
  formatReport,
  runConformance,
  type CaseResult,
  type ConformanceHarness,
  type ConformanceReport,
} from '@spillway/core/conformance'
import { Option, type Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { CliError, usageError } from '../cli-error.ts'
import { loadHarness } from '../conformance/load-harness.ts'
import { withStrayErrors } from '../conformance/stray-errors.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { parseCount } from '../option-parsers.ts'
import { clearStatus, print, printJson, showStatus } from '../output.ts'

interface ConformanceOptions {
  readonly harness?: string
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
        'The module exports a harness, as its default or as `harness`: { name, create: async () => ({ storage }) }. ' +
        'TypeScript is loaded as it is by Node.js 22.18 and later. No test runner is needed.',
    )
    .argument('<module>', 'a JavaScript or TypeScript module, such as ./my-storage.harness.ts')
    .option('--harness <name>', 'the export to test, where the module has several')
    .option('--filter <text>', 'only the cases whose id contains this, such as scope/')
    .option('--every-case', 'a line for every case instead of one for every area')
    .option('--thorough', 'run long random series in full')
    .option('--large', 'also run the cases that need hundreds of megabytes')
    .addOption(new Option('--seed <number>', 'seed of everything random (default: 1)').argParser(parseCount))
    .option('--json', 'print JSON, errors too')
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway conformance ./my-storage.ts
  $ spillway conformance ./my-storage.ts --filter clear/ --every-case
  $ spillway conformance ./my-storage.ts --thorough --large --json > report.json

Exit codes: 0 no case failed; 1 a case failed, or a known gap has closed; 2 there is no harness in the module;
3 it could not create a storage. What is not proven does not count as a failure, nor as a success.`,
  )
  action(command, conformance)
}

async function conformance({ args: [path = ''], options }: Invocation<ConformanceOptions>): Promise<number> {
  const { filter = '', thorough = false, large = false, seed = 1 } = options
  assertSomeCase(filter)
  const harness = await loadHarness(path, options.harness)
  const report = await run(harness, { thorough, large, seed, filter: (id) => id.includes(filter) })
  if (options.json === true) await printJson({ ...report, results: report.results.map(resultJson) })
  else await print(formatReport(report, { everyCase: options.everyCase ?? false }))
  return report.ok ? EXIT_CODE.ok : EXIT_CODE.nothing
}

/** A run of no cases would pass for a success. */
function assertSomeCase(filter: string): void {
  if (conformanceCases.some(({ id }) => id.includes(filter))) return
  const areas = new Set(conformanceCases.map(({ id }) => `${id.split('/', 1)[0]}/`))
  throw usageError(`No case has ${JSON.stringify(filter)} in its id. Areas: ${[...areas].join(', ')}.`)
}

async function run(
  harness: ConformanceHarness,
  options: Parameters<typeof runConformance>[1],
): Promise<ConformanceReport> {
  let done = 0
  let latest = 'the beginning'
  const onResult = ({ id }: CaseResult): void => {
    latest = id
    showStatus(`${++done} cases, ${id}`)
  }
  try {
    return await withStrayErrors(
      () => runConformance(harness, { ...options, onResult }),
      () => `After ${latest}`,
    )
  } catch (error) {
    if (error instanceof CliError) throw error
    // The suite rejects only for a harness that is none, with what to change, or whose first storage cannot be made.
    if (error instanceof TypeError) throw usageError(error.message, { cause: error })
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('setup', EXIT_CODE.storage, `${harness.name} could not create a storage: ${reason}`, {
      cause: error,
    })
  } finally {
    await clearStatus()
  }
}

/** A result without the error object, whose stack and fields JSON would not show. */
function resultJson({ failure, ...result }: CaseResult): Record<string, unknown> {
  return failure === undefined ? result : { ...result, failure: { kind: failure.kind, message: failure.message } }
}
