import { afterAll, describe, expect, test } from 'vitest'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHttp, connectInProcess, connectStdio, LOG_SERVER, textOf } from '../../test/mcp/connect.ts'
import { startListening } from '../../test/serve/start-serve.ts'
import { BIN, put, referenceIn, spillway, start, temporaryFolder } from '../../test/spillway.ts'

const proxy = (...args: string[]): string[] => ['mcp', 'proxy', ...args]

/** Write a JSON file into a folder. */
function write(folder: string, name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

/** Return everything in a folder, as text. */
const contentOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n')

describe('mcp over stdio', () => {
  test('passes small results on, replaces large results by previews, and adds a tool that searches them', async () => {
    const cwd = temporaryFolder()
    const { client } = await connectStdio(proxy('--', ...LOG_SERVER), { cwd })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'read_log', 'secret', 'crash', 'retrieve_offloaded_content'])
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hello' } })).toEqual({
      content: [{ type: 'text', text: 'hello' }],
    })
    const shown = await textOf(client.callTool({ name: 'read_log', arguments: { lines: 20_000 } }))
    expect(shown).toMatch(/^\[Offloaded: 1 block/)
    const reference = referenceIn(shown)
    const call = { reference, pattern: 'FAILED', context_lines: 0 }
    expect(await textOf(client.callTool({ name: 'retrieve_offloaded_content', arguments: call }))).toContain(
      '>  1000| line 999: FAILED',
    )
    expect((await spillway(['get', reference, '--lines', '1'], { cwd })).stdout).toContain('line 0: ok')
  })

  test('leaves results of tools in --exclude whole', async () => {
    const { client } = await connectInProcess(proxy('--exclude', 'read_log', '--', ...LOG_SERVER), {
      cwd: temporaryFolder(),
    })
    const shown = await textOf(client.callTool({ name: 'read_log', arguments: { lines: 5_000 } }))
    expect(shown).toMatch(/^line 0: ok\n[^]*line 4998: ok\n/)
  })

  test('keeps content in its scope, which can then be searched as a whole', async () => {
    const cwd = temporaryFolder()
    const { client } = await connectInProcess(proxy('--scope', 'mine', '--', ...LOG_SERVER), { cwd })
    const reference = referenceIn(await textOf(client.callTool({ name: 'read_log', arguments: { lines: 5_000 } })))
    const search = { name: 'retrieve_offloaded_content', arguments: { pattern: 'line 999', context_lines: 0 } }
    expect(await textOf(client.callTool(search))).toContain('line 999: FAILED')
    await client.close()
    const { client: other } = await connectInProcess(proxy('--scope', 'other', '--', ...LOG_SERVER), { cwd })
    const answer = await other.callTool({ ...search, arguments: { reference, pattern: 'line' } })
    expect(answer).toMatchObject({ isError: true })
    expect(await textOf(other.callTool(search))).not.toContain('FAILED')
  })

  test("gives the server's secrets only to the server", async () => {
    const cwd = temporaryFolder()
    const secret = 'sk-never-to-be-told-4711'
    const store = join(cwd, 'store')
    const env = { SERVER_SECRET: secret }
    const options = ['--log-events', '--store', `file:${store}`]
    const { client, log } = await connectStdio(proxy(...options, '--', ...LOG_SERVER), { cwd, env })
    expect(await textOf(client.callTool({ name: 'secret' }))).toBe(secret)
    const shown = await client.callTool({ name: 'read_log', arguments: { lines: 5_000 } })
    await expect(client.callTool({ name: 'crash' })).rejects.toThrow('exit code 7')
    const header = 'Authorization: Bearer ${SERVER_SECRET}'
    const gone = ['--name', 'gone', '--url', 'http://127.0.0.1:2/mcp', '--header', header]
    const unreachable = await start(process.execPath, [BIN, ...proxy(...options, ...gone)], {
      cwd,
      env,
      input: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n',
    }).end
    expect(unreachable.stderr).toContain('"server":"gone"')
    for (const text of [log(), JSON.stringify(shown), contentOf(store), unreachable.stderr, unreachable.stdout])
      expect(text).not.toContain(secret)
  })

  test('reports how the server exited, answers open calls with errors, and then exits itself', async () => {
    const { client, log } = await connectStdio(proxy('--', ...LOG_SERVER), { cwd: temporaryFolder() })
    const closed = new Promise<void>((resolve) => Object.assign(client, { onclose: resolve }))
    await expect(client.callTool({ name: 'crash' })).rejects.toThrow('ended (exit code 7) before it answered')
    await closed
    expect(log()).toMatch(/^spillway: The server .* ended \(exit code 7\)\. 1 call had no answer\.\n$/)
  })

  test('stops the server when its own input ends, and exits with 0', async () => {
    const ended = await start(process.execPath, [BIN, ...proxy('--', ...LOG_SERVER)], { cwd: temporaryFolder() }).end
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })
})

