import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adoptStorage } from '../content/adopt-storage.ts'
import { openContentSource, type ContentSource } from '../content/content-source.ts'
import { findLineSpan } from './line-finder.ts'

async function sourceOf(text: string): Promise<ContentSource> {
  const content = new TextEncoder().encode(text)
  const store = async (): Promise<string> => 'log_1'
  const storage = adoptStorage({ store, retrieve: async () => ({ content, contentType: 'text/plain' }) })
  return await openContentSource(storage, 'log_1', { blockBytes: 65_536 })
}

describe('findLineSpan', () => {
  it('finds the bytes of given lines', async () => {
    const pieces = fc.array(fc.constantFrom('', 'a', 'é', 'x'.repeat(70_000), 'y'.repeat(65_535)), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.boolean(),
        fc.integer({ min: 1, max: 14 }),
        fc.nat(14),
        async (parts, ends, start, more) => {
          const text = parts.join('\n') + (ends ? '\n' : '')
          const source = await sourceOf(text)
          const lines = text.split('\n')
          if (lines.at(-1) === '') lines.pop()
          const span = await findLineSpan(source, { start, end: start + more })
          if (start > lines.length) {
            expect(span).toBeUndefined()
            return
          }
          expect(span).toMatchObject({
            lines: lines.length,
            range: { start, end: Math.min(start + more, lines.length) },
          })
          const found = new TextDecoder().decode(await source.read(span!.start, span!.end - span!.start))
          expect(found.replace(/\n$/, '').split('\n')).toEqual(lines.slice(start - 1, start + more))
        },
      ),
      propertyRuns(100, 3_000),
    )
  })
})
