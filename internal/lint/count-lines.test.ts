import { expect, it } from 'vitest'
import { countLines, LINE_BUDGETS } from './count-lines.ts'

it('no package has more lines than its budget', () => {
  const lines = countLines()
  const over = [...lines].filter(([folder, count]) => count > (LINE_BUDGETS[folder] ?? LINE_BUDGETS.other))
  expect(over).toEqual([])
  expect([...lines.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LINE_BUDGETS.total)
})
