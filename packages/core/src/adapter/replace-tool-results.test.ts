import { expect, it } from 'vitest'
import { replaceToolResults, type ModelMessageLike, type ToolResultPart } from './replace-tool-results.ts'

const result = (toolCallId: string, value: string): object => ({
  type: 'tool-result',
  toolName: 'read',
  toolCallId,
  output: { type: 'text', value },
})
const call = (toolCallId: string, input: unknown): object => ({
  type: 'tool-call',
  toolName: 'read',
  toolCallId,
  input,
})
const said = (...content: object[]): ModelMessageLike => ({ role: 'assistant', content })
const answered = (...content: object[]): ModelMessageLike => ({ role: 'tool', content })
const SHORT = { type: 'text', value: 'short' }

const isLong = ({ output }: ToolResultPart): boolean => (output as typeof SHORT).value.startsWith('long')

it('replaces outputs in messages of tools, and changes nothing that it is given', async () => {
  const messages = [
    { role: 'user', content: 'long' },
    said(call('a', {}), result('b', 'long')),
    answered(result('a', 'long'), result('c', 'well'), { type: 'tool-approval-response', approved: true }),
    answered(result('d', 'well')),
  ]
  const before = structuredClone(messages)
  const replaced = await replaceToolResults(messages, async (part) => (isLong(part) ? SHORT : part.output))
  expect(messages).toEqual(before)
  for (const index of [0, 1, 3]) expect(replaced[index]).toBe(messages[index])
  const parts = replaced.map(({ content }) => content as object[])[2]
  const ownParts = messages.map(({ content }) => content as object[])[2]
  expect(parts?.[0]).toEqual(result('a', 'short'))
  for (const index of [1, 2]) expect(parts?.[index]).toBe(ownParts?.[index])
})

it('tells the input of the last call before a result, of several with one id', async () => {
  const told: unknown[] = []
  const messages = [
    answered(result('a', 'of no call')),
    said(call('a', 1), call('b', 2)),
    answered(result('b', ''), result('a', '')),
    said(call('a', 3)),
    answered(result('a', '')),
  ]
  await replaceToolResults(messages, ({ output }, input) => {
    told.push(input)
    return output
  })
  expect(told).toEqual([undefined, 2, 1, 3])
})

it('replaces all at the same time', async () => {
  let running = 0
  let most = 0
  const messages = [answered(result('a', 'long'), result('b', 'long')), answered(result('c', 'long'))]
  await replaceToolResults(messages, async () => {
    most = Math.max(most, (running += 1))
    await Promise.resolve()
    running -= 1
    return SHORT
  })
  expect(most).toBe(3)
})

it('rejects as the function does', async () => {
  const error = new Error('no')
  await expect(replaceToolResults([answered(result('a', ''))], () => Promise.reject(error))).rejects.toBe(error)
})
