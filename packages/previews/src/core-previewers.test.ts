import { makePdf } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { SAMPLE_TEXTS } from '../test/sample-texts.ts'
import { subjectOf } from '../test/preview-with.ts'
import { codePreviewer } from './code/code-previewer.ts'
import { highestSureness } from './choose-previewers.ts'
import { corePreviewers, installedPreviewers } from './core-previewers.ts'
import { toolIntent } from './detect/tool-intent.ts'
import { previewText } from './preview-text.ts'
import type { PreviewFallback } from './preview-fallback.ts'
import { readMedia } from './read-media.ts'
import { sourcePreviewer } from './source/source-previewer.ts'

const CALL = { toolName: 'read_file', input: { path: 'a.ts' }, intent: toolIntent('read_file', { path: 'a.ts' }) }
/** Definitions that grammars find, but patterns of lines do not. */
const CODE = Array.from(
  { length: 300 },
  (_, index) => `const\n  step${index} = (a: number) => {\n    return a\n  }\n`,
).join('')

describe('corePreviewers', () => {
  const recognizers = corePreviewers.filter((previewer) => previewer.previews === 'text')

  it.each(Object.keys(SAMPLE_TEXTS))('are never more confident than the highest confidence, for %s', async (kind) => {
    fc.assert(
      fc.property(SAMPLE_TEXTS[kind]!, fc.constantFrom([], ['a.md'], ['a.csv']), (text, paths) => {
        const subject = subjectOf(text, { intent: { paths, words: [] } })
        for (const previewer of recognizers)
          expect(previewer.recognize(subject), previewer.name).toBeLessThanOrEqual(highestSureness(previewer, subject))
      }),
      propertyRuns(20, 600),
    )
  })

  it('are not asked if another previewer is at least as confident as they can be', async () => {
    const asked: string[] = []
    for (const previewer of recognizers) {
      const { recognize } = previewer
      vi.spyOn(previewer, 'recognize').mockImplementation((subject) => (asked.push(previewer.name), recognize(subject)))
    }
    const diff = 'diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n-int a;\n+int b;\n int c;\n'
    await previewText(diff, { budgetTokens: 100 })
    vi.restoreAllMocks()
    expect(asked).toEqual(['json', 'ndjson', 'xml', 'diff'])
  })
})

describe('installedPreviewers', () => {
  it('outline code as codePreviewer does', async () => {
    const options = { toolName: CALL.toolName, input: CALL.input, budgetTokens: 400 }
    const installed = await previewText(CODE, options)
    expect(installed).toBe(await previewText(CODE, { ...options, previewers: [codePreviewer()] }))
    expect(installed).not.toBe(await previewText(CODE, { ...options, previewers: [sourcePreviewer()] }))
  })

  it('are replaced by a previewer of the same name', async () => {
    const own = { ...sourcePreviewer(), name: 'code' }
    const options = { toolName: CALL.toolName, input: CALL.input, budgetTokens: 400 }
    expect(await previewText(CODE, { ...options, previewers: [own] })).toBe(
      await previewText(CODE, { ...options, previewers: [sourcePreviewer()] }),
    )
  })

  it('read the text of a PDF', async () => {
    const fallbacks: PreviewFallback[] = []
    const read = await readMedia(makePdf([['A first page of the report']]), {
      call: CALL,
      media: { type: 'document', mediaType: 'application/pdf' },
      previewers: corePreviewers,
      onFallback: (fallback) => fallbacks.push(fallback),
    })
    expect(read).toMatchObject({ previewer: 'pdf', description: '1 page' })
    expect(read?.text).toContain('A first page of the report')
    expect(fallbacks).toEqual([])
  })

  it('ignore other content', () => {
    const subject = { ...CALL, type: 'image', mediaType: 'image/png', size: 9 } as const
    const media = installedPreviewers.filter(({ previews }) => previews === 'media')
    expect(media.map(({ recognize }) => (recognize as (of: typeof subject) => number)(subject))).toEqual([0])
  })
})
