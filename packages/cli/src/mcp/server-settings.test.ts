import { expect, test, vi } from 'vitest'
import { expandVariables, parseHeaders, parseServerUrl } from './server-settings.ts'

test('headers are parted at the first colon, with variables in their values', () => {
  vi.stubEnv('TOKEN_FOR_TEST', 'a:b c')
  expect(parseHeaders(['Authorization: Bearer ${TOKEN_FOR_TEST}', 'X-Empty:', 'x-url:http://a:1'])).toEqual({
    Authorization: 'Bearer a:b c',
    'X-Empty': '',
    'x-url': 'http://a:1',
  })
})

test('a header without a name, or with a variable that is not set, is refused', () => {
  for (const header of ['no colon', ': value', 'two words: x'])
    expect(() => parseHeaders([header])).toThrow("Write a header as 'Name: value'")
  expect(() => parseHeaders(['A: ${NOT_SET_HERE}'])).toThrow('The header A needs the variable NOT_SET_HERE')
})

test('a variable may have a default, and what is no variable stays', () => {
  expect(expandVariables('${NOT_SET_HERE:-x:-y} ${NOT_SET_HERE:-} $HOME {a}', 'It')).toBe('x:-y  $HOME {a}')
})

test('variables are also known as Cursor and VS Code write them', () => {
  vi.stubEnv('TOKEN_FOR_TEST', 'secret')
  expect(parseHeaders(['Authorization: Bearer ${env:TOKEN_FOR_TEST}'])).toEqual({ Authorization: 'Bearer secret' })
  expect(expandVariables('${env:NOT_SET_HERE:-x} ${env:-y}', 'It')).toBe('x y')
  expect(() => expandVariables('${env:NOT_SET_HERE}', 'It')).toThrow('It needs the variable NOT_SET_HERE')
})

test('what VS Code asks its user for is not sent to a server as it is written', () => {
  expect(() => parseHeaders(['Authorization: Bearer ${input:log-token}'])).toThrow(
    'The header Authorization has ${input:log-token}, for which only VS Code asks. Write ${NAME} there',
  )
})

test('the URL of a server is one of HTTP, and has no password', () => {
  expect(parseServerUrl('https://example.com/mcp?a=b')).toBe('https://example.com/mcp?a=b')
  for (const url of ['ftp://a/', 'example.com', '', 'file:///etc/passwd'])
    expect(() => parseServerUrl(url)).toThrow('begins with https://')
  expect(() => parseServerUrl('https://me:secret@a/')).toThrow('Leave user name and password out')
})
