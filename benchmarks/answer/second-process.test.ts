import { expect, test } from 'vitest'
import { generatedCases } from './cases/generated-cases.ts'
import { sameInSecondProcess } from './second-process.ts'

test('Spillway writes the same bytes in a second process', async () => {
  const same = await sameInSecondProcess(generatedCases(1, 1), ['Spillway', 'no such system'])
  expect([...same]).toEqual([
    ['Spillway', true],
    ['no such system', false],
  ])
})
