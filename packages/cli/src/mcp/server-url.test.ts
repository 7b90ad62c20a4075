import { afterAll, describe, expect, test, vi } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expandVariables, parseHeaders, parseServerUrl, readConfig } from './read-config.ts'

describe('read config', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-config-'))

  afterAll(() => rmSync(folder, { recursive: true }))

  /** Write a configuration, and return its path. */
  function write(config: unknown): string {
    const path = join(folder, `${crypto.randomUUID()}.json`)
    writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config))
    return path
  }

  test('accepts a command in the form of hosts, with environment variables', async () => {
    vi.stubEnv('TOKEN_FOR_TEST', 'secret')
    const files = {
      command: 'npx',
      args: ['-y', 'server', '${HOME_FOR_TEST:-/home/me}'],
      env: { A: '${TOKEN_FOR_TEST}!' },
    }
    const config = write({ mcpServers: { files }, maxTokens: 5_000, scope: 'tenant/project' })
    expect(await readConfig(config)).toEqual({
      server: {
        name: 'files',
        exclude: [],
        server: { command: 'npx', args: ['-y', 'server', '/home/me'], cwd: undefined, env: { A: 'secret!' } },
      },
      options: { maxTokens: 5_000, scope: 'tenant/project' },
    })
  })

  test.for(['http', 'sse'] as const)('accepts a URL of the type %s', async (type) => {
    vi.stubEnv('TOKEN_FOR_TEST', 'secret')
    const url = 'https://example.com/mcp'
    const web = { type, url, headers: { Authorization: 'Bearer ${TOKEN_FOR_TEST}' }, exclude: ['raw'] }
    const { server } = await readConfig(write({ mcpServers: { web } }))
    const headers = { Authorization: 'Bearer secret' }
    expect(server).toEqual({ name: 'web', exclude: ['raw'], server: { url, headers, type } })
  })

  test('accepts the key of VS Code, and a byte order mark', async () => {
    const { server } = await readConfig(
      write(`\uFEFF${JSON.stringify({ servers: { a: { type: 'stdio', command: 'x' } } })}`),
    )
    expect(server.name).toBe('a')
  })

  const one = (server: unknown): unknown => ({ mcpServers: { a: server } })

  test.for<readonly [string, unknown, string]>([
    ['no JSON', '{ "secret": ', 'is not JSON'],
    ['no object', [], 'must be a JSON object'],
    ['no servers', {}, 'names no server'],
    ['an unknown option', { ...Object(one({ command: 'x' })), maxToken: 1 }, 'unknown option "maxToken"'],
    ['an option of another type', { ...Object(one({ command: 'x' })), maxTokens: '1' }, 'maxTokens must be a number'],
    ['several servers', { mcpServers: { a: { command: 'x' }, b: { command: 'y' } } }, 'names several servers'],
    ['a server that is no object', one('npx'), 'must be an object'],
    ['a server with an unknown key', one({ command: 'x', arguments: [] }), 'unknown key "arguments"'],
    ['a server with command and URL', one({ command: 'x', url: 'http://a/' }), 'either "command" or "url"'],
    ['a server with neither', one({}), 'either "command" or "url"'],
    ['a command over HTTP', one({ command: 'x', type: 'http' }), 'has the type "stdio"'],
    ['a URL over stdio', one({ url: 'http://a/', type: 'stdio' }), 'has the type "http" or "sse"'],
    ['a URL that is none', one({ url: 'a' }), 'begins with https://'],
    ['arguments that are no texts', one({ command: 'x', args: [1] }), 'args must be an array of texts'],
    ['variables that are no texts', one({ command: 'x', env: { A: 1 } }), 'env must be an object of texts'],
    ['headers that are a list', one({ url: 'http://a/', headers: ['A: b'] }), 'headers must be an object of texts'],
    ['a folder that is no text', one({ command: 'x', cwd: 5 }), 'cwd must be a folder'],
    [
      'a variable that is not set',
      one({ command: 'x', env: { A: '${NOT_SET_HERE}' } }),
      'A needs the variable NOT_SET_HERE',
    ],
  ])('refuses %s', async ([, config, message]) => {
    const path = write(config)
    const error = await readConfig(path).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(message) as string })
    expect(String(error)).not.toContain('secret')
  })

  test('says which file cannot be read', async () => {
    await expect(readConfig('/nowhere.json')).rejects.toThrow('/nowhere.json cannot be read (ENOENT)')
  })
})

test('headers are split at the first colon, with variables in their values', () => {
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
  expect(expandVariables('${NOT_SET_HERE:-x:-y} ${NOT_SET_HERE:-} $HOME {a}', 'It')).toBe('x:-y  $HOME {a}')
})

test('variables may be written as Cursor and VS Code write them', () => {
  vi.stubEnv('TOKEN_FOR_TEST', 'secret')
  expect(parseHeaders(['Authorization: Bearer ${env:TOKEN_FOR_TEST}'])).toEqual({ Authorization: 'Bearer secret' })
  expect(expandVariables('${env:NOT_SET_HERE:-x} ${env:-y}', 'It')).toBe('x y')
  expect(() => expandVariables('${env:NOT_SET_HERE}', 'It')).toThrow('It needs the variable NOT_SET_HERE')
})

test('a server does not get the placeholder of an input that VS Code asks its user for', () => {
  expect(() => parseHeaders(['Authorization: Bearer ${input:log-token}'])).toThrow(
    'The header Authorization has ${input:log-token}, for which only VS Code asks. Write ${NAME} there',
  )
})

test('the URL of a server must be HTTP without a password', () => {
  expect(parseServerUrl('https://example.com/mcp?a=b')).toBe('https://example.com/mcp?a=b')
  for (const url of ['ftp://a/', 'example.com', '', 'file:///etc/passwd'])
    expect(() => parseServerUrl(url)).toThrow('begins with https://')
  expect(() => parseServerUrl('https://me:secret@a/')).toThrow('Leave user name and password out')
})
