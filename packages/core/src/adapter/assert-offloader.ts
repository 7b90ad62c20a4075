import type { ContextOffloader } from '@spillway/core'

/** Refuse what is no offloader, such as the storage or the options of one; `usage` shows where it belongs. */
export function assertOffloader(offloader: unknown, usage: string): asserts offloader is ContextOffloader {
  if (typeof (offloader as Partial<ContextOffloader> | null | undefined)?.offload === 'function') return
  throw new TypeError(`offloader must be a ContextOffloader, got ${typeof offloader}: ${usage}.`)
}
