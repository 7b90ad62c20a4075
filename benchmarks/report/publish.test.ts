import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { besideHighest, besideLowest } from './comparison.ts'
import { readResults, withFigures, type Results } from './publish.ts'

const MARKED = `# All

## Worst first

<!-- worst figures -->
<!-- end of figures -->

## Some work

Before.

<!-- figures: some/one, some/two, some/never -->

Old figures.

<!-- end of figures -->

After.
`

const RESULTS: Readonly<Record<string, Results>> = {
  'some/one': {
    title: 'One',
    machine: { node: 'v24', cpu: 'chip', cores: 2, load: 0.5 },
    bounds: [{ name: 'time', most: 1, value: 2.5, where: 'x|y', unit: 'ms' }],
    comparisons: [{ what: 'a score', unit: '%', ours: 90, other: besideHighest(90, [{ name: 'p', value: 80 }], 100) }],
  },
  'some/two': {
    title: 'Two',
    bounds: [],
    comparisons: [
      {
        what: 'a cost',
        unit: 'ms',
        ours: 3,
        floor: besideLowest(3, [{ name: 'f', value: 1.5 }]),
        other: besideLowest(3, [
          { name: 'slow', value: 8 },
          { name: 'free', value: 0 },
          { name: 'unknown', value: undefined },
        ]),
      },
    ],
  },
}

describe('publish', () => {
  it('writes the worst row first, both in its section and in the list of the worst rows, with limits and links', () => {
    const published = withFigures(MARKED, (name) => RESULTS[name])
    expect(published).toContain(`
| benchmark                            | measured | Spillway | floor or best other | times |
| ------------------------------------ | -------- | -------: | ------------------: | ----: |
| [Some work](benchmarks.md#some-work) | a cost   |     3 ms |         0 ms (free) |     ∞ |
`)
    expect(published).toContain(`
| measured | Spillway |       floor | times |  best other | times |
| -------- | -------: | ----------: | ----: | ----------: | ----: |
| a cost   |     3 ms | 1.50 ms (f) |  2.00 | 0 ms (free) |     ∞ |
| a score  |   90.0 % |             |       |  80.0 % (p) |  0.50 |

Missed 1 of 1 limits of the benchmark: time: 2.50 ms, limit 1 ms (x\\|y). Measured with Node.js v24 on 2 cores of chip, load at the start 0.50. Full tables: [One](../benchmarks/some/results/one.md), [Two](../benchmarks/some/results/two.md).
`)
    expect(published).not.toContain('Old figures.')
    expect(withFigures(published, (name) => RESULTS[name])).toBe(published)
  })

  it('has written the saved results into docs/benchmarks.md, which has at most 300 lines', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8')
    expect(withFigures(document, readResults)).toBe(document)
    expect(document.split('\n').length).toBeLessThanOrEqual(301)
  })
})
