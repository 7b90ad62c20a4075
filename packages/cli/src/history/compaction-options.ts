import { ContextOffloader, type Storage } from '@spillway/core'
import type { HistoryOptions, Summarize } from '@spillway/history'
import { usageError } from '../cli-error.ts'
import type { CompactOptions } from './history-options.ts'
import { referenceGuide } from './reference-guide.ts'
import type { Transcript } from './transcript/transcript.ts'

/** Make what a transcript is compacted with. */
export function compactionOptions(
  { format, layout }: Transcript,
  options: CompactOptions,
  storage: Storage,
  summarize: Summarize | undefined,
  storeArguments: string,
): HistoryOptions<unknown> {
  const { reading = layout.kind === 'session' ? 'command' : 'tool' } = options
  const guide =
    reading === 'command'
      ? { includeRetrievalTool: false, showLocation: false, guide: referenceGuide(storeArguments) }
      : {}
  return {
    offloader: new ContextOffloader({ storage, ...guide }),
    format: format.history,
    mode: options.mode,
    maxTotalTokens: options.maxTotalTokens,
    maxToolMessageTokens: options.maxToolMessageTokens,
    keepRecent: options.keepRecent,
    groupTokens: options.groupTokens,
    compactRatioThreshold: options.ratio,
    historyPreviewTokens: options.previewTokens,
    instructions: options.instructions,
    summarize,
  }
}

/** Say why a transcript cannot have a summary; undefined where it can. */
export function whyNoSummary({ format, layout }: Transcript): string | undefined {
  if (layout.kind === 'session') return 'a session of Claude Code has no system prompt to put a summary in'
  if (format.systemKey === undefined || (layout.kind === 'document' && layout.system !== undefined)) return undefined
  const list = format.systemKey === 'system' ? 'messages' : 'contents'
  return `${format.title} have no place for a summary here: make it a document { "${list}": [...] }`
}

/** Refuse what asks for a summary and cannot get one. */
export function assertCanSummarize(transcript: Transcript, options: CompactOptions): void {
  if (options.mode !== 'compress') return
  const reason = whyNoSummary(transcript)
  if (reason !== undefined) throw usageError(`--mode compress: ${reason}. Use --mode compact.`)
  if (options.model === undefined && options.plan !== true)
    throw usageError('--mode compress needs --model: the model that writes the summary.')
}
