import {
  createStorage,
  type ManagedStorage,
  type ManagedStorageOptions,
  type StorageDriver,
} from '../src/driver/index.ts'
import type { Storage } from '../src/index.ts'
import { runKillScript, type ConformanceHarness, type StorageSettings } from '../src/conformance/index.ts'
import { TINY_MAX_TOMBSTONES, TinyDisk, TinyDriver } from './tiny-driver.ts'

/** Make a separate storage for a test of core. */
export const tinyStorage = (options: ManagedStorageOptions = {}): ManagedStorage =>
  createStorage(new TinyDriver(new TinyDisk(options.now ?? Date.now)), options)

/** Changes of a test to the storages of {@link tinyHarness}. */
export interface TinyVariation {
  readonly name?: string
  /** Make another driver. Called for each instance that is opened over a disk. */
  readonly driver?: (disk: TinyDisk) => StorageDriver
  /** Change a finished storage. `open` opens one more, unchanged instance over the same disk. */
  readonly storage?: (storage: ManagedStorage, disk: TinyDisk, open: () => ManagedStorage) => Storage
  /** Make the disk of a new storage. */
  readonly disk?: (now: () => number) => TinyDisk
  /** Change the options that a storage is made with. */
  readonly options?: (settings: StorageSettings) => ManagedStorageOptions
}

/** Return a harness with every power, around a storage that keeps every promise unless a variation breaks one. */
export function tinyHarness(variation: TinyVariation = {}): ConformanceHarness {
  return {
    name: variation.name ?? 'tiny',
    settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
    timeoutMs: 10_000,
    async create(settings) {
      let time = Date.UTC(2026, 0, 1)
      const now = (): number => time
      const disk = variation.disk?.(now) ?? new TinyDisk(now)
      const options = { ...(variation.options?.(settings) ?? settings), now }
      const driver = (): StorageDriver => variation.driver?.(disk) ?? new TinyDriver(disk)
      const open = (): Storage => {
        const storage = createStorage(driver(), options)
        return variation.storage?.(storage, disk, () => createStorage(driver(), options)) ?? storage
      }
      return {
        storage: open(),
        powers: {
          reopen: async () => open(),
          clock: { now, advance: (milliseconds) => void (time += milliseconds) },
          outage: async () => {
            disk.isDown = true
            return async () => void (disk.isDown = false)
          },
          residue: async () => disk.records.size + disk.unfinished.size,
          plant: async (content) => {
            disk.links.set('planted_link', content)
            return ['planted_link', '../planted', '/planted', 'tiny:planted', 'planted']
          },
          kill: (script) =>
            new Promise((resolve, reject) => {
              runKillScript(open(), script, resolve).catch(reject)
            }),
          damage: async (reference) => {
            const [, record] = [...disk.records].find(([id]) => id.endsWith(reference)) ?? []
            if (record === undefined) throw new Error(`${reference} is not on the disk`)
            record.content = record.content.slice(0, -1)
          },
          shell: async (command) => {
            const [, id = ''] = /^tiny '([^']*)'$/.exec(command) ?? []
            return disk.records.get(id)?.content ?? new TextEncoder().encode(`tiny: ${command}: not found`)
          },
          maxTombstones: TINY_MAX_TOMBSTONES,
        },
      }
    },
  }
}
