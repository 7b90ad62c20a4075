import type { Invocation } from '../action.ts'
import { withStore } from '../store-options.ts'
import { expandTranscript, reportExpanded } from './expand-transcript.ts'
import type { ExpandOptions, TranscriptOptions } from './history-options.ts'
import { listReferences, reportReferences } from './list-references.ts'
import { readChecked } from './read-checked.ts'
import { assertOutput, outputOf, writeTranscript } from './transcript/write-transcript.ts'

/** Run `spillway history expand`. */
export async function runExpand({ args: [path = ''], options }: Invocation<ExpandOptions>): Promise<number> {
  const output = outputOf(options)
  if (output !== undefined) await assertOutput(output)
  const transcript = await readChecked(path, options)
  const expanded = await withStore(options, (storage) => expandTranscript(transcript, options, storage))
  if (output !== undefined) await writeTranscript(transcript, expanded.conversation, output)
  return await reportExpanded(transcript, expanded, options)
}

/** Run `spillway history references`. */
export async function runReferences({ args: [path = ''], options }: Invocation<TranscriptOptions>): Promise<number> {
  const transcript = await readChecked(path, options)
  const references = await withStore(options, (storage) => listReferences(transcript, storage))
  return await reportReferences(references, options)
}
