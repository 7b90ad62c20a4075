import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '@spillway-internal/test-run'
import { fileGlob } from './file-glob.ts'

describe('fileGlob', () => {
  it.each([
    ['*.txt', 'a.txt', true],
    ['*.txt', 'b/c/a.TXT', true],
    ['*.TXT', 'a.txt', true],
    ['*.txt', 'a.txt.json', false],
    ['*.txt', 'a_txt', false],
    ['compressed_*.json', 'store/compressed_group_1_0.json', true],
    ['store/*.json', 'store/a.json', true],
    ['store/*.json', 'other/a.json', false],
    ['/store/*.json', 'store/a.json', true],
    ['./a.txt', 'a.txt', true],
    ['**/*.txt', 'a.txt', true],
    ['**/*.txt', 'b/a.txt', true],
    ['?.txt', 'a.txt', true],
    ['?.txt', 'ab.txt', false],
    ['tool_[0-9]*.txt', 'tool_7x.txt', true],
    ['tool_[!0-9]*.txt', 'tool_7x.txt', false],
    ['[]].txt', '].txt', true],
    ['[!]', '[!]', true],
    ['[z-a].txt', 'm.txt', false],
    ['*a*a*', 'xaya/b', true],
    ['[a.txt', '[a.txt', true],
    ['*.{txt,json}', 'a.json', true],
    ['*.{txt,{json,csv}}', 'a.csv', true],
    ['*.{txt,json}', 'a.csv', false],
    ['{a}.txt', '{a}.txt', true],
    ['', '', true],
    ['', 'a', false],
    ['.*', 'axt', false],
  ])('matches the glob %j against the path %j: %s', (glob, path, expected) => {
    expect(fileGlob(glob)(path)).toBe(expected)
  })

  it.each(['../*.txt', 'a/../*', '..\\*', '*'.repeat(257), '{a,b}'.repeat(7)])(
    'the constructor rejects the glob %j',
    (glob) => {
      expect(() => fileGlob(glob)).toThrow(expect.objectContaining({ code: 'invalid-path' }))
    },
  )

  it('matches `*` and `?` as a regular expression does', () => {
    const glob = fc.array(fc.constantFrom('*', '?', 'a', 'b', '.'), { maxLength: 8 }).map((parts) => parts.join(''))
    const name = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(glob, name, (pattern, text) => {
        const source = pattern.replace(/[*?.]/g, (one) => ({ '*': '.*', '?': '.', '.': '\\.' })[one]!)
        fc.pre(pattern !== '..')
        expect(fileGlob(pattern)(text)).toBe(new RegExp(`^${source}$`).test(text))
      }),
      propertyRuns(500, 1_000),
    )
  })

  // A matcher that backtracks to earlier wildcards would not end.
  it('rejects a path of 1,024 characters after 120 wildcards', () => {
    expect(fileGlob(`${'*a'.repeat(120)}b`)('a'.repeat(1_024))).toBe(false)
  })
})
