import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { compactHistory } from '../compact-history.ts'
import { expandHistory } from '../expand-history.ts'
import { aiSdkMessages } from '../formats/ai-sdk-messages.ts'

/** A typical faulty `redact`: if a quote follows the secret, the quote is removed too. */
const greedy = (text: string): string => text.replace(/secret=\S+/g, '[gone]')

describe('redact', () => {
  const SUMMARY = '<state_snapshot><overall_goal>a</overall_goal><key_knowledge>b</key_knowledge></state_snapshot>'
  const rows = Array.from({ length: 2_000 }, (_, row) => ({ row }))
  const history = (token: string): object[] => [
    { role: 'user', content: `it is ${token}` },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'query', input: { token, rows } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_1',
          toolName: 'query',
          output: { type: 'json', value: { token, rows } },
        },
      ],
    },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks.' },
    { role: 'assistant', content: 'You are welcome.' },
  ]

  it.each(['compact', 'compress', 'auto'] as const)(
    'never stores content in mode %s that cannot be parsed again',
    async (mode) => {
      const offloader = new ContextOffloader({
        storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a'),
        redact: greedy,
      })
      const options = { offloader, format: aiSdkMessages() }
      const settings = {
        ...options,
        mode,
        maxTotalTokens: 300,
        maxToolMessageTokens: 300,
        summarize: async () => SUMMARY,
      }
      const { messages, applied, failures } = await compactHistory(history('secret=abc'), settings)
      expect({ applied, failures }).toEqual({
        applied: mode === 'auto' ? ['compact', 'compress'] : [mode],
        failures: [],
      })
      const expanded = await expandHistory(messages, options)
      expect(expanded.missing).toEqual([])
      const [request] = history('secret=abc')
      const [, ...rest] = history('[gone]')
      expect(expanded.messages).toEqual(mode === 'compact' ? [request, ...rest] : history('[gone]'))
    },
  )

  it('leaves messages in the history if their redacted text is not JSON, and reports the failure', async () => {
    const offloader = new ContextOffloader({
      storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a'),
      redact: () => 'gone',
    })
    const messages = history('secret=abc')
    const settings = { offloader, format: aiSdkMessages(), maxTotalTokens: 300, summarize: async () => SUMMARY }
    const outcome = await compactHistory(messages, { ...settings, mode: 'compress' })
    expect(outcome.messages).toBe(messages)
    expect(outcome.failures).toMatchObject([{ step: 'store', error: { message: expect.stringContaining('redact') } }])
  })
})
