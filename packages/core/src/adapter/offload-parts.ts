import type { ContentBlock } from '@spillway/text/internal'
import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { InlineReason, OffloadRequest } from '../offload/offload-request.ts'

/** A tool result in the parts of a framework, and how these are read and written. */
export interface PartsRequest<Part> extends Omit<OffloadRequest, 'content'> {
  readonly parts: readonly Part[]
  /** Map a part to a block; `{ type: 'unknown', value: part }` for one that means nothing to Spillway. */
  readonly toBlock: (part: Part) => ContentBlock
  /** Make the part that carries the replacement. */
  readonly fromText: (text: string) => Part
  /** Make the part of a block that a previewer added, such as a smaller image. Without it such blocks are left out. */
  readonly fromBlock?: ((block: ContentBlock) => Part) | undefined
}

/** What became of a result in parts: it stays as it is, or others take their place. */
export type PartsOutcome<Part> =
  | { readonly status: 'inline'; readonly reason: InlineReason }
  | { readonly status: 'offloaded'; readonly parts: readonly [Part, ...Part[]] }

/**
 * Offload a tool result that comes in the parts of a framework, and return the parts that take their place.
 *
 * The replacement comes first, then what previewers added; parts that are kept come back as the very objects that were
 * passed in, so that nothing of them is lost in mapping. Rejects as {@link ContextOffloader.offload} does.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadParts } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const parts = [{ kind: 'text', body: 'a line of a log\n'.repeat(5_000) }]
 * const outcome = await offloadParts(offloader, {
 *   toolName: 'read_log',
 *   toolCallId: 'call_1',
 *   parts,
 *   toBlock: ({ body }) => ({ type: 'text', text: body }),
 *   fromText: (text) => ({ kind: 'text', body: text }),
 * })
 * console.assert(outcome.status === 'offloaded' && outcome.parts[0].body.startsWith('[Offloaded: 1 block'))
 * ```
 */
export async function offloadParts<Part>(
  offloader: Pick<ContextOffloader, 'offload'>,
  { parts, toBlock, fromText, fromBlock, ...request }: PartsRequest<Part>,
): Promise<PartsOutcome<Part>> {
  const content = parts.map(toBlock)
  const outcome = await offloader.offload({ ...request, content })
  if (outcome.status === 'inline') return { status: 'inline', reason: outcome.reason }
  const [replacement, ...kept] = outcome.content
  if (replacement?.type !== 'text') throw new TypeError('An offloaded result must begin with its replacement.')
  const partOf = new Map(content.map((block, index) => [block, parts[index] as Part]))
  const keptParts = kept.flatMap((block) => {
    if (partOf.has(block)) return [partOf.get(block) as Part]
    return fromBlock === undefined ? [] : [fromBlock(block)]
  })
  return { status: 'offloaded', parts: [fromText(replacement.text), ...keptParts] }
}
