import { isFull, propertyRuns, seed } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import { SAMPLE_TEXTS } from '../test/sample-texts.ts'
import { ArrivingText } from './arriving-text.ts'
import { SUBJECT_START } from './choose-previewers.ts'
import { corePreviewers } from './core-previewers.ts'
import { readText, type TextPreview, type TextPreviewing } from './read-text.ts'

const previewing: TextPreviewing = {
  call: { toolName: 'tool', input: undefined, intent: { paths: [], words: [] } },
  contentType: 'text/plain',
  previewers: corePreviewers,
  onFallback: ({ previewer, error }) => expect.fail(`${previewer}: ${String(error)}`),
}

const written = async ({ lines, write }: TextPreview): Promise<string> =>
  `${lines} lines\n${await write({ budgetTokens: 200, countTokens: estimateTokens })}`

async function arrived(text: string, cuts: readonly number[]): Promise<string> {
  const arriving = new ArrivingText(previewing)
  let from = 0
  for (const cut of [...cuts, text.length]) {
    arriving.push(text.slice(from, cut))
    from = cut
  }
  return written(await arriving.finish())
}

/** Repeat a sample to a text of at least this length. */
const grown = (sample: string, length: number, separator = '\n'): string =>
  Array(Math.ceil(length / (sample.length + 1)))
    .fill(sample)
    .join(separator)

const { 'JSON on one line': value, 'JSON lines': records, log, CSV, diff, prose } = SAMPLE_TEXTS
const GROWN: Readonly<Record<string, (length: number) => fc.Arbitrary<string>>> = {
  ...Object.fromEntries(
    Object.entries(SAMPLE_TEXTS).map(([kind, samples]) => [kind, (length) => samples.map((one) => grown(one, length))]),
  ),
  'one JSON document': (length) =>
    value!.map((one) => `{"p":"","items":[${grown(one, length, ',')}],"total":${length}}`),
  'one JSON document, indented': (length) =>
    value!.map((one) => JSON.stringify({ items: JSON.parse(`[${grown(one, length, ',')}]`) as unknown }, null, 2)),
  'numbers in JSON': (length) =>
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => `[${grown(String(one), length, ',')}]`),
  'a JSON document behind a line': (length) =>
    records!.map((some) => `up\n[${grown(some.replaceAll('\n', ','), length, ',')}]`),
  'JSON lines with a long first record': (length) =>
    records!.map((some) => `{"first":"${'x'.repeat(SUBJECT_START)}"}\n${grown(some, length)}`),
  'what ends as a log of failures': (length) =>
    fc
      .tuple(fc.oneof(CSV!, diff!, prose!), log!)
      .map(([start, end]) => `${grown(start, length)}\n${end}\nmake: *** [all] Error 2\nexited with 2`),
  'an element with something behind it': (length) =>
    prose!.map((one) => `<items>${grown(`<item><title>${one}</title></item>`, length)}</items>\nexited with 2`),
}

/** Lengths at which previewers detect a start or read a block. */
const BORDERS = [16_384, 32_768]
const AROUND = isFull ? Array.from({ length: 17 }, (_, index) => index - 8) : [-8, -2, -1, 0, 1, 2, 8]

describe.each(Object.keys(GROWN))('a preview of a text that arrives in chunks: %s', (kind) => {
  it('equals the preview of the whole text, for any chunks and any end of the text', async () => {
    const texts = fc.tuple(GROWN[kind]!(33_000), fc.integer({ min: SUBJECT_START - 8, max: SUBJECT_START + 8 }))
    await fc.assert(
      fc.asyncProperty(texts, async ([text, end]) => {
        const whole = await written(await readText(text, previewing))
        const cuts = fc.sample(fc.nat(text.length), { numRuns: 40, seed }).toSorted((one, other) => one - other)
        for (let from = 0; from < 8; from++) {
          const some = cuts.filter((_, index) => index % 8 === from)
          expect(await arrived(text, some), `cut at ${some.join()}`).toBe(whole)
        }
        const near = BORDERS.map((border) => AROUND.map((distance) => border + distance))
        for (const some of [...AROUND.map((_, index) => near.map((at) => at[index]!)), near.flat()])
          expect(await arrived(text, some), `cut at ${some.join()}`).toBe(whole)
        const part = text.slice(0, end)
        expect(await arrived(part, [SUBJECT_START])).toBe(await written(await readText(part, previewing)))
      }),
      propertyRuns(1, 10),
    )
  })
})
