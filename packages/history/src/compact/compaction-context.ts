import type { HistoryFormat } from '../history-format.ts'
import type { HistoryToolCall } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'

/** What parts are compacted with. */
export interface CompactionContext extends ResolvedHistoryOptions {
  readonly format: HistoryFormat<unknown>
  /** The calls of the history by their ids: the arguments of a call help to preview its result. */
  readonly calls: ReadonlyMap<string, HistoryToolCall>
}
