import { AssertionError } from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { ADAPTER_CASES } from '../../src/index.ts'
import { tinyHarness } from '../tiny-harness.ts'
import { FAULTS, harnesses } from './index.ts'

const MODULE_URL = new URL('index.ts', import.meta.url).href

test('each case catches at least one faulty adapter', () => {
  const caught = new Set(FAULTS.flatMap(({ caughtBy }) => caughtBy))
  expect(ADAPTER_CASES.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([])
})

test('no two faults have the same name', () => {
  expect(Object.keys(harnesses)).toHaveLength(FAULTS.length)
})

describe.concurrent('faulty adapters', () => {
  const pairs = FAULTS.flatMap((fault) => fault.caughtBy.map((id) => [fault.name, id, fault] as const))
  test.each(pairs)('an adapter that %s is caught by %s', async (name, id, fault) => {
    const adapterCase = ADAPTER_CASES.find((one) => one.id === id)
    // What hangs in a declared gap is given up after a second.
    const harness = { ...tinyHarness(name, MODULE_URL, fault.create()), gaps: { [id]: name } }
    const failure = await adapterCase?.run(harness).catch((error: unknown) => error)
    expect(failure, 'The case must fail with an assertion error').toBeInstanceOf(AssertionError)
  })
})
