import type { Invocation } from '../action.ts'
import type { TranscriptOptions } from '../history/history-options.ts'
import { listReferences, reportReferences } from '../history/list-references.ts'
import { readChecked } from '../history/read-checked.ts'
import { withStore } from '../with-store.ts'

/** Run `spillway history references`. */
export async function historyReferences({
  args: [path = ''],
  options,
}: Invocation<TranscriptOptions>): Promise<number> {
  const transcript = await readChecked(path, options)
  const references = await withStore(options, (storage) => listReferences(transcript, storage))
  return await reportReferences(references, options)
}
