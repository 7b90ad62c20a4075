import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'
import { describe, expect, it } from 'vitest'
import { outputOfPart, withShownOutput } from './model-output.ts'

const REPLACEMENT = '[Offloaded: 1 blocks, ~9 tokens]'
const CALL = { toolCallId: 'call_1', toolName: 'read', args: { path: 'a' } }

function part(
  invocation: Partial<MastraToolInvocationPart['toolInvocation']>,
  mastra?: Record<string, unknown>,
): MastraToolInvocationPart {
  const providerMetadata = { mastra, openai: { itemId: 'item_1' } } as MastraToolInvocationPart['providerMetadata'] & {}
  return {
    type: 'tool-invocation',
    toolInvocation: { ...CALL, state: 'result', ...invocation } as MastraToolInvocationPart['toolInvocation'],
    ...(mastra !== undefined && { providerMetadata }),
    createdAt: 7,
  }
}

describe('outputOfPart', () => {
  it.each([
    ['text', part({ result: 'text' }), { type: 'text', value: 'text' }],
    ['an empty text', part({ result: '' }), { type: 'text', value: '' }],
    ['a value', part({ result: { a: 1 } }), { type: 'json', value: { a: 1 } }],
    ['null', part({ result: null }), { type: 'json', value: null }],
    ['an error', part({ state: 'output-error', errorText: 'failed' }), { type: 'error-text', value: 'failed' }],
  ])('tells what the model sees of %s', (_what, one, expected) => {
    expect(outputOfPart(one)).toEqual(expected)
  })

  it('is the very object that toModelOutput has made, where there is one', () => {
    const modelOutput = { type: 'content', value: [] }
    expect(outputOfPart(part({ result: 'raw' }, { modelOutput }))).toBe(modelOutput)
    expect(outputOfPart(part({ result: 'raw' }, { modelOutput: null }))).toEqual({ type: 'text', value: 'raw' })
    expect(outputOfPart(part({ result: 'raw' }, { other: 1 }))).toEqual({ type: 'text', value: 'raw' })
  })

  it.each(['call', 'partial-call', 'output-denied', 'approval-requested'] as const)(
    'finds none of a call in state %s',
    (state) => {
      expect(outputOfPart(part({ state }))).toBeUndefined()
    },
  )
})

describe('withShownOutput', () => {
  const text = { type: 'text', value: REPLACEMENT }
  const content = { type: 'content', value: [{ type: 'text', text: REPLACEMENT }, { type: 'media' }] }

  it('puts a text in the place of a result, and keeps all else', () => {
    const one = part({ result: 'long'.repeat(100) }, { other: 1 })
    expect(withShownOutput(one, text)).toEqual({
      ...one,
      toolInvocation: { ...one.toolInvocation, result: REPLACEMENT },
    })
  })

  it('keeps parts where Mastra keeps what toModelOutput returned', () => {
    expect(withShownOutput(part({ result: { content: [] } }), content)).toMatchObject({
      toolInvocation: { result: REPLACEMENT },
      providerMetadata: { mastra: { modelOutput: content } },
    })
  })

  it('puts a text in the place of the message of an error', () => {
    const one = part({ state: 'output-error', errorText: 'failed' })
    const replaced = withShownOutput(one, { type: 'error-text', value: REPLACEMENT })
    expect(replaced.toolInvocation).toEqual({ ...one.toolInvocation, errorText: REPLACEMENT })
    expect(replaced.toolInvocation).not.toHaveProperty('result')
  })

  it('keeps a mapped result that is short, such as a path, and replaces a long one', () => {
    const mapped = { modelOutput: { type: 'text', value: 'long'.repeat(100) } }
    const kept = withShownOutput(part({ result: { path: 'a' } }, mapped), text)
    expect(kept).toMatchObject({
      toolInvocation: { result: { path: 'a' } },
      providerMetadata: { mastra: { modelOutput: text }, openai: { itemId: 'item_1' } },
    })
    const replaced = withShownOutput(part({ result: { png: 'A'.repeat(100) } }, mapped), text)
    expect(replaced.toolInvocation.result).toBe(REPLACEMENT)
  })
})
