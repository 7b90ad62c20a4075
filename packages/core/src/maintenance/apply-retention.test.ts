import { describe, expect, it } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { createStorage, type ManagedStorage } from '../storage/managed-storage.ts'
import { applyRetention, type RetentionOptions, type RetentionRule } from './apply-retention.ts'

const MINUTE = 60_000

/** A storage with an entry of 1,000 bytes in each scope, stored a minute apart, the last one now. */
async function filled(scopes: readonly string[]): Promise<{ storage: ManagedStorage; references: readonly string[] }> {
  let time = Date.now() - scopes.length * MINUTE
  const storage = tinyStorage({ now: () => time })
  const references: string[] = []
  for (const [index, scope] of scopes.entries()) {
    time += MINUTE
    const metadata = { tool: index % 2 === 0 ? 'search' : 'read' }
    references.push(await storage.scope(scope).store('call', new Uint8Array(1_000), undefined, { metadata }))
  }
  return { storage, references }
}

const scopesOf = async (storage: ManagedStorage): Promise<string[]> => {
  const left: string[] = []
  for (const scope of ['a', 'b', 'c', 'd']) {
    for await (const _ of storage.scope(scope).list()) left.push(scope)
  }
  return left
}

describe('applyRetention', () => {
  it('evicts the least recently used entries of all scopes beyond a number of bytes, and retrieving them says so', async () => {
    const { storage, references } = await filled(['a', 'b', 'c', 'd'])
    await storage.scope('a').retrieve(references[0]!)
    expect(await applyRetention(storage, { rules: [{ maxBytes: 4_000 }] })).toMatchObject({ entries: 0 })
    expect(await applyRetention(storage, { rules: [{ maxBytes: 2_999 }] })).toEqual({
      entries: 2,
      bytes: 2_000,
      rules: [{ entries: 2, bytes: 2_000 }],
    })
    expect(await scopesOf(storage)).toEqual(['a', 'd'])
    await expect(storage.scope('b').retrieve(references[1]!)).rejects.toMatchObject({
      code: 'evicted',
      eviction: { reason: 'quota', metadata: { tool: 'read' } },
    })
  })

  it('evicts by age and by last use, and the first rule that matches an entry decides', async () => {
    const { storage, references } = await filled(['a', 'b', 'c', 'd'])
    await storage.scope('b').retrieve(references[1]!)
    const rules = [{ scope: ['a'] }, { tool: 'read', idleMs: MINUTE / 2 }, { maxAgeMs: MINUTE / 2 }]
    const report = await applyRetention(storage, { rules })
    expect(report.rules.map(({ entries }) => entries)).toEqual([0, 0, 1])
    expect(await scopesOf(storage)).toEqual(['a', 'b', 'd'])
  })

  it('only reports in a dry run, and keeps entries used in the last keepMs', async () => {
    const { storage } = await filled(['a', 'b', 'c', 'd'])
    const rules = [{ maxBytes: 0 }]
    expect(await applyRetention(storage, { rules, dryRun: true })).toMatchObject({ entries: 4, bytes: 4_000 })
    expect(await applyRetention(storage, { rules, keepMs: 1.5 * MINUTE })).toMatchObject({ entries: 2 })
    expect(await scopesOf(storage)).toEqual(['c', 'd'])
  })

  it('evicts an entry that is in the cache of read content', async () => {
    // Within `refreshMs`, cached content is read without asking the driver.
    const driver = Object.assign(new TinyDriver(new TinyDisk(Date.now)), { refreshMs: MINUTE })
    const storage = createStorage(driver)
    const reference = await storage.scope('a').store('call', new Uint8Array(1_000))
    const content = await storage.scope('a').open(reference)
    await content.read(0, 10)
    await content.close()
    await applyRetention(storage, { rules: [{ maxBytes: 0 }] })
    await expect(storage.scope('a').open(reference)).rejects.toMatchObject({ code: 'evicted' })
  })

  it('evicts nothing if the name of an option or of a field of a rule is unknown', async () => {
    const { storage } = await filled(['a', 'b'])
    const rules = [{ maxBytes: 0 }]
    const dryRun = { rules, dryrun: true } as RetentionOptions
    await expect(applyRetention(storage, dryRun)).rejects.toThrow('Unknown option "dryrun"')
    const scopes = { rules: [{ scopes: ['a'], maxBytes: 0 } as RetentionRule] }
    await expect(applyRetention(storage, scopes)).rejects.toThrow('Unknown option "scopes"')
    expect(await scopesOf(storage)).toEqual(['a', 'b'])
  })

  it.each([{ maxBytes: -1 }, { maxAgeMs: Number.NaN }, { idleMs: '1' as unknown as number }])(
    'rejects the rule %o by naming the limit',
    async (rule) => {
      const { storage } = await filled([])
      await expect(applyRetention(storage, { rules: [rule] })).rejects.toThrow(Object.keys(rule)[0])
    },
  )
})
