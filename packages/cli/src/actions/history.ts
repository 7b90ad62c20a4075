import type { Storage } from '@spillway/core'
import type { Invocation } from '../commands/command.ts'
import { EXIT_CODE, usageError } from '../cli-error.ts'
import {
  assertCanSummarize,
  compactTranscript,
  describeFailure,
  trialStorage,
  type Compacted,
} from '../history/compact-transcript.ts'
import { expandTranscript, reportExpanded } from '../history/expand-transcript.ts'
import type { CompactOptions, ExpandOptions, TranscriptOptions } from '../commands/options.ts'
import { compactJson, compactReport } from '../history/compact-report.ts'
import { readTranscript } from '../history/transcript/read-transcript.ts'
import { conversationOf, transcriptError, type Transcript } from '../history/transcript/transcript.ts'
import { assertOutput, outputOf, writeTranscript } from '../history/transcript/write-transcript.ts'
import { holdDownMemory } from '../hold-down-memory.ts'
import { note, noteLine, print, printJson } from '../output.ts'
import { hidesStore, storeArguments } from '../store/store-options.ts'
import { withStore } from '../store/with-store.ts'

const HIDDEN_STORE =
  'The URL of the store has a password, so the commands in the transcript do not name the store: put the URL into SPILLWAY_STORE.'

export async function historyCompact({
  args: [path = ''],
  options,
  command,
}: Invocation<CompactOptions>): Promise<number> {
  const output = outputOf(options)
  if (output !== undefined) await assertOutput(output)
  const transcript = await readChecked(path, options)
  assertCanSummarize(transcript, options)
  const words = storeArguments(command)
  const use = async (storage: Storage): Promise<number> => {
    const used = output === undefined ? trialStorage(storage, options.scope) : storage
    const compacted = await compactTranscript(transcript, options, used, words)
    if (output !== undefined) await writeTranscript(transcript, compacted.conversation, output)
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
  for (const failure of compacted.outcome.failures) await noteLine(`${describeFailure(failure)}.`)
  return exitCodeOf(compacted)
}

function exitCodeOf({ outcome }: Compacted): number {
  if (outcome.failures.some(({ step }) => step === 'store')) return EXIT_CODE.storage
  return outcome.fits ? EXIT_CODE.ok : EXIT_CODE.nothing
}

export async function historyExpand({ args: [path = ''], options }: Invocation<ExpandOptions>): Promise<number> {
  const output = outputOf(options)
  if (output !== undefined) await assertOutput(output)
  const transcript = await readChecked(path, options)
  const expanded = await withStore(options, (storage) => expandTranscript(transcript, storage))
  if (output !== undefined) await writeTranscript(transcript, expanded.conversation, output)
  return await reportExpanded(transcript, expanded, options)
}

async function readChecked(path: string, { format }: TranscriptOptions): Promise<Transcript> {
  if (path === '-') throw usageError('A transcript is read from a file. Write standard input to a file first.')
  holdDownMemory()
  const transcript = await readTranscript(path, format)
  try {
    transcript.format.history.read(conversationOf(transcript))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [, index] = /^\w+\[(\d+)\]/.exec(error.message) ?? []
    const line = index === undefined ? undefined : transcript.messages[Number(index)]?.line
    const title = `read as ${transcript.format.title}`
    throw transcriptError(path, line, `${title}, ${error.message} Another --format may fit.`, { cause: error })
  }
  return transcript
}
