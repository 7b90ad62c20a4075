import { expect, test } from 'vitest'
import type { PreviewFallback } from '../preview-fallback.ts'
import { previewText } from '../preview-text.ts'
import { sourcePreviewer } from '../source/source-previewer.ts'
import { codePreviewer } from './code-previewer.ts'

const code = Array.from({ length: 300 }, (_, n) => `def step_${n}(\n    state,\n):\n    return state + ${n}\n\n`).join(
  '',
)
const call = { toolName: 'read_file', input: { path: 'steps.py' }, budgetTokens: 2_000 }

test('definitions stand beside their lines', async () => {
  const preview = await previewText(code, { ...call, previewers: [codePreviewer()] })
  expect(preview.startsWith('[Python, 1,500 lines')).toBe(true)
  expect(preview).toMatch(/\b1496\b.*step_299/)
})

test('where a package is missing the preview is by patterns, and an event says so', async () => {
  const fallbacks: PreviewFallback[] = []
  const preview = await previewText(code, {
    ...call,
    previewers: [codePreviewer({ locate: () => undefined })],
    onFallback: (fallback) => void fallbacks.push(fallback),
  })
  expect(preview).toBe(await previewText(code, { ...call, previewers: [sourcePreviewer()] }))
  expect(fallbacks).toMatchObject([{ previewer: 'code', reason: 'peer-missing' }])
})
