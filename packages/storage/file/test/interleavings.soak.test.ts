import { StorageError } from '@spillway/core/driver'
import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hookedFileSystem, killedAfter } from './support/hooked-file-system.ts'
import { LinkingMemoryFileSystem, SteppingMemoryFileSystem } from './support/memory-file-system.ts'
import {
  collectLater,
  CONTENT,
  driverOn,
  FILES,
  filesOf,
  ID,
  store,
  USED,
  type FileDriver,
} from './support/one-entry.ts'

/** Number of random orders of steps to try. */
const RUNS = propertyRuns(250, 10_000)

/** Operations that run at the same time on one entry, with the outcomes that they reported. */
const ACTIONS = {
  store: async (driver: FileDriver) => ((await store(driver, USED)) ? 'stored' : 'found'),
  touch: async (driver: FileDriver) => ((await driver.touch(ID, 200)) === undefined ? 'missing' : 'found'),
  evict: async (driver: FileDriver) => ((await driver.evict(ID, 100)) ? 'evicted' : 'kept'),
  collect: async (driver: FileDriver) => (await driver.collect('', Date.now()), 'collected'),
  remove: async (driver: FileDriver) => ((await driver.remove(ID)) ? 'removed' : 'missing'),
  read: async (driver: FileDriver) => {
    const found = await driver.read(ID)
    if (found !== undefined && found.content.join() !== CONTENT.join()) throw new Error('A torn entry was visible.')
    return 'read'
  },
} as const

type Action = keyof typeof ACTIONS

/**
 * Run actions on one disk at the same time. `pauses` orders their steps, and each is killed after a number of steps.
 */
async function runTogether(
  disk: LinkingMemoryFileSystem,
  actors: readonly { readonly action: Action; readonly pauses: readonly number[]; readonly killAfter: number }[],
): Promise<readonly string[]> {
  return Promise.all(
    actors.map(async ({ action, pauses, killAfter }) => {
      let step = 0
      const slow = hookedFileSystem(disk, async () => {
        const pause = pauses[step % pauses.length] ?? 0
        step += 1
        for (let turn = 0; turn < pause; turn += 1) await new Promise(setImmediate)
      })
      const { fileSystem, killed } = killedAfter(slow, killAfter)
      return Promise.race([ACTIONS[action](driverOn(fileSystem)), killed.then(() => 'killed')])
    }),
  )
}

const pauses = fc.array(fc.nat(6), { minLength: 1, maxLength: 12 })
const action = (...names: Action[]): fc.Arbitrary<Action> => fc.constantFrom(...names)

describe.each([
  ['writing in single steps', LinkingMemoryFileSystem],
  ['writing in one batch', SteppingMemoryFileSystem],
])('many processes on one entry, %s', (_how, Disk) => {
  test('keep an entry that a store or a touch has reported, despite any eviction', async () => {
    const actor = fc.record({
      action: action('store', 'touch', 'evict', 'evict', 'read', 'collect'),
      pauses,
      killAfter: fc.constant(Infinity),
    })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(actor, { minLength: 2, maxLength: 5 }), async (exists, actors) => {
        const disk = new Disk()
        if (exists) await store(driverOn(disk))
        const outcomes = await runTogether(disk, actors)
        const found = await driverOn(disk).read(ID)
        if (outcomes.includes('stored') || outcomes.includes('found')) expect(found?.content).toEqual(CONTENT)
        const kept = found === undefined ? FILES.slice(0, 1) : FILES
        expect(filesOf(disk)).toEqual(exists || outcomes.includes('stored') ? kept : filesOf(disk))
      }),
      RUNS,
    )
  })

  test('keep an entry that a store or a touch has reported, even if a remover is killed', async () => {
    const reporter = fc.record({ action: action('store', 'touch'), pauses, killAfter: fc.constant(Infinity) })
    const other = fc.record({ action: action('store', 'evict', 'read', 'collect'), pauses, killAfter: fc.nat(40) })
    await fc.assert(
      fc.asyncProperty(reporter, fc.array(other, { minLength: 1, maxLength: 3 }), async (first, others) => {
        const disk = new Disk()
        await store(driverOn(disk))
        const outcomes = await runTogether(disk, [first, ...others])
        await collectLater(disk)
        const found = await driverOn(disk).read(ID)
        if (outcomes.includes('stored') || outcomes.includes('found')) expect(found?.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
      }),
      RUNS,
    )
  })

  test('leave a deleted entry complete or removed, in any order of operations', async () => {
    const actor = fc.record({
      action: action('remove', 'remove', 'store', 'touch', 'evict', 'read'),
      pauses,
      killAfter: fc.constant(Infinity),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(actor, { minLength: 2, maxLength: 5 }), async (actors) => {
        const disk = new Disk()
        await store(driverOn(disk))
        await runTogether(disk, actors)
        const found = await driverOn(disk)
          .read(ID)
          .catch((error: unknown) => expect.unreachable(StorageError.isInstance(error) ? error.message : String(error)))
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
      }),
      RUNS,
    )
  })
})
