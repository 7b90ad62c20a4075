import { expect, test } from 'vitest'
import type { AdapterCase } from './adapter-case.ts'
import { ENTRY_POINT_CASES, FRAMEWORK_CASES, HOOK_CASES } from './cases/case-dependencies.ts'
import { ADAPTER_CASES } from './cases/index.ts'
import { selectCases } from './select-cases.ts'

const run = async (): Promise<void> => {}
const CASES: readonly AdapterCase[] = [
  { id: 'own', title: '', run },
  { id: 'entry-point', title: '', dependsOn: 'entry-point', run },
  { id: 'framework', title: '', dependsOn: 'framework', run },
  { id: 'histories', title: '', dependsOn: 'framework', needs: 'compactsHistory', run },
  { id: 'calls/parallel', title: '', dependsOn: 'framework', run },
]
const USUAL = { isFull: false, isOlderVersion: false, runsElsewhere: 'nothing' } as const
const idsOf = (...parameters: Parameters<typeof selectCases>): readonly string[] =>
  selectCases(...parameters).map(({ id }) => id)

test('the first harness of the newest version runs all its cases', () => {
  expect(idsOf(CASES, {}, USUAL)).toEqual(['own', 'entry-point', 'framework', 'calls/parallel'])
  expect(idsOf(CASES, { compactsHistory: true }, USUAL)).toHaveLength(5)
})

test("another entry point runs the cases that not only the adapter's own code can break", () => {
  expect(idsOf(CASES, {}, { ...USUAL, runsElsewhere: 'every case' })).toEqual([
    'entry-point',
    'framework',
    'calls/parallel',
  ])
})

test('a variant of an entry point runs the cases that the framework can break', () => {
  expect(idsOf(CASES, {}, { ...USUAL, runsElsewhere: 'cases of entry points' })).toEqual([
    'framework',
    'calls/parallel',
  ])
})

test('with an older version, the first harness runs the cases of the framework, and the others the cases of hooks', () => {
  const older = { ...USUAL, isOlderVersion: true }
  expect(idsOf(CASES, { compactsHistory: true }, older)).toEqual(['framework', 'histories', 'calls/parallel'])
  expect(idsOf(CASES, {}, { ...older, runsElsewhere: 'every case' })).toEqual(['calls/parallel'])
})

test('a full run has all cases', () => {
  const full = { isFull: true, isOlderVersion: true, runsElsewhere: 'cases of entry points' } as const
  expect(idsOf(CASES, { compactsHistory: true }, full)).toHaveLength(5)
})

test('each mark names one existing case, and no case is marked twice', () => {
  const marked = [...FRAMEWORK_CASES, ...ENTRY_POINT_CASES]
  const ids = ADAPTER_CASES.map(({ id }) => id)
  expect(marked.filter((id) => !ids.includes(id))).toEqual([])
  expect(new Set(marked).size).toBe(marked.length)
  expect(HOOK_CASES.filter((id) => !FRAMEWORK_CASES.includes(id))).toEqual([])
  expect(FRAMEWORK_CASES.length).toBeLessThanOrEqual(30)
})
