import type { ContextOffloader, OffloadRequest } from '@spillway/core'
import { offloadParts } from '@spillway/core/adapter'
import { blockToPart } from './block-to-part.ts'
import { partToBlock, type ResultPart } from './part-to-block.ts'

/** A result as the offloader is told of it, but for its content. */
export interface CallResult extends Omit<OffloadRequest, 'content'> {
  /** Whether a member of a toolset was called, such as one of a browser. */
  readonly isOfToolset: boolean
}

/** Offload the content of a tool result, and return what the model is to see; the very content where it stays. */
export async function offloadContent<Content>(
  offloader: ContextOffloader,
  { isOfToolset, ...result }: CallResult,
  content: Content,
): Promise<Content | string | ResultPart[]> {
  if (typeof content !== 'string' && !Array.isArray(content)) return content
  const parts: readonly (string | ResultPart)[] = typeof content === 'string' ? [content] : content
  const outcome = await offloadParts(offloader, {
    ...result,
    parts,
    toBlock: (part) => {
      const block = typeof part === 'string' ? ({ type: 'text', text: part } as const) : partToBlock(part)
      // Models work a browser or a computer by what else there is, such as screenshots: it stays, at no cost.
      return isOfToolset && block.type !== 'text' ? { type: 'unknown', value: undefined } : block
    },
    fromText: (text): string | ResultPart => (typeof content === 'string' ? text : { type: 'text', text }),
    // The API refuses an error result that has anything but text.
    fromBlock: result.isError === true ? undefined : blockToPart,
  })
  if (outcome.status === 'inline') return content
  const [replacement, ...kept] = outcome.parts
  if (typeof replacement === 'string') return replacement
  // Where a cached prefix ended in what was replaced, it ends with the replacement.
  const still = new Set<unknown>(kept)
  const marks = parts.map((part) => (still.has(part) ? undefined : (Object(part) as Partial<ResultPart>).cache_control))
  const cache_control = marks.findLast((mark) => mark != null)
  return [{ ...replacement, ...(cache_control && { cache_control }) }, ...kept] as ResultPart[]
}
