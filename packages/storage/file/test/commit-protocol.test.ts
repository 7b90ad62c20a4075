import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../src/index.ts'
import { hookedFileSystem, killedAfter } from './support/hooked-file-system.ts'
import { LinkingMemoryFileSystem, SteppingMemoryFileSystem } from './support/memory-file-system.ts'
import {
  collectLater,
  CONTENT,
  driverOn,
  FILES,
  filesOf,
  ID,
  INFO,
  OTHER_ID,
  store,
  USED,
  type FileDriver,
} from './support/one-entry.ts'
import { takeSteps } from './support/take-steps.ts'
import { streamOf } from './support/text.ts'

/** A driver on a disk that has no space left for another directory. */
const driverOnFull = (fileSystem: FileSystem): FileDriver =>
  driverOn(
    hookedFileSystem(fileSystem, async (operation) => {
      if (operation === 'createDirectory') throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }),
  )

/** Run an operation repeatedly, killed after 0, 1, 2, … steps, until it finishes. Return the number of steps. */
async function killEverywhere(
  prepare: (driver: FileDriver) => Promise<unknown>,
  operation: (driver: FileDriver, fileSystem: FileSystem) => Promise<unknown>,
  check: (fileSystem: LinkingMemoryFileSystem, outcome: 'killed' | 'finished') => Promise<void>,
  damage: (fileSystem: LinkingMemoryFileSystem) => Promise<void> = async () => {},
  Disk: typeof LinkingMemoryFileSystem = LinkingMemoryFileSystem,
): Promise<number> {
  for (let steps = 0; ; steps += 1) {
    const disk = new Disk()
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
  test('leaves the whole entry or no entry, and no other files', async () => {
    const steps = await killEverywhere(
      async () => {},
      (driver) => store(driver),
      async (disk, outcome) => {
        const found = await driverOn(disk).read(ID)
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        else expect(outcome).toBe('killed')
        await collectLater(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(found?.content)
        expect(filesOf(disk)).toEqual(found === undefined ? filesOf(disk).filter((path) => path === FILES[0]) : FILES)
        await store(driverOn(disk))
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(filesOf(disk).slice(-2)).toEqual(FILES.slice(1))
      },
    )
    expect(steps).toBeGreaterThan(10)
  })

  test('cannot harm an existing entry', async () => {
    await killEverywhere(
      (driver) => store(driver),
      (driver) => store(driver, USED),
      async (disk) => {
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        await collectLater(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(FILES)
      },
    )
  })
})

describe('a writer with batched steps, killed at any operation', () => {
  /** The files, without the files of the other entry, which was stored to create the folders. */
  const ownFiles = (disk: LinkingMemoryFileSystem): string[] => filesOf(disk).filter((path) => !path.includes('call_2'))

  test.each([
    ['leaves the whole entry or no entry, and no leftovers', false],
    ['cannot harm an existing entry', true],
  ])('%s', async (_name, exists) => {
    const steps = await killEverywhere(
      async (driver) => {
        await driver.write(OTHER_ID, streamOf(CONTENT), INFO)
        if (exists) await store(driver)
      },
      (driver) => store(driver, USED),
      async (disk, outcome) => {
        const found = await driverOn(disk).read(ID)
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        else expect([outcome, exists]).toEqual(['killed', false])
        await collectLater(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(found?.content)
        expect(ownFiles(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
        await store(driverOn(disk))
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(ownFiles(disk)).toEqual(FILES)
      },
      undefined,
      SteppingMemoryFileSystem,
    )
    expect(steps).toBeGreaterThan(9)
  })

  test('continues if an operation has no effect', async () => {
    for (let failing = 0, isDone = false; !isDone; failing += 1) {
      const disk = new SteppingMemoryFileSystem()
      await driverOn(disk).write(OTHER_ID, streamOf(CONTENT), INFO)
      const runSteps = disk.runSteps.bind(disk)
      disk.runSteps = async (steps) => {
        isDone = failing === steps.length
        return runSteps(steps.slice(0, failing))
      }
      expect(await driverOn(disk).write(ID, streamOf(CONTENT), USED)).toEqual({ created: true, lastUsedAt: 200 })
      expect(await driverOn(disk).read(ID)).toMatchObject({ content: CONTENT, info: { lastUsedAt: 200 } })
      expect(ownFiles(disk)).toEqual(FILES)
    }
  })

  test('restores content that a remover deleted before the entry existed', async () => {
    const disk = new SteppingMemoryFileSystem()
    await driverOn(disk).write(OTHER_ID, streamOf(CONTENT), INFO)
    const runSteps = disk.runSteps.bind(disk)
    disk.runSteps = async (steps) => {
      const checked = steps.findLastIndex(({ step }) => step === 'isFile')
      const taken = await runSteps(steps.slice(0, checked))
      await disk.removeFile('/s/tenant/call_1_abc.txt')
      return taken + (await runSteps(steps.slice(checked)))
    }
    expect(await store(driverOn(disk))).toBe(true)
    expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
    expect(ownFiles(disk)).toEqual(FILES)
  })

  test('leaves no files if the content cannot be written', async () => {
    const disk = new SteppingMemoryFileSystem()
    await driverOn(disk).write(OTHER_ID, streamOf(CONTENT), INFO)
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
    disk.runSteps = async (steps) => {
      await takeSteps(disk, steps.slice(0, 5))
      return 4
    }
    const { link } = disk
    disk.link = async () => Promise.reject(full)
    await expect(store(driverOn(disk))).rejects.toMatchObject({ code: 'unavailable', cause: full })
    disk.link = link
    expect(ownFiles(disk)).toEqual(FILES.slice(0, 1))
  })
})

describe('a remover killed at any step', () => {
  test.each([
    ['evicting', (driver: FileDriver) => driver.evict(ID, 100)],
    ['deleting', (driver: FileDriver) => driver.remove(ID)],
    ['evicting on a full disk', (_: FileDriver, disk: FileSystem) => driverOnFull(disk).evict(ID, 100)],
    ['deleting on a full disk', (_: FileDriver, disk: FileSystem) => driverOnFull(disk).remove(ID)],
  ])('leaves the whole entry or no entry when %s, and no other files', async (_name, operation) => {
    const steps = await killEverywhere(
      (driver) => store(driver),
      operation,
      async (disk, outcome) => {
        await collectLater(disk)
        const found = await driverOn(disk).read(ID)
        if (outcome === 'finished') expect(found).toBeUndefined()
        if (found !== undefined) expect(found.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(found === undefined ? FILES.slice(0, 1) : FILES)
      },
    )
    expect(steps).toBeGreaterThan(5)
  })

  test.each([
    ['with free space', driverOn],
    ['without free space', driverOnFull],
  ])('on a disk %s does not prevent storing the entry again', async (_name, driverOnDisk) => {
    await killEverywhere(
      (driver) => store(driver),
      (_, fileSystem) => driverOnDisk(fileSystem).evict(ID, 100),
      async (disk) => {
        await store(driverOn(disk), USED)
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        await collectLater(disk)
        expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
        expect(filesOf(disk)).toEqual(FILES)
      },
    )
  })

  test('does not prevent deleting the entry', async () => {
    await killEverywhere(
      (driver) => store(driver),
      (driver) => driver.evict(ID, 100),
      async (disk) => {
        await driverOn(disk).remove(ID)
        expect(await driverOn(disk).read(ID)).toBeUndefined()
        await collectLater(disk)
        expect(await driverOn(disk).read(ID)).toBeUndefined()
        expect(filesOf(disk)).toEqual(FILES.slice(0, 1))
      },
    )
  })
})

describe('a collector killed at any step', () => {
  test.each([
    ['writer', (driver: FileDriver) => store(driver, USED), false],
    ['writer of an existing entry', (driver: FileDriver) => store(driver, USED), true],
    ['remover', (driver: FileDriver) => driver.evict(ID, 100), true],
  ])(
    'harms nothing after a %s was killed at any step, and the next collector finishes',
    async (_name, operation, exists) => {
      let isFinished = false
      for (let steps = 0; !isFinished; steps += 1)
        await killEverywhere(
          async (driver) => {
            await driver.write(OTHER_ID, streamOf(CONTENT), INFO)
            if (exists) await store(driver)
          },
          (_, fileSystem) => collectLater(fileSystem),
          async (disk) => {
            await collectLater(disk)
            expect((await driverOn(disk).read(OTHER_ID))?.content).toEqual(CONTENT)
            const found = await driverOn(disk).read(ID)
            if (found !== undefined) expect(found.content).toEqual(CONTENT)
            expect(filesOf(disk)).toHaveLength(found === undefined ? 3 : 5)
          },
          async (disk) => {
            const { fileSystem, killed } = killedAfter(disk, steps)
            isFinished = await Promise.race([
              operation(driverOn(fileSystem)).then(() => true),
              killed.then(() => false),
            ])
          },
        )
    },
  )
})

test.each([
  ['in single steps', LinkingMemoryFileSystem],
  ['in one batch', SteppingMemoryFileSystem],
])('a writer restores files that a collector with a fast clock removed, %s', async (_how, Disk) => {
  const disk = new Disk()
  await driverOn(disk).write(OTHER_ID, streamOf(CONTENT), INFO)
  for (const collectedBefore of [1, 2]) {
    await driverOn(disk).remove(ID)
    const { link } = disk
    let links = 0
    disk.link = async (from, to) => {
      links += 1
      if (links === collectedBefore) await collectLater(disk)
      return link.call(disk, from, to)
    }
    expect(await store(driverOn(disk))).toBe(true)
    disk.link = link
    expect(links).toBeGreaterThan(2)
    expect((await driverOn(disk).read(ID))?.content).toEqual(CONTENT)
    expect(filesOf(disk).filter((path) => !path.includes('call_2'))).toEqual(FILES)
  }
})

test('an entry whose removal is canceled between two reads is found', async () => {
  const disk = new LinkingMemoryFileSystem()
  await store(driverOn(disk))
  const hasLooked = Promise.withResolvers<void>()
  const isCalledOff = Promise.withResolvers<void>()
  let reading: Promise<unknown> = Promise.resolve()

  let looks = 0
  const reader = hookedFileSystem(disk, async (operation) => {
    if (operation === 'readFile') looks += 1
    if (operation !== 'realPath' || looks !== 1) return
    hasLooked.resolve()
    await isCalledOff.promise
  })
  const remover = hookedFileSystem(disk, async (operation) => {
    // The entry is used after the remover has read the sidecar, and is read while the remover holds the sidecar.
    if (operation === 'createDirectory') await driverOn(disk).touch(ID, 200)
    if (operation !== 'link') return
    reading = driverOn(reader).read(ID)
    await hasLooked.promise
  })

  expect(await driverOn(remover).evict(ID, 100)).toBe(false)
  isCalledOff.resolve()
  expect(await reading).toMatchObject({ content: CONTENT })
})
