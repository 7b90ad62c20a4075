import { expect, test, vi } from 'vitest'
import { parseHeaders, parseServerUrl } from './server-url.ts'

test('headers are split at the first colon, and variables in their values are expanded', () => {
  vi.stubEnv('TOKEN_FOR_TEST', 'a:b c')
  expect(parseHeaders(['Authorization: Bearer ${TOKEN_FOR_TEST}', 'X-Empty:', 'x-url:http://a:1'])).toEqual({
    Authorization: 'Bearer a:b c',
    'X-Empty': '',
    'x-url': 'http://a:1',
  })
})

test('a header without a name, or with an unset variable, is refused', () => {
  for (const header of ['no colon', ': value', 'two words: x'])
    expect(() => parseHeaders([header])).toThrow("Write a header as 'Name: value'")
  expect(() => parseHeaders(['A: ${NOT_SET_HERE}'])).toThrow('The header A needs the variable NOT_SET_HERE')
})

test('a variable may have a default, and other text stays unchanged', () => {
  expect(parseHeaders(['A: ${NOT_SET_HERE:-x:-y} ${NOT_SET_HERE:-} $HOME {a}'])).toEqual({ A: 'x:-y  $HOME {a}' })
})

test('variables may have the form that Cursor and VS Code use', () => {
  vi.stubEnv('TOKEN_FOR_TEST', 'secret')
  expect(parseHeaders(['Authorization: Bearer ${env:TOKEN_FOR_TEST}'])).toEqual({ Authorization: 'Bearer secret' })
  expect(parseHeaders(['A: ${env:NOT_SET_HERE:-x} ${env:-y}'])).toEqual({ A: 'x y' })
  expect(() => parseHeaders(['A: ${env:NOT_SET_HERE}'])).toThrow('The header A needs the variable NOT_SET_HERE')
})

test('a placeholder for an input that VS Code asks its user for is not sent to a server', () => {
  expect(() => parseHeaders(['Authorization: Bearer ${input:log-token}'])).toThrow(
    'The header Authorization has ${input:log-token}, which only VS Code can ask for. Write ${NAME}, and',
  )
})

test('the URL of a server must be HTTP without a password', () => {
  expect(parseServerUrl('https://example.com/mcp?a=b')).toBe('https://example.com/mcp?a=b')
  for (const url of ['ftp://a/', 'example.com', '', 'file:///etc/passwd'])
    expect(() => parseServerUrl(url)).toThrow('begins with https://')
  expect(() => parseServerUrl('https://me:secret@a/')).toThrow('Leave user and password out')
})
