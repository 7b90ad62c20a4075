import { isFull, propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { cleanLine, estimateTokens } from '@spillway/text/internal'
import { textPreviewersFor } from '../src/choose-previewers.ts'
import { corePreviewers } from '../src/core-previewers.ts'
import type { PreviewFallback } from '../src/preview-fallback.ts'
import { previewText } from '../src/preview-text.ts'
import type { TextPreviewer } from '../src/previewer.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'
import { subjectOf } from './preview-with.ts'
import { SAMPLE_TEXTS } from './sample-texts.ts'

const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`
const repeated = (text: string, times: number): string => Array(times).fill(text).join('\n')

const unexpected = (fallback: PreviewFallback): never =>
  expect.fail(`${fallback.previewer}: ${fallback.reason}, ${String(fallback.error)}`)

const previewersOf = (text: string): TextPreviewer[] => [
  ...textPreviewersFor(subjectOf(text), corePreviewers, unexpected),
]

describe.each(Object.keys(SAMPLE_TEXTS))('a preview of %s', (kind) => {
  const texts = fc.tuple(SAMPLE_TEXTS[kind]!, fc.constantFrom(1, 1, 3)).map(([text, times]) => repeated(text, times))

  it('stays within its budget, is valid Unicode, and is the same for the same text', async () => {
    const counters = fc.constantFrom(
      countTokens,
      estimateTokens,
      (value: string) => value.length,
      (value: string) => value.length * 3 + 7,
    )
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(1_500), counters, fc.boolean(), async (text, budgetTokens, counter, isError) => {
        const options = { budgetTokens, countTokens: counter, isError, showLines, onFallback: unexpected }
        const preview = await previewText(text, options)
        expect(preview === '' ? 0 : counter(preview)).toBeLessThanOrEqual(budgetTokens)
        expect(preview.isWellFormed()).toBe(true)
        expect(await previewText(text, options)).toBe(preview)
      }),
      propertyRuns(20, 600),
    )
  })

  it('is the same for any chunks of the text', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(100_000), { maxLength: 30 }), async (text, cuts) => {
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((one, other) => one - other), text.length]
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
        for (const previewer of previewersOf(text)) {
          const write = async (parts: readonly string[]): Promise<string | undefined> => {
            const subject = subjectOf(text)
            const reader = previewer.read(subject)
            for (const part of parts) reader.push(part)
            return (await reader.finish(subject))?.({ budgetTokens: 300, countTokens: estimateTokens, showLines })
          }
          expect(await write(pieces), previewer.name).toBe(await write([text]))
        }
      }),
      propertyRuns(10, 250),
    )
  })

  it('gives the line numbers of the text', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 60, max: 1_500 }), async (text, budgetTokens) => {
        const lines = text.split('\n')
        const preview = await previewText(text, { budgetTokens, showLines })
        for (const shown of preview.split('\n')) {
          const numbered = /^(\d+)\| (.*)$/.exec(shown)
          if (numbered === null) continue
          const start = numbered[2]!.trim().split(/ ?\[/, 1)[0]!.slice(0, 12)
          const line = cleanLine(lines[Number(numbered[1]) - 1] ?? '')
          expect(squeezed(line), shown).toContain(squeezed(start))
        }
      }),
      propertyRuns(20, 600),
    )
  })

  it('shows more for a larger budget, up to the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(SAMPLE_TEXTS[kind]!, async (sample) => {
        // A text that fits has no header or gap marks. This text does not fit.
        const text = repeated(sample, Math.ceil(500 / Math.max(1, estimateTokens(sample))))
        const small = await previewText(text, { budgetTokens: 200, showLines })
        const large = await previewText(text, { budgetTokens: 20_000, showLines })
        // The mark for a repeated row may be shorter than the mark for a gap.
        if (small.includes('[…') && !large.includes('[…')) return
        expect(estimateTokens(large)).toBeGreaterThanOrEqual(estimateTokens(small) * 0.9)
      }),
      propertyRuns(10, 250),
    )
  })
})

const squeezed = (text: string): string => text.replace(/\s+/g, '')

/** Count each text once. */
function countOnce(count: (text: string) => number): (text: string) => number {
  const counts = new Map<string, number>()
  return (text) => {
    const tokens = counts.get(text) ?? count(text)
    counts.set(text, tokens)
    return tokens
  }
}

/** Count in linear time: for some of these texts, a tokenizer needs seconds. */
const countUnits = (text: string): number => Math.ceil(text.length / 3) + 7

describe('a preview of content made to break readers', () => {
  it.each(Object.entries(HOSTILE_TEXTS))('stays within its budget: %s', async (_, make) => {
    const text = make(isFull ? 200_000 : 50_000)
    const counter = isFull ? countOnce(countTokens) : countUnits
    for (const contentType of [
      'text/plain',
      'application/json',
      'text/csv',
      'text/html',
      'text/markdown',
      'text/x-diff',
      'application/yaml',
      'constructor',
    ]) {
      const preview = await previewText(text, {
        contentType,
        budgetTokens: 500,
        countTokens: counter,
        onFallback: unexpected,
      })
      expect(counter(preview)).toBeLessThanOrEqual(500)
      expect(preview.isWellFormed()).toBe(true)
    }
  })
})
