import { describe, expect, it } from 'vitest'
import { ArrivingText } from '../arriving-text.ts'
import { corePreviewers } from '../core-previewers.ts'
import { previewText } from '../preview-text.ts'
import { toolIntent, withPurpose } from './tool-intent.ts'

const code = Array.from({ length: 400 }, (_, n) => `def step_${n}(state):\n    return state + ${n}\n\n`).join('')
const options = { toolName: 'read_file', input: { path: 'steps.py' }, budgetTokens: 300 }
const wordsOf = (purpose: string, start: string): readonly string[] =>
  withPurpose(toolIntent('read', { query: 'asked' }, purpose), start).words

describe('the purpose of a call', () => {
  it('raises the weight of lines that have its words', async () => {
    expect(await previewText(code, options)).not.toContain('return state + 251')
    const purpose = 'I will look at how `step_251` treats its state.'
    expect(await previewText(code, { ...options, purpose })).toContain('return state + 251')
  })

  it('changes nothing if it has no names, and never appears in a preview', async () => {
    const without = await previewText(code, options)
    expect(
      await previewText(code, { ...options, purpose: 'Let me look at the file to see how this is done in it.' }),
    ).toBe(without)
    expect(await previewText(code, { ...options, purpose: 'Where is secret_token_42 set?' })).not.toContain('secret')
  })

  it('adds words that are rare in the content, the rarest first, after words of the arguments', () => {
    const purpose = '`common_name`, `twice_there`, `not_there`, `once_there`'
    const start = `${'common_name '.repeat(9)} twice_there TWICE_THERE once_there`
    expect(wordsOf(purpose, start)).toEqual(['asked', 'once_there', 'twice_there', 'not_there'])
  })

  it('adds plain words of six letters or more after the names', () => {
    expect(
      wordsOf(
        'Now I will look at how the telemetry of `send_event` is put into the log and why it may not be as it was in the past run.',
        '',
      ),
    ).toEqual(['asked', 'send_event', 'telemetry'])
  })

  it('is read up to a limit, starting at its end', () => {
    const words = wordsOf(`\`the_first\` ${'and '.repeat(1_000_000)} \`the_last\``, '')
    expect(words).toContain('the_last')
    expect(words).not.toContain('the_first')
    expect(wordsOf('some_name_1 other_name_2 '.repeat(1_000_000), '').length).toBeLessThanOrEqual(33)
  })

  it('has the same effect for any chunks of a text', async () => {
    const purpose = 'I will look at how `step_251` treats its state.'
    const { toolName, input } = options
    const arriving = new ArrivingText({
      call: { toolName, input, intent: toolIntent(toolName, input, purpose) },
      contentType: 'text/plain',
      previewers: corePreviewers,
      onFallback: () => {},
    })
    for (let at = 0; at < code.length; at += 1_000) arriving.push(code.slice(at, at + 1_000))
    const { write } = await arriving.finish()
    const countTokens = (text: string): number => text.length / 4
    expect(await write({ budgetTokens: 300, countTokens })).toBe(
      await previewText(code, { ...options, purpose, countTokens }),
    )
  })
})
