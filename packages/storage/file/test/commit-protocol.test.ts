import { StorageError, type NewEntryInfo } from '@spillway/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FileDriver } from '../src/file-driver.ts'
import type { FileSystem } from '../src/index.ts'
import { hookedFileSystem, killedAfter } from './support/hooked-file-system.ts'
import { LinkingMemoryFileSystem, type MemoryFileSystem } from './support/memory-file-system.ts'
import { bytes, streamOf } from './support/text.ts'

const ID = 'tenant/call_1_abc'
const OTHER = 'tenant/call_2_abc'
const CONTENT = bytes('the whole content')
const INFO: NewEntryInfo = { key: 'call_1', contentType: 'text/plain', storedAt: 100, lastUsedAt: 100, metadata: {} }
const USED: NewEntryInfo = { ...INFO, lastUsedAt: 200 }
const AN_HOUR_MS = 3_600_000
/** How many mixtures of steps to try; raise it for a soak. */
const RUNS = Number(process.env['SPILLWAY_RUNS'] ?? 250)
const FILES = ['/s/.gitignore', '/s/.metadata/tenant/call_1_abc.metadata.json', '/s/tenant/call_1_abc.txt']

const driverOn = (fileSystem: FileSystem): FileDriver => new FileDriver({ fileSystem, directory: '/s', fsync: false })
const store = (driver: FileDriver, info = INFO): Promise<boolean> => driver.write(ID, streamOf(CONTENT), info)
const filesOf = ({ nodes }: MemoryFileSystem): string[] =>
  [...nodes].flatMap(([path, { kind }]) => (kind === 'file' ? [path] : [])).sort()
const collect = (fileSystem: FileSystem): Promise<unknown> => driverOn(fileSystem).collect('', Date.now() + AN_HOUR_MS)

/** A driver on a disk that has no space left for another directory. */
const driverOnFull = (fileSystem: FileSystem): FileDriver =>
  driverOn(
    hookedFileSystem(fileSystem, async (operation) => {
      if (operation === 'createDirectory') throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }),
  )

/** Run an operation again and again, killed after 0, 1, 2, … steps, until it gets to its end; return how many there are. */
async function killEverywhere(
  prepare: (driver: FileDriver) => Promise<unknown>,
  operation: (driver: FileDriver, fileSystem: FileSystem) => Promise<unknown>,
  check: (fileSystem: LinkingMemoryFileSystem, outcome: 'killed' | 'finished') => Promise<void>,
  damage: (fileSystem: LinkingMemoryFileSystem) => Promise<void> = async () => {},
): Promise<number> {
  for (let steps = 0; ; steps += 1) {
    const disk = new LinkingMemoryFileSystem()
    await prepare(driverOn(disk))
    await damage(disk)
    const { fileSystem, killed } = killedAfter(disk, steps)
    const outcome = await Promise.race([
      operation(driverOn(fileSystem), fileSystem).then(() => 'finished' as const),
      killed.then(() => 'killed' as const),
    ])
    await check(disk, outcome)
    if (outcome === 'finished') return steps
  }
}

