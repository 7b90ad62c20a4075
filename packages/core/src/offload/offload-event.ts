import type { PreviewFallback } from '@spillway/previews'
import type { EvictedEntry } from '../storage/storage.ts'
import type { InlineReason, OffloadedBlock } from './offload-request.ts'
import type { RetrievalEvent } from '../retrieval/retrieval-tool.ts'

/** What a {@link ContextOffloader} reports through `onEvent`. Nothing in it is content. */
export type OffloadEvent =
  | {
      readonly type: 'offload'
      readonly toolName: string
      readonly toolCallId: string
      readonly stored: readonly OffloadedBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
    }
  | {
      /** A result over the limit was left as it was. */
      readonly type: 'offload-skipped'
      readonly toolName: string
      readonly toolCallId: string
      readonly reason: Exclude<InlineReason, 'within-limit' | 'retrieval-result' | 'cancelled' | 'failed'>
      readonly tokens: { readonly original: number }
    }
  | {
      /** Storing failed; the original result stays in the context and nothing new is left in storage. */
      readonly type: 'offload-failed'
      readonly toolName: string
      readonly toolCallId: string
      readonly error: unknown
      readonly tokens: { readonly original: number }
    }
  | ({
      /** A previewer could not be used: a preview by lines took its place, or of media only what their bytes tell. */
      readonly type: 'preview-fallback'
      readonly toolName: string
      readonly toolCallId: string
    } & PreviewFallback)
  | RetrievalEvent
  | {
      /** A model call did not offer the retrieval tool, which previews name; told once, where an adapter can see it. */
      readonly type: 'retrieval-tool-hidden'
      readonly toolName: string
    }
  | { readonly type: 'eviction'; readonly evicted: readonly EvictedEntry[] }
  | {
      /** The end of a turn could not be told to the storage; nothing was evicted. */
      readonly type: 'eviction-failed'
      readonly error: unknown
    }
  | {
      /** A history was over its limit: what was done to it, and whether it fits now. */
      readonly type: 'history'
      readonly applied: readonly ('compact' | 'compress')[]
      readonly fits: boolean
      readonly tokens: { readonly before: number; readonly after: number; readonly limit: number }
      /** How many results, arguments and groups of messages were stored for it. */
      readonly stored: number
      /** How many could not be stored, or summarised. */
      readonly failures: number
    }
