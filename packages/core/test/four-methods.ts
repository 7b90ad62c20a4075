import type { DriverContent, StorageDriver } from '../src/index.ts'

/** Make the driver of the documentation, with four methods over a map. */
export function fourMethods(): StorageDriver {
  const entries = new Map<string, DriverContent>()
  return {
    async write(id, chunks, info) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk.slice())
      const content = new Uint8Array(Buffer.concat(parts))
      entries.set(id, { content, info: { ...info, size: content.length } })
    },
    async read(id, range) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const { offset, length } = range ?? { offset: 0, length: entry.content.length }
      return { ...entry, content: entry.content.slice(offset, offset + length) }
    },
    remove: async (id) => entries.delete(id),
    async *list(prefix) {
      for (const [id, { info }] of entries) if (id.startsWith(prefix)) yield { id, info }
    },
  }
}
