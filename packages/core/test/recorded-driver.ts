import type { EntryId, StorageDriver } from '../src/index.ts'
import { TinyDisk, TinyDriver } from './tiny-driver.ts'

/** A tiny driver, with its disk and a record of its calls. */
export interface RecordedDriver {
  readonly driver: StorageDriver
  readonly disk: TinyDisk
  /** Names of the methods that were called, in their order. */
  readonly calls: string[]
  /** Bytes of content that were read. */
  readonly bytesRead: () => number
  /** The only entry on the disk. */
  readonly only: () => { readonly id: EntryId } & { content: Uint8Array; info: TinyDiskInfo }
}

type TinyDiskInfo = TinyDisk['records'] extends Map<EntryId, { info: infer Info }> ? Info : never

/** Make a tiny driver that records its calls. */
export function recordedDriver(changes: Partial<StorageDriver> = {}): RecordedDriver {
  const disk = new TinyDisk(Date.now)
  const tiny = new TinyDriver(disk)
  const calls: string[] = []
  let bytesRead = 0
  const driver: StorageDriver = {
    write: (...parameters) => (calls.push('write'), tiny.write(...parameters)),
    async read(...parameters) {
      calls.push('read')
      const found = await tiny.read(...parameters)
      bytesRead += found?.content.byteLength ?? 0
      return found
    },
    remove: (id) => (calls.push('remove'), tiny.remove(id)),
    list: (prefix) => (calls.push('list'), tiny.list(prefix)),
    stat: (id) => (calls.push('stat'), tiny.stat(id)),
    touch: (...parameters) => (calls.push('touch'), tiny.touch(...parameters)),
    evict: (...parameters) => (calls.push('evict'), tiny.evict(...parameters)),
    findEviction: (id) => (calls.push('findEviction'), tiny.findEviction(id)),
    ...changes,
  }
  return {
    driver,
    disk,
    calls,
    bytesRead: () => bytesRead,
    only: () => {
      const [entry, ...others] = disk.records
      if (entry === undefined || others.length > 0) throw new Error(`the disk has ${disk.records.size} entries`)
      const [id, record] = entry
      return Object.assign(record, { id })
    },
  }
}
