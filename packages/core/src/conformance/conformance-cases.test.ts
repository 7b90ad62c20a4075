import { describe, expect, test } from 'vitest'
import { tinyHarness } from '../../test/tiny-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { conformanceCases } from './cases/index.ts'
import type { ConformanceHarness } from './harness.ts'
import { runConformance } from './run.ts'

describe('conformanceCases', () => {
  test('have unique ids, made of an area and a promise', () => {
    const ids = conformanceCases.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z-]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/)
  })

  test('begin with the isolation of storages, on which all other cases rely', () => {
    expect(conformanceCases[0]?.id).toBe('harness/isolated')
  })

  test('use only the methods that they require', async () => {
    // Cases that need the driver have a storage with all methods.
    for (const one of conformanceCases.filter(({ needsDriver }) => needsDriver !== true)) {
      const report = await runConformance(reducedHarness(one.requires ?? []), { cases: [one] })
      expect(report.results.filter(({ status }) => status !== 'passed' && status !== 'skipped')).toEqual([])
    }
  })

  test('of the level two-method pass on a storage that has only two methods', async () => {
    const powers = ['reopen', 'outage', 'plant']
    const report = await runConformance({ ...reducedHarness(powers), level: 'two-method' })
    const rest = report.results.filter(({ status }) => status !== 'passed' && status !== 'skipped')
    expect(rest.filter(({ status }) => status !== 'not-applicable')).toEqual([])
    expect(rest.map(({ id }) => id)).toContain('store/receipt')
    expect(report.results.length - rest.length).toBeGreaterThan(25)
  })
})

/** The tiny harness with only the named methods and powers. */
function reducedHarness(names: readonly string[]): ConformanceHarness {
  const harness = tinyHarness()
  const reduced = (storage: Storage): Storage => {
    const methods = Object.fromEntries(
      ['store', 'retrieve', ...names].flatMap((name) => {
        const method: unknown = Reflect.get(storage, name)
        return typeof method === 'function' ? [[name, method.bind(storage)]] : []
      }),
    ) as unknown as Storage
    return storage.scope === undefined || !names.includes('scope')
      ? methods
      : { ...methods, scope: (...segments) => reduced((storage as Required<Storage>).scope(...segments)) }
  }
  return {
    ...harness,
    level: 'full',
    async create(settings) {
      const { storage, powers = {} } = await harness.create(settings)
      const { reopen } = powers
      const kept = Object.fromEntries(Object.entries(powers).filter(([name]) => names.includes(name)))
      if (reopen !== undefined && names.includes('reopen')) kept['reopen'] = async () => reduced(await reopen())
      return { storage: reduced(storage), powers: kept }
    },
  }
}
