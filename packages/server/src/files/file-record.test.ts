import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileNamePart, joinAsWritten, pathWithin, virtualPath } from './file-record.ts'

describe('virtualPath', () => {
  it.each([
    ['/workspace/context_store/a.txt', 'context_store/a.txt'],
    ['context_store/a.txt', 'context_store/a.txt'],
    ['./context_store/a.txt', 'context_store/a.txt'],
    ['././context_store//a.txt', 'context_store/a.txt'],
    ['/context_store/a.txt', 'context_store/a.txt'],
    ['.//context_store/a.txt/', 'context_store/a.txt'],
    ['workspace/context_store/a.txt', 'context_store/a.txt'],
    ['/home/me/a.txt', 'home/me/a.txt'],
    ['', ''],
    ['.', ''],
    ['./', ''],
    ['/', ''],
    ['%2e%2e/a.txt', '%2e%2e/a.txt'],
    ['~/a.txt', '~/a.txt'],
    ['...', '...'],
  ])('converts %j to %j', (text, path) => {
    expect(virtualPath(text)).toBe(path)
  })

  it.each([
    '../a',
    'a/../../etc/passwd',
    '/workspace/../etc/passwd',
    '..',
    'a\\..\\b',
    'a\0b',
    'a\nb',
    '\ud800',
    'a/'.repeat(600),
  ])('refuses %j', (text) => {
    expect(() => virtualPath(text)).toThrow(expect.objectContaining({ code: 'invalid-path', status: 400 }))
  })

  it('returns the same path if it is applied twice', () => {
    const part = fc.constantFrom('a', 'b.txt', '.', '', 'workspace', '%2f')
    const prefix = fc.constantFrom('', './', '/', '././', './/')
    fc.assert(
      fc.property(fc.array(part), prefix, (parts, written) => {
        const path = virtualPath(parts.join('/'))
        const again = virtualPath(written + path)
        expect(again).toBe(path)
        expect(path).not.toMatch(/^\/|\/$|\/\/|(^|\/)\.{1,2}(\/|$)/)
      }),
    )
  })
})

it('pathWithin distinguishes folders with a common prefix', () => {
  expect(pathWithin('a/b.txt', 'a')).toBe('b.txt')
  expect(pathWithin('ab/b.txt', 'a')).toBeUndefined()
  expect(pathWithin('a/b.txt', '')).toBe('a/b.txt')
  expect(pathWithin('a', 'a')).toBeUndefined()
})

it.each([
  ['/workspace/store', '/workspace/store/x'],
  ['./cache_file/', './cache_file/x'],
  ['cache_file//', 'cache_file/x'],
  ['', 'x'],
  ['/', '/x'],
  ['./', './x'],
  ['.', './x'],
])('joinAsWritten joins the folder %j and a name to %j', (folder, joined) => {
  expect(joinAsWritten(folder, 'x')).toBe(joined)
})

it('a file name contains the id if the id is safe, and different ids have different names', async () => {
  expect(await fileNamePart('call_1.b')).toBe('call_1.b')
  const ids = [
    '',
    '../../x',
    '/../x',
    'a/b',
    'a b',
    'a_b',
    'é',
    'è',
    'a'.repeat(80),
    'a'.repeat(81),
    'a'.repeat(82),
    '\0',
  ]
  const parts = await Promise.all(ids.map(fileNamePart))
  expect(new Set(parts).size).toBe(ids.length)
  for (const part of parts) {
    expect(part).toMatch(/^[A-Za-z0-9_.]+$/)
    expect(part.length).toBeLessThanOrEqual(93)
  }
})
