import type { ContentBlock } from '@spillway/text/internal'
import { createStorage, type ManagedStorage } from '../src/storage/managed-storage.ts'
import type { DriverContent, StorageDriver } from '../src/storage/storage-driver.ts'
import type { ManagedStorageOptions } from '../src/storage/storage.ts'
import type { ContextOffloaderOptions, OffloadEvent } from '../src/offload/context-offloader-options.ts'
import { ContextOffloader } from '../src/offload/context-offloader.ts'
import type { Outcome } from '../src/offload/offload-request.ts'

/** A storage over a map, whose writes can be made to fail. */
export function mapStorage(options?: ManagedStorageOptions): {
  storage: ManagedStorage
  entries: Map<string, DriverContent>
  failWrites(times: number): void
} {
  const entries = new Map<string, DriverContent>()
  let failing = 0
  const driver: StorageDriver = {
    ephemeral: true,
    refreshMs: 0,
    async write(id, chunks, info) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      if (failing > 0 && --failing === 0) throw new Error('disk full')
      const content = new Uint8Array(Buffer.concat(parts))
      entries.set(id, { content, info: { ...info, size: content.length } })
      return true
    },
    async read(id, range) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const { offset, length } = range ?? { offset: 0, length: entry.content.length }
      return { ...entry, content: entry.content.slice(offset, offset + length) }
    },
    async touch(id, lastUsedAt) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const at = Math.max(lastUsedAt, entry.info.lastUsedAt + 1)
      entries.set(id, { ...entry, info: { ...entry.info, lastUsedAt: at } })
      return at
    },
    remove: async (id) => entries.delete(id),
    async *list(prefix) {
      for (const [id, { info }] of [...entries]) if (id.startsWith(prefix)) yield { id, info }
    },
  }
  return { storage: createStorage(driver, options), entries, failWrites: (times) => void (failing = times) }
}

export const quarter = (text: string): number => Math.ceil(text.length / 4)

export const log = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => `line ${line} of the log, all is well`).join('\n')

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text })

export function setUp(options: Partial<ContextOffloaderOptions> = {}) {
  const map = mapStorage()
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: map.storage,
    countTokens: quarter,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const offload = (
    content: ContentBlock[],
    more: { toolName?: string; toolCallId?: string; isError?: boolean } = {},
  ): Promise<Outcome> => offloader.offload({ toolName: 'tool', toolCallId: 'call_1', content, ...more })
  return { ...map, events, offloader, offload }
}

export function offloaded(outcome: Outcome): Extract<Outcome, { status: 'offloaded' }> {
  if (outcome.status !== 'offloaded') throw new Error(`was left inline: ${outcome.reason}`, { cause: outcome.error })
  return outcome
}

export function replacementText(outcome: Outcome): string {
  const [block] = offloaded(outcome).content
  if (block?.type !== 'text') throw new Error('expected the replacement first')
  return block.text
}
