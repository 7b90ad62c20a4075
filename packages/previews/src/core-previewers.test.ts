import { makePdf } from '@spillway-internal/test-inputs'
import { describe, expect, it } from 'vitest'
import { codePreviewer } from './code/code-previewer.ts'
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
