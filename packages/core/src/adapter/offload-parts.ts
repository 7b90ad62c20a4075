import type { ContentBlock } from '../content/content-block.ts'
import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { OffloadRequest } from '../offload/offload-request.ts'

/** A tool result in the parts of a framework, and how these are read and written. */
export interface PartsRequest<Part> extends Omit<OffloadRequest, 'content'> {
  readonly parts: readonly Part[]
  /** Map a part to a block; `{ type: 'unknown', value: part }` for one that means nothing to Spillway. */
  readonly toBlock: (part: Part) => ContentBlock
  /** Make the part that carries the replacement. */
  readonly fromText: (text: string) => Part
}

/**
 * Offload a tool result that comes in the parts of a framework, and return the parts that take their place.
 *
 * The replacement comes first; parts that are kept come back as the very objects that were passed in, so that nothing of
 * them is lost in mapping. Returns `undefined` where the result stays as it is, for whatever {@link InlineReason}.
 * Rejects as {@link ContextOffloader.offload} does.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadParts } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const parts = [{ kind: 'text', body: 'a line of a log\n'.repeat(5_000) }]
 * const replaced = await offloadParts(offloader, {
 *   toolName: 'read_log',
 *   toolCallId: 'call_1',
 *   parts,
 *   toBlock: ({ body }) => ({ type: 'text', text: body }),
 *   fromText: (text) => ({ kind: 'text', body: text }),
 * })
 * console.assert(replaced?.[0]?.body.startsWith('[Offloaded: 1 block'))
 * ```
 */
export async function offloadParts<Part>(
  offloader: Pick<ContextOffloader, 'offload'>,
  { parts, toBlock, fromText, ...request }: PartsRequest<Part>,
): Promise<readonly Part[] | undefined> {
  const content = parts.map(toBlock)
  const outcome = await offloader.offload({ ...request, content })
  if (outcome.status === 'inline') return undefined
  const [replacement, ...kept] = outcome.content
  if (replacement?.type !== 'text') throw new TypeError('An offloaded result must begin with its replacement.')
  const partOf = new Map(content.map((block, index) => [block, parts[index] as Part]))
  return [fromText(replacement.text), ...kept.map((block) => partOf.get(block) as Part)]
}
