import { describe, expect, test } from 'vitest'
import { tinyHarness, tinyStorage } from '../../test/tiny-storage.ts'
import type { Storage } from '../storage/storage.ts'
import type { ConformanceCase, ConformanceHarness } from './harness.ts'
import { planConformance, testName, throwUnlessExpected, type PlannedCase } from './plan.ts'

const passing = (parts: Partial<ConformanceCase> = {}): ConformanceCase => ({
  id: 'area/promise',
  title: 'A promise',
  run: async () => undefined,
  ...parts,
})

const bare: ConformanceHarness = { name: 'bare', create: async () => ({ storage: tinyStorage() }) }

function twoMethods(): Storage {
  const { store, retrieve } = tinyStorage()
  return { store, retrieve }
}

describe('planConformance', () => {
  test('runs the cases that storage and harness support', async () => {
    const cases = [passing({ requires: ['list', 'outage'], settings: { ttlMs: 5 } })]
    expect(await planConformance(tinyHarness(), { cases })).toEqual([{ case: cases[0], action: 'run' }])
  })

  test('reports cases of a missing power as not proven, and names the power', async () => {
    const cases = [passing({ requires: ['outage'] }), passing({ id: 'area/other', requires: ['reopen'] })]
    const harness: ConformanceHarness = { ...bare, missingPowers: { reopen: 'it lives in memory' } }
    expect(await planConformance(harness, { cases })).toMatchObject([
      { action: 'not-proven', reason: 'the harness has no power "outage"' },
      { action: 'not-proven', reason: 'it lives in memory' },
    ])
  })

  test('reports a case as not proven if the harness cannot apply its setting', async () => {
    const cases = [passing({ settings: { maxBytes: 5 } })]
    expect(await planConformance(bare, { cases })).toMatchObject([
      { action: 'not-proven', reason: 'the harness cannot set maxBytes' },
    ])
  })

  test('marks cases as not applicable if the storage lacks their settings, and says why', async () => {
    const cases = [passing({ settings: { ttlMs: 5 }, requires: ['outage'] }), passing({ settings: { maxBytes: 5 } })]
    const harness: ConformanceHarness = { ...bare, missingSettings: { ttlMs: 'the server sees to it' } }
    expect(await planConformance(harness, { cases })).toMatchObject([
      { action: 'not-applicable', reason: 'the server sees to it' },
      { action: 'not-proven', reason: 'the harness cannot set maxBytes' },
    ])
  })

  test.each([
    { missingSettings: { age: 'unknown' } },
    { missingSettings: { ttlMs: 'both' }, settings: ['ttlMs'] as const },
  ])('refuses %j', async (parts) => {
    const harness = { ...bare, ...parts } as ConformanceHarness
    await expect(planConformance(harness, { cases: [passing()] })).rejects.toThrow('missingSettings names')
  })

  test('skips cases of methods that a storage does not have', async () => {
    const harness: ConformanceHarness = {
      ...bare,
      level: 'full',
      create: async () => ({ storage: twoMethods() }),
    }
    const cases = [passing({ requires: ['endTurn', 'outage'] })]
    expect(await planConformance(harness, { cases })).toMatchObject([
      { action: 'not-applicable', reason: 'the storage has no endTurn()' },
    ])
  })

  test('does not require promises of the full level from a two-method storage', async () => {
    const cases = [passing(), passing({ id: 'area/both', level: 'two-method' })]
    expect(await planConformance({ ...bare, level: 'two-method' }, { cases })).toMatchObject([
      { action: 'not-applicable' },
      { action: 'run' },
    ])
  })

  test('leaves out cases that the filter refuses', async () => {
    const cases = [passing(), passing({ id: 'area/other' })]
    const plan = await planConformance(bare, { cases, filter: (id) => id === 'area/other' })
    expect(plan.map((planned) => planned.case.id)).toEqual(['area/other'])
  })

  test('skips large cases unless they are requested', async () => {
    const cases = [passing({ large: true })]
    expect(await planConformance(bare, { cases })).toMatchObject([{ action: 'skipped' }])
    expect(await planConformance(bare, { cases, large: true })).toMatchObject([{ action: 'run' }])
  })

  test('includes known gaps, and refuses a known gap that names no case', async () => {
    const cases = [passing()]
    const plan = await planConformance({ ...bare, knownGaps: { 'area/promise': 'not built yet' } }, { cases })
    expect(plan).toMatchObject([{ action: 'run', knownGap: 'not built yet' }])
    const misspelt = planConformance({ ...bare, knownGaps: { 'area/promises': 'not built yet' } }, { cases })
    await expect(misspelt).rejects.toThrow('"area/promises"')
  })

  test.each([
    [{ ...bare, name: '' }, 'name'],
    [{ name: 'bare' } as unknown as ConformanceHarness, 'create()'],
    [undefined as unknown as ConformanceHarness, 'create()'],
    [{ ...bare, missingPowers: { reset: 'no' } } as unknown as ConformanceHarness, '"reset"'],
    [{ ...bare, create: async () => ({ storage: {} }) } as unknown as ConformanceHarness, 'store()'],
    [{ ...bare, level: 'minimal' } as unknown as ConformanceHarness, 'must be "two-method" or "full", got "minimal"'],
    [{ ...bare, level: null } as unknown as ConformanceHarness, 'got null'],
    [{ ...bare, pageSize: 0 }, 'pageSize must be a whole number above 0, got 0.'],
    [
      { ...bare, timeoutMs: '9' } as unknown as ConformanceHarness,
      'timeoutMs must be a whole number above 0, got "9".',
    ],
    [{ ...bare, settings: ['maxAge'] } as unknown as ConformanceHarness, '"maxAge"'],
    [{ ...bare, create: async () => ({ storage: twoMethods() }) }, "Give the harness level: 'two-method'"],
    [
      {
        ...bare,
        create: async () => ({ storage: tinyStorage(), powers: { reset: 1 } }),
      } as unknown as ConformanceHarness,
      '"reset"',
    ],
  ])('refuses an incomplete harness (%#)', async (harness, words) => {
    const plan = planConformance(harness, { cases: [passing()] })
    await expect(plan).rejects.toThrow(TypeError)
    await expect(plan).rejects.toThrow(words)
  })

  test('disposes of the storage that it inspected', async () => {
    let open = 0
    const harness: ConformanceHarness = {
      ...bare,
      async create() {
        open += 1
        return { storage: tinyStorage(), dispose: () => void (open -= 1) }
      },
    }
    await planConformance(harness, { cases: [passing()] })
    expect(open).toBe(0)
  })
})

