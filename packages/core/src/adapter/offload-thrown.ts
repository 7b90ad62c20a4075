import { indentJson } from '@spillway/text/internal'
import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { OffloadRequest } from '../offload/offload-request.ts'

/** What a tool threw. */
export interface ThrownRequest extends Omit<OffloadRequest, 'content' | 'isError'> {
  readonly thrown: unknown
}

/**
 * Offload the message of what a tool threw, where it is over the limit, and return what to throw in its place.
 *
 * What is small comes back as the very value. An error is replaced by one of the same class, with its own fields, the
 * replacement as message and the original as `cause`; a string by a string; anything else by an error. What cannot be
 * put into words stays. Never rejects.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadThrown } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const thrown = new RangeError('compilation failed\n'.repeat(5_000))
 * const replaced = await offloadThrown(offloader, { toolName: 'build', toolCallId: 'call_1', thrown })
 * console.assert(replaced instanceof RangeError && replaced.cause === thrown && replaced.message.length < 10_000)
 * ```
 */
export async function offloadThrown(
  offloader: Pick<ContextOffloader, 'offload'>,
  { thrown, ...request }: ThrownRequest,
): Promise<unknown> {
  const text = messageOf(thrown)
  if (text === undefined) return thrown
  const outcome = await offloader.offload({ ...request, isError: true, content: [{ type: 'text', text }] })
  const [replacement] = outcome.content
  if (outcome.status === 'inline' || replacement?.type !== 'text') return thrown
  return typeof thrown === 'string' ? replacement.text : replaceError(thrown, replacement.text)
}

function messageOf(thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return thrown
  const text: unknown = thrown instanceof Error ? thrown.message : indentJson(thrown)
  return typeof text === 'string' ? text : undefined
}

/** Handlers tell errors apart by class, name and fields such as `code`: those of the original stay. */
function replaceError(thrown: unknown, message: string): Error {
  const error = new Error(message, { cause: thrown })
  if (!(thrown instanceof Error)) return error
  Object.setPrototypeOf(error, Object.getPrototypeOf(thrown) as object)
  const { message: _message, stack: _stack, cause: _cause, ...own } = Object.getOwnPropertyDescriptors(thrown)
  return Object.defineProperties(error, own)
}
