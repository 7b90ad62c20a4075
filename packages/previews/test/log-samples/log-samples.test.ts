import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { LineWords } from '../../src/log/line-words.ts'
import { LOG_RULES } from '../../src/log/rules/log-rules.ts'
import { TellingSearch } from '../../src/log/telling-search.ts'
import { SET_BITS } from '../../src/log/telling-words.ts'
import { previewText } from '../../src/preview-text.ts'
import { logPreviewer } from '../../src/log/log-previewer.ts'
import { readLogSamples } from './log-sample.ts'

const samples = readLogSamples()
const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`

describe.each([...new Set(samples.map(({ family }) => family))])(
  'a preview of 500 tokens of the output of %s',
  (family) => {
    it.each(samples.filter((sample) => sample.family === family))(
      'shows why $tool failed, among thousands of lines of progress',
      async ({ text, answers }) => {
        expect(answers.length).toBeGreaterThan(0)
        const previewers = [{ ...logPreviewer(), recognize: () => 1 }]
        const preview = await previewText(text, { budgetTokens: 500, countTokens, showLines, previewers })
        expect(countTokens(preview)).toBeLessThanOrEqual(500)
        for (const answer of answers) expect(preview).toContain(answer.slice(0, 160).trim())
      },
    )
  },
)

describe('the rules of logs', () => {
  it('name tools that have a sample, more than a hundred', () => {
    const named = new Set(LOG_RULES.flatMap(({ tools }) => tools))
    expect([...named].filter((name) => !samples.some(({ tool }) => tool === name))).toEqual([])
    expect(named.size).toBeGreaterThan(100)
  })

  it('are called for by the words of every line that they apply to', () => {
    const words = new LineWords()
    const uncalled: string[] = []
    for (const line of samples.flatMap(({ answers }) => answers)) {
      words.read(line, 0, line.length, new TellingSearch(line, 0).within(0, line.length))
      for (const [index, { pattern }] of LOG_RULES.entries()) {
        const called = words.rules[Math.floor(index / SET_BITS)]! & (1 << (index % SET_BITS))
        if (called === 0 && pattern.test(line)) uncalled.push(`${String(pattern)} of ${line}`)
      }
    }
    expect(uncalled).toEqual([])
  })

  it.each(LOG_RULES.map((rule) => ({ ...rule, name: String(rule.pattern).slice(0, 80) })))(
    'apply to a line of each of their tools: $tools',
    ({ tools, pattern }) => {
      for (const name of tools) {
        const { text } = samples.find(({ tool }) => tool === name)!
        expect(
          text.split('\n').some((line) => pattern.test(line)),
          name,
        ).toBe(true)
      }
    },
  )
})
