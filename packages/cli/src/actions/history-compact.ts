import type { Storage } from '@spillway/core'
import type { Invocation } from '../action.ts'
import { usageError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { note, noteLine, print, printJson } from '../output.ts'
import { hidesStore, storeArguments } from '../store-options.ts'
import { assertCanSummarize } from '../history/compaction-options.ts'
import { compactTranscript, describeFailure, planTranscript, type Compacted } from '../history/compact-transcript.ts'
import type { CompactOptions } from '../history/history-options.ts'
import { readChecked } from '../history/read-checked.ts'
import { compactJson } from '../history/report/compact-json.ts'
import { compactReport } from '../history/report/compact-report.ts'
import type { Transcript } from '../history/transcript/transcript.ts'
import { assertOutput, outputOf, writeTranscript } from '../history/transcript/write-transcript.ts'
import { trialStorage } from '../history/trial-storage.ts'
import { withStore } from '../with-store.ts'

const HIDDEN_STORE =
  'The URL of the store has a password, so the commands in the transcript do not name it: put it into SPILLWAY_STORE.'

/** Run `spillway history compact`. */
export async function historyCompact({
  args: [path = ''],
  options,
  command,
}: Invocation<CompactOptions>): Promise<number> {
  const { plan = false } = options
  const output = outputOf(options)
  if (plan && output !== undefined) throw usageError('--plan writes nothing: leave out --output.')
  if (output !== undefined) await assertOutput(output)
  const transcript = await readChecked(path, options)
  assertCanSummarize(transcript, options)
  const words = storeArguments(command)
  if (plan) return await finish(transcript, planTranscript(transcript, options, words), options)
  const use = async (storage: Storage): Promise<number> => {
    const used = output === undefined ? trialStorage(storage, options.scope) : storage
    const compacted = await compactTranscript(transcript, options, used, words)
    if (output !== undefined) await writeTranscript(transcript, compacted.conversation!, output)
    if (output !== undefined && compacted.namesCommands && hidesStore(command)) await noteLine(HIDDEN_STORE)
    return await finish(transcript, compacted, options)
  }
  return await withStore(options, use, { writes: true })
}

async function finish(
  transcript: Transcript,
  compacted: Compacted,
  { output, json = false }: CompactOptions,
): Promise<number> {
  if (json) await printJson(compactJson(transcript, compacted, output))
  else await (output === '-' ? note : print)(compactReport(transcript, compacted, output))
  for (const failure of compacted.outcome?.failures ?? []) await noteLine(`${describeFailure(failure)}.`)
  return exitCodeOf(compacted)
}

function exitCodeOf({ outcome }: Compacted): number {
  if (outcome === undefined) return EXIT_CODE.ok
  if (outcome.failures.some(({ step }) => step === 'store')) return EXIT_CODE.storage
  return outcome.fits ? EXIT_CODE.ok : EXIT_CODE.nothing
}
