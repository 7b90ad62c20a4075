import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  KnownOutputs,
  replaceToolResults,
  SmallTexts,
  type ModelMessageLike,
  type ToolResultPart,
} from './replace-tool-results.ts'

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

it('replaceToolResults replaces outputs in messages of tools, and changes no given object', async () => {
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

it('replaceToolResults passes the input of the last call before a result, even if several calls share an id', async () => {
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

it('replaceToolResults replaces all outputs in parallel', async () => {
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

it('replaceToolResults rejects if the given function rejects', async () => {
  const error = new Error('no')
  await expect(replaceToolResults([answered(result('a', ''))], () => Promise.reject(error))).rejects.toBe(error)
})

it('KnownOutputs finds any JSON output by a copy of the output', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (output, id) => {
      const outputs = new KnownOutputs<unknown>()
      outputs.add(id, output, 'shown')
      expect(outputs.find(id, structuredClone(output))).toMatchObject({ shown: 'shown' })
    }),
  )
})

it('KnownOutputs distinguishes outputs with different JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      const outputs = new KnownOutputs<unknown>()
      outputs.add('call_1', one)
      expect(outputs.find('call_1', other)).toBeUndefined()
    }),
  )
})

it.each<[unknown, unknown]>([
  ['a', ['a']],
  [[], {}],
  [{ a: undefined }, { b: undefined }],
  [null, {}],
  [{ 0: 'a' }, ['a']],
  [1, '1'],
])('KnownOutputs distinguishes %o from %o', (one, other) => {
  const outputs = new KnownOutputs<unknown>()
  outputs.add('call_1', one)
  expect(outputs.find('call_1', other)).toBeUndefined()
})

it('KnownOutputs keeps several outputs of one id, and accepts ids named like properties of every object', () => {
  const outputs = new KnownOutputs<string>()
  for (const id of ['__proto__', 'constructor', '']) {
    expect(outputs.find(id, 'one')).toBeUndefined()
    outputs.add(id, 'one', 'short')
    outputs.add(id, 'two')
    expect(outputs.find(id, 'one')).toMatchObject({ shown: 'short' })
    expect(outputs.find(id, 'two')).toMatchObject({ shown: undefined })
  }
})

it('KnownOutputs finds the same object without reading its properties', () => {
  const outputs = new KnownOutputs<unknown>()
  const output = {
    get text(): string {
      throw new Error('was read')
    },
  }
  outputs.add('call_1', output)
  expect(outputs.find('call_1', output)).toBeDefined()
})

it('SmallTexts recognizes a repeated text, and no other value', () => {
  const texts = new SmallTexts()
  for (const value of ['one', 'one', '', { a: 1 }, undefined]) texts.add('read', value)
  expect(['one', ''].map((text) => texts.has('read', text))).toEqual([true, true])
  expect([{ a: 1 }, undefined, 'two'].map((value) => texts.has('read', value))).toEqual([false, false, false])
  expect(texts.has('search', 'one')).toBe(false)
})

it('SmallTexts forgets all earlier texts before there are too many', () => {
  const texts = new SmallTexts()
  const textOf = (index: number): string => `${index}`.padStart(1_000_000)
  for (let index = 0; index < 5; index += 1) texts.add('read', textOf(index))
  expect([0, 1, 2, 3, 4].map((index) => texts.has('read', textOf(index)))).toEqual([false, false, false, false, true])
  texts.add('read', textOf(5))
  expect([4, 5].map((index) => texts.has('read', textOf(index)))).toEqual([true, true])
})
