import { expect, it } from 'vitest'
import { compareSizes } from './compare-sizes.ts'
import { findGrowth } from './sizes.ts'

const tables = (bytes: number, modules: number, time: number): string => `
| package | bytes |
| ------- | ----: |
| core    | ${bytes} |

| entry | modules |
| ----- | ------: |
| core  | ${modules} |

| start | ms, median |
| ----- | ---------: |
| core  | ${time} |
`

it('the comparison accepts figures that grew by at most the allowed share, and any times', () => {
  expect(compareSizes(tables(100, 10, 1), tables(110, 9, 1_000), 0.1)).toEqual([])
})

it('the comparison names figures that grew by more', () => {
  expect(compareSizes(tables(100, 10, 1), tables(111, 12, 1), 0.1)).toEqual([
    'package core, bytes: 111, before 100.',
    'entry core, modules: 12, before 10.',
  ])
})

it('the comparison names new figures', () => {
  const before = tables(100, 10, 1).replace('| core  | 10 |\n', '')
  expect(compareSizes(before, tables(100, 10, 1), 0.1)).toEqual([
    'entry core, modules: 10 is new. Write the table again.',
  ])
})

it('CommonJS can require every packed entry, and no size has grown by more than a tenth', async () => {
  expect(await findGrowth()).toEqual([])
})
