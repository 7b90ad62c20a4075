import { stateOf, type ManagedStorage } from '../storage/managed-storage.ts'
import type { StorageDriver } from '../storage/storage-driver.ts'
import type { Storage } from '../storage/storage.ts'
import type { ConformanceHarness, ConformancePowers } from './harness.ts'
import { runKillScript } from './kill-script.ts'
import { DEFAULT_TIMEOUT_MS } from './plan.ts'

/** A wrapper that {@link wrappedHarness} applies to the storages of a harness. */
export interface StorageWrapping {
  /** Name of the wrapper in reports: `compressed`. */
  readonly name: string
  /** Called for each instance. */
  wrap(storage: ManagedStorage): ManagedStorage
  /** Known gaps of the wrapper, in addition to the gaps of the backend: case id → reason. */
  readonly knownGaps?: Readonly<Record<string, string>>
}

/**
 * Make the harness of a wrapped backend from the backend's harness. The suite can then run on `compressed(storage)` and
 * `encrypted(storage, { key })`. The storages of the harness must be made by `createStorage` or a Spillway backend.
 *
 * The power `kill` uses a writer in this process that never ends, because the backend's own writer has no wrappers.
 * `damage` cuts the wrapped bytes.
 *
 * @example
 * ```ts
 * import { compressed } from '@spillway/core/wrappers'
 * import { runConformance, wrappedHarness, type ConformanceHarness } from '@spillway/core/conformance'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const memory: ConformanceHarness = { name: 'memory', create: async () => ({ storage: new InMemoryStorage() }) }
 * const harness = wrappedHarness(memory, { name: 'compressed', wrap: (storage) => compressed(storage) })
 * const report = await runConformance(harness, { filter: (id) => id.startsWith('range/') })
 * console.assert(report.results.every(({ status }) => status === 'passed'))
 * ```
 */
export function wrappedHarness(harness: ConformanceHarness, wrapping: StorageWrapping): ConformanceHarness {
  return {
    ...harness,
    name: `${harness.name}, ${wrapping.name}`,
    // Every operation of a wrapped storage takes longer.
    timeoutMs: 3 * (harness.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    knownGaps: { ...harness.knownGaps, ...wrapping.knownGaps },
    async create(settings) {
      const instance = await harness.create(settings)
      const storage = wrapping.wrap(instance.storage as ManagedStorage)
      return { ...instance, storage, powers: wrappedPowers(instance.storage, storage, instance.powers ?? {}, wrapping) }
    },
  }
}

function wrappedPowers(
  inner: Storage,
  storage: Storage,
  powers: ConformancePowers,
  { wrap }: StorageWrapping,
): ConformancePowers {
  const { reopen, kill, damage } = powers
  const open = async (): Promise<Storage> => (reopen === undefined ? storage : wrap((await reopen()) as ManagedStorage))
  return {
    ...powers,
    ...(reopen === undefined ? {} : { reopen: open }),
    ...(kill === undefined
      ? {}
      : {
          kill: async (script) => {
            const writer = await open()
            return await new Promise((resolve, reject) => {
              runKillScript(writer, script, resolve).catch(reject)
            })
          },
        }),
    ...(damage === undefined
      ? {}
      : {
          damage: async (reference) => {
            const { content } = await storage.retrieve(reference)
            if (!(await cutChangedContent(stateOf(inner)?.driver, content))) await damage(reference)
          },
        }),
  }
}

/** Cut the only entry of a driver. Content that is stored unchanged is not cut: the backend itself detects damage. */
async function cutChangedContent(driver: StorageDriver | undefined, plain: Uint8Array): Promise<boolean> {
  if (driver === undefined) throw new TypeError('The harness must create its storages with createStorage().')
  for await (const { id } of driver.list('')) {
    const found = await driver.read(id)
    if (found === undefined) continue
    const { content, info } = found
    if (content.length === plain.length && content.every((byte, at) => byte === plain[at])) return false
    await driver.remove(id)
    await driver.write(id, only(content.subarray(0, -1)), info, () => info.lineIndex)
    return true
  }
  return false
}

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
