import type {
  ByteRange,
  DriverContent,
  DriverEntry,
  EntryId,
  EntryInfo,
  NewEntryInfo,
  OpenEntry,
  StorageDriver,
} from '@spillway/core'

interface Entry {
  readonly content: Uint8Array
  info: EntryInfo
}

/** Keep entries in maps, one for each scope, so that listing a scope costs what is in it. */
export class MemoryDriver implements StorageDriver {
  readonly ephemeral = true
  readonly refreshMs = 0
  readonly #scopes = new Map<string, Map<EntryId, Entry>>()

  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined = () => undefined,
  ): Promise<boolean> {
    const content = await join(chunks)
    const index = lineIndex()
    const kept = index === undefined ? {} : { lineIndex: index }
    if ((await this.touch(id, info.lastUsedAt)) !== undefined) return false
    const scope = scopeOf(id)
    const entries = this.#scopes.get(scope) ?? new Map<EntryId, Entry>()
    entries.set(id, { content, info: { ...info, ...kept, size: content.byteLength } })
    this.#scopes.set(scope, entries)
    return true
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    const entry = this.#find(id)
    if (entry === undefined) return undefined
    const { offset, length } = range ?? { offset: 0, length: entry.content.byteLength }
    // Not content.slice(), which for a Buffer would share its memory.
    const content = new Uint8Array(entry.content.subarray(offset, offset + length))
    return { content, info: entry.info }
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    const entry = this.#find(id)
    if (entry === undefined) return undefined
    const { content, info } = entry
    return {
      info,
      read: async ({ offset, length }) => content.subarray(offset, offset + length),
      close: async () => undefined,
    }
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return this.#find(id)?.info
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | undefined> {
    const entries = this.#scopes.get(scopeOf(id))
    const entry = entries?.get(id)
    if (entries === undefined || entry === undefined) return undefined
    entry.info = { ...entry.info, lastUsedAt: Math.max(lastUsedAt, entry.info.lastUsedAt + 1) }
    // Listing in the order of use tells apart what was used in the same millisecond.
    entries.delete(id)
    entries.set(id, entry)
    return entry.info.lastUsedAt
  }

  async remove(id: EntryId): Promise<boolean> {
    const scope = scopeOf(id)
    const entries = this.#scopes.get(scope)
    const removed = entries?.delete(id) ?? false
    if (entries?.size === 0) this.#scopes.delete(scope)
    return removed
  }

  async *list(prefix: string): AsyncGenerator<DriverEntry> {
    // Copies, because an entry that is used while it is listed moves to the end and would come again.
    for (const [scope, entries] of [...this.#scopes])
      if (`${scope}/`.startsWith(prefix)) for (const [id, { info }] of [...entries]) yield { id, info }
  }

  async close(): Promise<void> {
    this.#scopes.clear()
  }

  #find(id: EntryId): Entry | undefined {
    return this.#scopes.get(scopeOf(id))?.get(id)
  }
}

const scopeOf = (id: EntryId): string => id.slice(0, Math.max(0, id.lastIndexOf('/')))

async function join(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.byteLength
  }
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const content = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    content.set(part, at)
    at += part.byteLength
  }
  return content
}
