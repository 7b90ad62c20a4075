import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { logPreviewer } from '../../src/log/log-previewer.ts'
import { previewText } from '../../src/preview-text.ts'
import { readLogSamples, type LogSample } from './log-sample.ts'

const samples = readLogSamples()
const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`

/** Return the required lines of a sample that a preview of 500 tokens shows. */
async function shownAnswers({ text, answers }: LogSample): Promise<string[]> {
  const previewers = [{ ...logPreviewer(), recognize: () => 1 }]
  const preview = await previewText(text, { budgetTokens: 500, countTokens, showLines, previewers })
  expect(countTokens(preview)).toBeLessThanOrEqual(500)
  return answers.filter((answer) => preview.includes(answer.slice(0, 160).trim()))
}

describe('previews of 500 tokens for failed tools with 1,500 lines of progress', () => {
  it('show nearly all lines with the reason of the failure', async () => {
    let shown = 0
    let missed = 0
    for (const sample of samples) {
      const found = await shownAnswers(sample)
      shown += found.length / sample.answers.length
      if (found.length === 0) missed++
    }
    expect(shown / samples.length).toBeGreaterThan(0.85)
    expect(missed).toBeLessThanOrEqual(samples.length / 15)
  })
})
