import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addToSettings,
  listInSettings,
  memberInSettings,
  removeFromSettings,
  type Addition,
} from './settings-change.ts'

const PLACE = 'settings.json'
const CHANGE: readonly Addition[] = [
  { path: ['hooks', 'PostToolUse'], value: { matcher: 'Bash', hooks: [{ type: 'command', command: 'x' }] } },
  { path: ['env'], key: 'LIMIT', value: '1' },
]
const add = (text: string): string => addToSettings(text, CHANGE, PLACE)

describe('addToSettings', () => {
  it('keeps unknown settings, and other hooks in their order', () => {
    const text = '{"unknown": {"a": [1]}, "hooks": {"PostToolUse": [{"hooks": []}], "Stop": []}, "env": {"A": "b"}}'
    expect(JSON.parse(add(text))).toEqual({
      unknown: { a: [1] },
      hooks: { PostToolUse: [{ hooks: [] }, CHANGE[0]?.value], Stop: [] },
      env: { A: 'b', LIMIT: '1' },
    })
  })

  it("creates a missing file, changes nothing the second time, and keeps the user's settings", () => {
    const text = add('')
    expect(add(text)).toBe(text)
    expect(memberInSettings(add('{"env": {"LIMIT": "own"}}'), ['env', 'LIMIT'], PLACE)).toBe('own')
  })

  it.each([
    ['{"a": 1, // why\n "b": 2}', /is not JSON .*Comments/],
    ['{"a": 1,}', /is not JSON .*commas/],
    ['{"a": ', /is not JSON/],
    ['[]', /is not a JSON object/],
    ['null', /is not a JSON object/],
    ['{"hooks": []}', /an unexpected type of value at hooks/],
    ['{"hooks": {"PostToolUse": {}}}', /an unexpected type of value at hooks\.PostToolUse/],
    ['{"hooks": "none"}', /an unexpected type of value at hooks/],
    ['{"env": [], "hooks": {}}', /an unexpected type of value at env/],
    ['{"hooks": {}, "hooks": {}}', /has hooks more than once/],
  ])('refuses %s', (text, message) => {
    expect(() => add(text)).toThrow(message)
  })

  it('keeps a byte order mark', () => {
    const text = add('\uFEFF{\n  "a": 1\n}')
    expect(text.startsWith('\uFEFF{\n  "a": 1,\n')).toBe(true)
    expect(removeFromSettings(text, CHANGE, '', PLACE)).toBe('\uFEFF{\n  "a": 1\n}')
  })
})

describe('removeFromSettings', () => {
  it('removes the added value and parents that are then empty, and nothing else', () => {
    const text = '{\n  "model": "opus",\n  "permissions": {\n    "deny": []\n  }\n}\n'
    expect(removeFromSettings(add(text), CHANGE, text, PLACE)).toBe(text)
    const empty = '{\n  "env": {},\n  "model": "opus"\n}\n'
    const left = removeFromSettings(add(empty), CHANGE, empty, PLACE)
    expect(JSON.parse(left)).toEqual({ env: {}, model: 'opus' })
  })

  it('keeps all other settings in any file', () => {
    const settings = fc.dictionary(
      fc.string().filter((key) => key !== 'hooks' && key !== 'env'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(
        settings,
        fc.constantFrom(undefined, 2, 4, '\t'),
        fc.constantFrom('\n', '\r\n'),
        (value, indent, eol) => {
          const text = JSON.stringify(value, undefined, indent).replaceAll('\n', eol)
          const added = add(text)
          expect(JSON.parse(added)).toMatchObject(JSON.parse(text) as object)
          expect(JSON.parse(removeFromSettings(added, CHANGE, text, PLACE))).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  it('keeps settings that other programs have added in the meantime', () => {
    const text = addToSettings(add('{}\n'), [{ path: ['hooks', 'PostToolUse'], value: { hooks: [] } }], PLACE)
    expect(JSON.parse(removeFromSettings(text, CHANGE, '', PLACE))).toEqual({ hooks: { PostToolUse: [{ hooks: [] }] } })
  })
})

it('reads lists and members of settings, and ignores other values', () => {
  expect(listInSettings('{"a": {"b": [1, {"c": 2}]}}', ['a', 'b'], PLACE)).toEqual([1, { c: 2 }])
  expect(listInSettings('{"a": {"b": {}}}', ['a', 'b'], PLACE)).toEqual([])
  expect(listInSettings('', ['a'], PLACE)).toEqual([])
  expect(memberInSettings('{"__proto__": {"x": 1}}', ['__proto__', 'x'], PLACE)).toBe(1)
  expect(memberInSettings('{}', ['constructor'], PLACE)).toBeUndefined()
})
