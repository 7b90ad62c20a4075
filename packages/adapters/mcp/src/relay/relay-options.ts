import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, type RunOptions } from '@spillway/core/adapter'

/**
 * Options of {@link offloadServer} and {@link offloadTransport}. `scope` gets the `authInfo` of the transport's
 * authentication. `scope` defaults to the offloader's own scope.
 */
export interface McpOffloadOptions extends RunOptions<unknown> {
  /** Called with an error that did not prevent the delivery of a message. Defaults to the transport's `onerror`. */
  readonly onError?: ((error: Error) => void) | undefined
}

export function assertMcpOptions(offloader: unknown, options: McpOffloadOptions, usage: string): void {
  assertRunOptions(offloader, options, { usage, others: ['onError'], mayShare: true })
  const { onError } = options
  if (onError !== undefined && typeof onError !== 'function')
    throw new TypeError(`onError must be a function, got ${typeof onError}.`)
}

export interface RelaySettings extends McpOffloadOptions {
  readonly offloader: ContextOffloader
}
