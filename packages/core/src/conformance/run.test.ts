import { isFull } from '@spillway-internal/test-run'
import { describe, expect, test } from 'vitest'
import { tinyHarness, tinyStorage } from '../../test/tiny-storage.ts'
import { check, fail } from './conformance-failure.ts'
import type { ConformanceCase, ConformanceHarness } from './harness.ts'
import type { CaseResult } from './report.ts'
import { runConformance } from './run.ts'

const promise = (run: ConformanceCase['run'], parts: Partial<ConformanceCase> = {}): ConformanceCase => ({
  id: 'area/promise',
  title: 'A promise',
  run,
  ...parts,
})

const broken = promise(async () => fail('it is not kept'))

const kept = promise(async () => undefined)

const harness: ConformanceHarness = { name: 'bare', create: async () => ({ storage: tinyStorage() }) }

async function resultOf(
  one: ConformanceCase,
  parts: Partial<ConformanceHarness> = {},
): Promise<CaseResult | undefined> {
  const { results } = await runConformance({ ...harness, ...parts }, { cases: [one] })
  return results[0]
}

describe('runConformance', () => {
  test('passes a storage that keeps every promise, even if the run is thorough', async () => {
    const filter = (id: string): boolean => isFull || /^(?:store|reference)\//.test(id)
    const report = await runConformance(tinyHarness(), { thorough: true, seed: 2, filter })
    expect(report.results.filter(({ status }) => status !== 'passed' && status !== 'skipped')).toEqual([])
    expect(report).toMatchObject({ name: 'tiny', level: 'full', ok: true })
  })

  test('reports failures, and distinguishes a broken promise from an unexpected error', async () => {
    expect(await resultOf(broken)).toMatchObject({
      status: 'failed',
      detail: 'it is not kept',
      failure: { kind: 'promise' },
    })
    const erring = promise(async () => {
      throw new RangeError('out of range')
    })
    expect(await resultOf(erring)).toMatchObject({
      status: 'failed',
      failure: { kind: 'error', message: 'out of range' },
    })
  })

  test('shortens the middle of a long failure message', async () => {
    const reference = `mem_${'A'.repeat(100_000)}`
    const error = new Error(`${reference} has another form`)
    for (const run of [async () => fail(`"${reference}" has another form`), () => Promise.reject(error)]) {
      const result = await resultOf(promise(run))
      expect(result?.detail).toMatch(/^"?mem_A+ … A+"? has another form$/)
      expect(result?.detail?.length).toBeLessThan(500)
      expect(result?.failure?.message).toBe(result?.detail)
    }
  })

  test('is not ok if a case failed', async () => {
    expect((await runConformance(harness, { cases: [kept] })).ok).toBe(true)
    expect((await runConformance(harness, { cases: [kept, { ...broken, id: 'area/other' }] })).ok).toBe(false)
  })

  test('expects a known gap to fail, and fails the run if the gap closes', async () => {
    const knownGaps = { 'area/promise': 'not built yet' }
    expect(await resultOf(broken, { knownGaps })).toMatchObject({ status: 'known-gap', detail: 'not built yet' })
    expect(await resultOf(kept, { knownGaps })).toMatchObject({ status: 'gap-closed' })
    expect((await runConformance({ ...harness, knownGaps }, { cases: [broken] })).ok).toBe(true)
    expect((await runConformance({ ...harness, knownGaps }, { cases: [kept] })).ok).toBe(false)
  })

  test('does not count a failure of the harness as a known gap', async () => {
    const knownGaps = { 'area/promise': 'not built yet' }
    const dispose = async (): Promise<void> => {
      throw new Error('cannot be removed')
    }
    const create = failingAfter(1)
    expect(await resultOf(broken, { knownGaps, create })).toMatchObject({
      status: 'failed',
      failure: { kind: 'setup' },
    })
    let creations = 0
    const leaking: ConformanceHarness['create'] = async () => {
      creations += 1
      return { storage: tinyStorage(), ...(creations > 1 ? { dispose } : {}) }
    }
    expect(await resultOf(kept, { create: leaking })).toMatchObject({ status: 'failed', failure: { kind: 'teardown' } })
  })

  test('stops a case that hangs', async () => {
    const hanging = promise(() => new Promise<never>(() => undefined))
    expect(await resultOf(hanging, { timeoutMs: 20 })).toMatchObject({ status: 'failed', failure: { kind: 'timeout' } })
  })

  test('creates a new storage with its settings for each case, and disposes of everything opened', async () => {
    const events: string[] = []
    let created = 0
    const create: ConformanceHarness['create'] = async (settings) => {
      const name = `storage ${(created += 1)}`
      events.push(`create ${name} ${JSON.stringify(settings)}`)
      return { storage: tinyStorage(), dispose: () => void events.push(`dispose ${name}`) }
    }
    const cases = [
      promise(async ({ storage, another }) => check(storage !== (await another()), 'it is the same')),
      promise(async () => undefined, { id: 'area/other', settings: { ttlMs: 5 } }),
    ]
    await runConformance({ ...harness, settings: ['ttlMs'], create }, { cases })
    expect(events).toEqual([
      ...['create storage 1 {}', 'dispose storage 1'],
      ...['create storage 2 {}', 'create storage 3 {}', 'dispose storage 2', 'dispose storage 3'],
      ...['create storage 4 {"ttlMs":5}', 'dispose storage 4'],
    ])
  })

  test('closes storages that a case opened again', async () => {
    let closed = 0
    const reopened = Object.assign(tinyStorage(), { close: async () => void (closed += 1) })
    const create: ConformanceHarness['create'] = async () => ({
      storage: tinyStorage(),
      powers: { reopen: async () => reopened },
    })
    const reopening = promise(async ({ powers }) => void (await powers.reopen()), { requires: ['reopen'] })
    expect(await resultOf(reopening, { create })).toMatchObject({ status: 'passed' })
    expect(closed).toBe(1)
  })

  test('gives a case the same random numbers for the same seed', async () => {
    const numbers: number[] = []
    const cases = [promise(async ({ random }) => void numbers.push(random(), random()))]
    for (const seed of [7, 7, 8]) await runConformance(harness, { cases, seed })
    expect(numbers.slice(0, 2)).toEqual(numbers.slice(2, 4))
    expect(numbers.slice(0, 2)).not.toEqual(numbers.slice(4))
    for (const number of numbers) expect(number >= 0 && number < 1).toBe(true)
  })

  test('reports each result at once', async () => {
    const seen: string[] = []
    const cases = [kept, { ...broken, id: 'area/other' }]
    await runConformance(harness, { cases, onResult: ({ id, status }) => seen.push(`${id} ${status}`) })
    expect(seen).toEqual(['area/promise passed', 'area/other failed'])
  })
})

function failingAfter(successes: number): ConformanceHarness['create'] {
  let left = successes
  return async () => {
    left -= 1
    if (left < 0) throw new Error('cannot be created')
    return { storage: tinyStorage() }
  }
}