describe('mcp over HTTP', () => {
  const listen = async (args: readonly string[], cwd: string, isProcess = false): Promise<string> =>
    (await startListening(proxy('--listen', '0', ...args), { cwd, isProcess })).url

  test('gives each session its own server, and stops at a signal', async () => {
    const url = await listen(['--', ...LOG_SERVER], temporaryFolder(), true)
    const [one, two] = await Promise.all([connectHttp(url), connectHttp(url)])
    const reference = referenceIn(await textOf(one.callTool({ name: 'read_log', arguments: { lines: 5_000 } })))
    await expect(two.callTool({ name: 'crash' })).rejects.toThrow('exit code 7')
    const call = { reference, line_range: { start: 1, end: 1 } }
    expect(await textOf(one.callTool({ name: 'retrieve_offloaded_content', arguments: call }))).toContain('line 0: ok')
  })

  test('identifies callers by their tokens, and isolates them in scopes', async () => {
    const cwd = temporaryFolder()
    const tokens = write(cwd, 'tokens.json', [
      { token: 'token-of-the-first-tenant', scope: ['one'] },
      { token: 'token-of-the-second-tenant', scope: ['two'] },
    ])
    const url = await listen(['--tokens', tokens, '--', ...LOG_SERVER], cwd)
    await expect(connectHttp(url)).rejects.toThrow('Send a known token')
    await expect(connectHttp(url, 'token-of-nobody-at-all')).rejects.toThrow('Send a known token')
    const one = await connectHttp(url, 'token-of-the-first-tenant')
    const two = await connectHttp(url, 'token-of-the-second-tenant')
    const reference = referenceIn(await textOf(one.callTool({ name: 'read_log', arguments: { lines: 5_000 } })))
    const call = { name: 'retrieve_offloaded_content', arguments: { reference, pattern: 'FAILED' } }
    expect(await one.callTool(call)).not.toMatchObject({ isError: true })
    expect(await two.callTool(call)).toMatchObject({ isError: true })
  })
})

describe('a wrong use of mcp', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'spillway-test-'))
  afterAll(() => rmSync(cwd, { recursive: true }))
  const config = (value: unknown): string => write(cwd, `${crypto.randomUUID()}.json`, value)
  test.for<readonly [string, readonly string[], string, number]>([
    ['no server', [], 'Name the server in one way', 2],
    [
      'a command that is not there',
      ['--', 'no-such-command-here'],
      'The command no-such-command-here was not found',
      127,
    ],
    ['a file that is not a program', ['--', config('x')], 'may not be executed', 126],
    ['a header without a URL', ['--header', 'A: b', '--', 'x'], '--header and --sse need --url', 2],
    [
      'an address for all without tokens',
      ['--listen', '0.0.0.0:0', '--', 'x'],
      'Set tokens, or listen on 127.0.0.1',
      2,
    ],
    [
      'limits that contradict each other',
      ['--max-tokens', '10', '--preview-tokens', '10', '--', 'x'],
      '--preview-tokens (10) must be less',
      2,
    ],
    [
      'tokens that are too short',
      ['--listen', '0', '--tokens', config([{ token: 'short', scope: ['a'] }]), '--', 'x'],
      '16 characters or more',
      2,
    ],
  ])('%s', async ([, args, message, code]) => {
    const ended = await spillway(proxy(...args), { cwd })
    expect(ended.stderr).toContain(message)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).not.toContain('secret')
  })
})

const serve = (...args: string[]): string[] => ['mcp', 'serve', ...args]

test('mcp searches and reads what other commands have stored', async () => {
  const cwd = temporaryFolder()
  const reference = await put('first\nsecond FAILED\nthird\n', cwd, ['--scope', 'project'])
  const { client } = await connectInProcess(serve('--scope', 'project'), { cwd })
  const retrieve = (input: Record<string, unknown>): Promise<string> =>
    textOf(client.callTool({ name: 'retrieve_offloaded_content', arguments: input }))
  expect(await retrieve({ pattern: 'FAILED', context_lines: 0 })).toContain('> 2| second FAILED')
  expect(await retrieve({ reference })).toBe(
    `<<< ${reference.slice(-8)}: untrusted content\nfirst\nsecond FAILED\nthird\n\n>>> end of ${reference.slice(-8)}`,
  )
  expect(await retrieve({ reference: 'made_up' })).toMatch(/^Error: /)
})

test("mcp stores an agent's content, and other commands find it", async () => {
  const cwd = temporaryFolder()
  const { client } = await connectInProcess(serve(), { cwd })
  const stored = await textOf(
    client.callTool({
      name: 'offload_content',
      arguments: { content: '{"a":1}', name: 'notes', content_type: 'application/json' },
    }),
  )
  const reference = /^Stored as (notes_\w+) \(7 bytes\)/.exec(stored)?.[1] ?? expect.fail(stored)
  for (const [input, message] of [
    [{}, 'content must be the text'],
    [{ content: 'x', content_type: 'image/png' }, 'content_type must be one of text'],
    [{ content: 'x', name: 5 }, 'name must be a text'],
    [{ content: 'x', scope: 'other' }, 'no parameter "scope"'],
  ] as const)
    expect(await textOf(client.callTool({ name: 'offload_content', arguments: input }))).toContain(message)
  await client.close()
  expect((await spillway(['get', reference], { cwd })).stdout).toBe('{"a":1}')
  expect(JSON.parse((await spillway(['stat', reference, '--json'], { cwd })).stdout)).toMatchObject({
    contentType: 'application/json',
  })
})

test('mcp writes nothing if it is read-only', async () => {
  const { client } = await connectInProcess(serve('--read-only'), { cwd: temporaryFolder() })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['retrieve_offloaded_content'])
})