const one = { id: 'area/promise', title: 'A promise', run: async () => undefined }

test.each<[PlannedCase, string]>([
  [{ case: one, action: 'run' }, 'area/promise'],
  [{ case: one, action: 'run', knownGap: 'not built yet' }, 'area/promise [known gap: not built yet]'],
  [{ case: one, action: 'not-proven', reason: 'no power' }, 'area/promise [not proven: no power]'],
  [{ case: one, action: 'not-applicable', reason: 'no list()' }, 'area/promise [not applicable: no list()]'],
  [{ case: one, action: 'skipped' }, 'area/promise [skipped: no reason given]'],
])('the name of a test has the planned case and its reason (%#)', (planned, name) => {
  expect(testName(planned)).toBe(name)
})

test('a failed result throws an error with the broken promise and its cause', () => {
  const error = new Error('cause')
  const failure = { kind: 'promise', message: 'it is not kept', error } as const
  const result = { id: one.id, title: one.title, detail: 'it is not kept', failure }
  expect(() => throwUnlessExpected({ ...result, status: 'failed' })).toThrow(
    expect.objectContaining({ message: 'area/promise: it is not kept (promised: A promise)', cause: error }),
  )
  expect(() => throwUnlessExpected({ ...result, status: 'gap-closed' })).toThrow('area/promise')
  for (const status of ['passed', 'known-gap', 'not-proven', 'not-applicable', 'skipped'] as const)
    expect(() => throwUnlessExpected({ ...result, status })).not.toThrow()
})
