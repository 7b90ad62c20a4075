import { describe, expect, it } from 'vitest'
import { keyPaths, shareInPath, sharePlaced } from './strict.mjs'

const paths = (preview: string): string[] =>
  [...keyPaths(preview)].map((path) => path.split('\u0000').join('/')).sort((one, other) => (one < other ? -1 : 1))

describe('keyPaths', () => {
  it('reads the paths of JSON from its brackets', () => {
    expect(paths('{"a": {"b": [{"c": 1}, {"d": "x: y"}]}, "e": true}')).toEqual(['a', 'a/b', 'a/b/c', 'a/b/d', 'e'])
  })

  it('reads structures with bare keys, keys without values and dotted keys', () => {
    expect(paths('{ a?: { b, c }, d.e: string }')).toEqual(['a', 'a/b', 'a/c', 'd', 'd/e'])
  })

  it('accepts any text before a colon as the key of a map', () => {
    expect(paths('{ <250 keys>: { "name": "x" } }')).toEqual(['*', '*/name'])
    expect(shareInPath('{ <250 keys>: { "name": "x" } }', [['*', 'name']])).toBe(1)
    expect(shareInPath('{ "DE": { "name": "x" } }', [['*', 'name']])).toBe(1)
  })

  it('does not read values, notes and strings as keys', () => {
    expect(paths('{"a": true, "b": ["x", "y"], [… 95 more]\n"c": null}')).toEqual(['a', 'b', 'c'])
  })

  it('continues after a cut', () => {
    expect(paths('{"a": "unfinished\n[…]\n "b": 2}, "c": 3')).toContain('a')
    expect(() => paths('}}}]]]"{{[[:::,,,'.repeat(50))).not.toThrow()
  })

  it('counts a key only if its parents are shown above it', () => {
    expect(shareInPath('{"a": 1}, {"b": 2}', [['a', 'b']])).toBe(0)
    expect(shareInPath('{"a": {"b": 2}}', [['a', 'b'], ['a']])).toBe(1)
  })
})

describe('sharePlaced', () => {
  const symbols = [{ name: 'open', lines: [120, 300] }]

  it.each(['120| func open()', 'open:300, close:9', '7 close, 120 open, 131 sync', 'open (line 120)'])(
    'counts a symbol next to its line number: %s',
    (preview) => expect(sharePlaced(preview, symbols)).toBe(1),
  )

  it.each([
    'open',
    '121| open',
    '120\nopen',
    '1204 open',
    `120 ${'x'.repeat(60)} open`,
    '120 reopen',
    '120 close, 9 open',
  ])('does not count a symbol without its line number: %s', (preview) => expect(sharePlaced(preview, symbols)).toBe(0))
})
