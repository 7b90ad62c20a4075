import { describe, expect, it } from 'vitest'
import { readModel } from '../../packages/previews/src/log/line-model.ts'
import { renderTextPreview } from '../../packages/previews/src/log/render-text-preview.ts'
import { TextScanner } from '../../packages/previews/src/log/text-scanner.ts'
import { SeededRandom } from '../answer/seeded-random.ts'
import type { LogCase } from './cases.ts'
import { fitModel } from './fit-model.ts'
import { assignFolds, FOLDS } from './folds.ts'
import { trainingRows } from './training-rows.ts'

const TOOLS = ['make', 'cargo', 'pytest', 'eslint', 'terraform', 'helm']

/** Create a log of an invented project: steps of a build, and one line with the failure. */
function madeLog(tool: string, seed: number): LogCase {
  const random = new SeededRandom(seed)
  const lines = Array.from({ length: 300 }, () => `${tool}: step ${random.below(900)} of part ${random.below(90)} done`)
  const at = random.below(280) + 10
  const answer = `src/part${seed}.c:${at}: fatal problem: widget ${seed} exploded`
  lines[at] = answer
  return {
    id: `${tool}/${seed}`,
    group: tool,
    domain: seed % 2 === 0 ? 'made' : 'real',
    isNew: true,
    hasLicense: true,
    text: `${lines.join('\n')}\n`,
    gold: { units: [answer], wholeWord: false },
    ranges: [[at + 1, at + 1]],
  }
}

const logs = TOOLS.flatMap((tool, index) => [madeLog(tool, 2 * index), madeLog(tool, 2 * index + 1)])

describe('fitModel', () => {
  it('gives the same bytes in each run, and a model that finds the failure of an unknown tool', () => {
    const first = fitModel(logs.map(trainingRows))
    expect(fitModel(logs.map(trainingRows))).toEqual(first)
    expect(Buffer.from(first.features, 'base64').length).toBeLessThanOrEqual(4_000 * 5)

    const unseen = madeLog('gradle', 77)
    const scanner = new TextScanner(readModel(first))
    scanner.push(unseen.text)
    const options = { budgetTokens: 100, countTokens: (text: string) => text.length / 3 }
    expect(renderTextPreview(scanner.finish(), options)).toContain('widget 77 exploded')
  })

  it('uses only features that four groups share', () => {
    const few = logs.filter(({ group }) => TOOLS.slice(0, 3).includes(group))
    expect(fitModel(few.map(trainingRows)).features).toBe('')
  })
})

describe('assignFolds', () => {
  it('assigns each group to one fold, and about the same number of cases to each fold', () => {
    const cases = Array.from({ length: 120 }, (_, index) => ({ group: `g${index % 40}` }))
    const folds = assignFolds(cases)
    const sizes = Array.from(
      { length: FOLDS },
      (_, fold) => cases.filter(({ group }) => folds.get(group) === fold).length,
    )
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(3)
    expect(assignFolds(cases)).toEqual(folds)
  })
})
