import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addItem, memberOf, readJsonText, removeItem } from './json-text.ts'

describe('readJsonText', () => {
  it('finds every value of any JSON where it stands', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const node = readJsonText(text)
        expect(node).toMatchObject({ type: 'object', start: 0, end: text.length })
        for (const { key = '', value: member } of node.items)
          expect(JSON.parse(text.slice(member.start, member.end))).toEqual(JSON.parse(JSON.stringify(value[key])))
      }),
    )
  })

  it('takes strings that look like structure, and keys of every object', () => {
    const text = String.raw`{ "a\"}": "[{\\", "__proto__" : [ 1 , -2.5e3, null ] }`
    const node = readJsonText(text)
    expect(node.items.map(({ key }) => key)).toEqual(['a"}', '__proto__'])
    expect(memberOf(node, '__proto__')?.items).toHaveLength(3)
    expect(memberOf(node, 'toString')).toBeUndefined()
  })
})

describe('addItem and removeItem', () => {
  it('undo one another in a text of any shape, byte for byte', () => {
    const shapes = [
      '{}',
      '{}\n',
      '{\n}\n',
      '{"a":1}',
      '{\n\t"a": [],\r\n\t"b": {}\r\n}\r\n',
      '{ "a": { "b": [ 1,2 ] } }',
      '{\n    "a": 1\n}',
    ]
    for (const text of shapes) {
      const added = addItem(text, readJsonText(text), { x: ['y'] }, 'new')
      expect(JSON.parse(added)).toEqual({ ...(JSON.parse(text) as object), new: { x: ['y'] } })
      const node = readJsonText(added)
      const item = node.items.at(-1)
      const removed = item && removeItem(added, node, item)
      if (readJsonText(text).items.length > 0) expect(removed).toBe(text)
      else expect(JSON.parse(removed ?? '')).toEqual({})
    }
  })

  it('indent as the text does, and end lines as it does', () => {
    const text = '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}\r\n'
    const list = memberOf(readJsonText(text), 'a')
    expect(list && addItem(text, list, { b: 2 })).toBe(
      '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t{\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t]\r\n}\r\n',
    )
    expect(addItem('{"a":1}', readJsonText('{"a":1}'), [2], 'b')).toBe('{"a":1, "b":[2]}')
  })

  it('remove the first, a middle and the last of several', () => {
    for (const at of [0, 1, 2]) {
      const text = '[\n  1,\n  2,\n  3\n]'
      const node = readJsonText(text)
      const item = node.items[at]
      expect(JSON.parse(item ? removeItem(text, node, item) : '')).toEqual([1, 2, 3].filter((_, index) => index !== at))
    }
  })
})
