import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { renderTextPreview } from './render-text-preview.ts'
import { TextScanner } from './text-scanner.ts'

it('a failure is shown with the rest of its block', () => {
  const block = [
    'FAIL src/order.test.ts > adds a tax',
    'Error: expected 12.39 to equal 12.40',
    '  order: one apple, two pears',
    '  customer: somebody else',
    '  warehouse: the second one',
    '  shelf: upper left',
  ]
  const steps = (part: string): string[] =>
    Array.from({ length: 400 }, (_, index) => `${part} ${index} of the warehouse was counted`)
  const scanner = new TextScanner()
  scanner.push([...steps('shelf'), '', ...block, '', ...steps('door')].join('\n'))
  const preview = renderTextPreview(scanner.finish(), { budgetTokens: 250, countTokens }, { isLog: true })
  for (const line of block) expect(preview).toContain(line)
})