describe('a writer killed at any step', () => {
  test('leaves the whole entry or none, and nothing that stays', async () => {
    const steps = await killEverywhere(
      async () => {},
      (driver) => store(driver),
      async (disk, outcome) => {
        const found = await driverOn(disk).read(ID)
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        else expect(outcome).toBe('killed')
        await collect(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(found?.content)
        expect(filesOf(disk)).toEqual(found === undefined ? filesOf(disk).filter((path) => path === FILES[0]) : FILES)
        await store(driverOn(disk))
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(filesOf(disk).slice(-2)).toEqual(FILES.slice(1))
      },
    )
    expect(steps).toBeGreaterThan(10)
  })

  test('cannot harm an entry that is there', async () => {
    await killEverywhere(
      (driver) => store(driver),
      (driver) => store(driver, USED),
      async (disk) => {
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        await collect(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(FILES)
      },
    )
  })
})

describe('a remover killed at any step', () => {
  test.each([
    ['evicting', (driver: FileDriver) => driver.evict(ID, 100)],
    ['deleting', (driver: FileDriver) => driver.remove(ID)],
    ['evicting on a full disk', (_: FileDriver, disk: FileSystem) => driverOnFull(disk).evict(ID, 100)],
    ['deleting on a full disk', (_: FileDriver, disk: FileSystem) => driverOnFull(disk).remove(ID)],
  ])('leaves the whole entry or none when %s, and nothing that stays', async (_name, operation) => {
    const steps = await killEverywhere(
      (driver) => store(driver),
      operation,
      async (disk, outcome) => {
        await collect(disk)
        const found = await driverOn(disk).read(ID)
        if (outcome === 'finished') expect(found).toBeUndefined()
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
      },
    )
    expect(steps).toBeGreaterThan(5)
  })

  test.each([
    ['with space', driverOn],
    ['without space', driverOnFull],
  ])('on a disk %s does not keep the entry from being stored again', async (_name, driverOnDisk) => {
    await killEverywhere(
      (driver) => store(driver),
      (_, fileSystem) => driverOnDisk(fileSystem).evict(ID, 100),
      async (disk) => {
        await store(driverOn(disk), USED)
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        await collect(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(FILES)
      },
    )
  })

  test('does not keep the entry from being deleted', async () => {
    await killEverywhere(
      (driver) => store(driver),
      (driver) => driver.evict(ID, 100),
      async (disk) => {
        await driverOn(disk).remove(ID)
        expect(await driverOn(disk).read(ID)).toBeUndefined()
        await collect(disk)
        expect(await driverOn(disk).read(ID)).toBeUndefined()
        expect(filesOf(disk)).toEqual(FILES.slice(0, 1))
      },
    )
  })
})

describe('a collector killed at any step', () => {
  test.each([
    ['writer', (driver: FileDriver) => store(driver, USED), false],
    ['writer of an entry that is there', (driver: FileDriver) => store(driver, USED), true],
    ['remover', (driver: FileDriver) => driver.evict(ID, 100), true],
  ])('after a %s killed at any step harms nothing, and the next one finishes', async (_name, operation, exists) => {
    let isFinished = false
    for (let steps = 0; !isFinished; steps += 1)
      await killEverywhere(
        async (driver) => {
          await driver.write(OTHER, streamOf(CONTENT), INFO)
          if (exists) await store(driver)
        },
        async (driver) => driver.collect('', Date.now() + AN_HOUR_MS),
        async (disk) => {
          await collect(disk)
          expect((await driverOn(disk).read(OTHER))?.content).toEqual(CONTENT)
          const found = await driverOn(disk).read(ID)
          if (found !== undefined) expect(found.content).toEqual(CONTENT)
          expect(filesOf(disk)).toHaveLength(found === undefined ? 3 : 5)
        },
        async (disk) => {
          const { fileSystem, killed } = killedAfter(disk, steps)
          isFinished = await Promise.race([operation(driverOn(fileSystem)).then(() => true), killed.then(() => false)])
        },
      )
  })
})

/** What runs at the same time on one entry, and what it reported. */
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

/** Run actions on one disk with their steps mixed as `pauses` says, each killed after so many steps. */
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

describe('many processes on one entry', () => {
  test('an entry that a store or a touch has reported survives every eviction', async () => {
    const actor = fc.record({
      action: action('store', 'touch', 'evict', 'evict', 'read', 'collect'),
      pauses,
      killAfter: fc.constant(Infinity),
    })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(actor, { minLength: 2, maxLength: 5 }), async (exists, actors) => {
        const disk = new LinkingMemoryFileSystem()
        if (exists) await store(driverOn(disk))
        const outcomes = await runTogether(disk, actors)
        const found = await driverOn(disk).read(ID)
        if (outcomes.includes('stored') || outcomes.includes('found')) expect(found?.content).toEqual(CONTENT)
        const kept = found === undefined ? FILES.slice(0, 1) : FILES
        expect(filesOf(disk)).toEqual(exists || outcomes.includes('stored') ? kept : filesOf(disk))
      }),
      { numRuns: RUNS },
    )
  })

  test('an entry that a store or a touch has reported survives the kill of any remover', async () => {
    const reporter = fc.record({ action: action('store', 'touch'), pauses, killAfter: fc.constant(Infinity) })
    const other = fc.record({ action: action('store', 'evict', 'read', 'collect'), pauses, killAfter: fc.nat(40) })
    await fc.assert(
      fc.asyncProperty(reporter, fc.array(other, { minLength: 1, maxLength: 3 }), async (first, others) => {
        const disk = new LinkingMemoryFileSystem()
        await store(driverOn(disk))
        const outcomes = await runTogether(disk, [first, ...others])
        await collect(disk)
        const found = await driverOn(disk).read(ID)
        if (outcomes.includes('stored') || outcomes.includes('found')) expect(found?.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
      }),
      { numRuns: RUNS },
    )
  })

  test('a deletion leaves the entry whole or gone, whatever else happens', async () => {
    const actor = fc.record({
      action: action('remove', 'remove', 'store', 'touch', 'evict', 'read'),
      pauses,
      killAfter: fc.constant(Infinity),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(actor, { minLength: 2, maxLength: 5 }), async (actors) => {
        const disk = new LinkingMemoryFileSystem()
        await store(driverOn(disk))
        await runTogether(disk, actors)
        const found = await driverOn(disk)
          .read(ID)
          .catch((error: unknown) => expect.unreachable(StorageError.isInstance(error) ? error.message : String(error)))
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
      }),
      { numRuns: RUNS },
    )
  })
})
