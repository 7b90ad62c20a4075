import {
  conformanceCases,
  formatReport,
  runConformance,
  type CaseResult,
  type ConformanceHarness,
  type ConformanceReport,
} from '@spillway/core/conformance'
import type { Invocation } from '../action.ts'
import { CliError, usageError } from '../cli-error.ts'
import { loadHarness } from '../conformance/load-harness.ts'
import { withStrayErrors } from '../conformance/stray-errors.ts'
import { EXIT_CODE } from '../exit-code.ts'
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

/** Run `spillway conformance`. */
export async function conformance({ args: [path = ''], options }: Invocation<ConformanceOptions>): Promise<number> {
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
