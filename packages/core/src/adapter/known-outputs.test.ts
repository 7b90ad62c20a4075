import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KnownOutputs } from './known-outputs.ts'

it('knows an output again by a copy of it, whatever JSON it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (output, id) => {
      const outputs = new KnownOutputs<unknown>()
      outputs.add(id, output, 'shown')
      expect(outputs.find(id, structuredClone(output))).toMatchObject({ shown: 'shown' })
    }),
  )
})

it('tells outputs apart as their JSON does', () => {
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
])('tells %o from %o', (one, other) => {
  const outputs = new KnownOutputs<unknown>()
  outputs.add('call_1', one)
  expect(outputs.find('call_1', other)).toBeUndefined()
})

it('keeps several outputs of one id, and ids that name properties of every object', () => {
  const outputs = new KnownOutputs<string>()
  for (const id of ['__proto__', 'constructor', '']) {
    expect(outputs.find(id, 'one')).toBeUndefined()
    outputs.add(id, 'one', 'short')
    outputs.add(id, 'two')
    expect(outputs.find(id, 'one')).toMatchObject({ shown: 'short' })
    expect(outputs.find(id, 'two')).toMatchObject({ shown: undefined })
  }
})

it('finds the same object without reading it', () => {
  const outputs = new KnownOutputs<unknown>()
  const output = {
    get text(): string {
      throw new Error('was read')
    },
  }
  outputs.add('call_1', output)
  expect(outputs.find('call_1', output)).toBeDefined()
})
