import type { Invocation } from '../action.ts'
import { expandTranscript, reportExpanded } from '../history/expand-transcript.ts'
import type { ExpandOptions } from '../history/history-options.ts'
import { readChecked } from '../history/read-checked.ts'
import { assertOutput, outputOf, writeTranscript } from '../history/transcript/write-transcript.ts'
import { withStore } from '../with-store.ts'

/** Run `spillway history expand`. */
export async function historyExpand({ args: [path = ''], options }: Invocation<ExpandOptions>): Promise<number> {
  const output = outputOf(options)
  if (output !== undefined) await assertOutput(output)
  const transcript = await readChecked(path, options)
  const expanded = await withStore(options, (storage) => expandTranscript(transcript, options, storage))
  if (output !== undefined) await writeTranscript(transcript, expanded.conversation, output)
  return await reportExpanded(transcript, expanded, options)
}
