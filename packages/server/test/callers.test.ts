import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccessTokens } from '@spillway/core/http'
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../src/index.ts'
import { head, rawRequest } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

const ONE = { authorization: 'Bearer the-token-of-tenant-one' }
const TWO = { authorization: 'Bearer the-token-of-tenant-two' }

const tokens = (): AccessTokens =>
  new AccessTokens([
    { token: 'the-token-of-tenant-one', scope: ['one'] },
    { token: 'the-token-of-tenant-two', scope: ['two'] },
  ])

const SECRET = 'the-secret-of-tenant-one'
const text = `${'a line\n'.repeat(5_000)}${SECRET}\n`

/** Store a result and a file as the first tenant, and return the reference and the path. */
async function storeSecret(service: TestService): Promise<{ readonly reference: string; readonly path: string }> {
  const content = [{ type: 'text', text }]
  const offloaded = await service.post('/v1/offload', { toolName: 'tool', toolCallId: 'call_1', content }, ONE)
  const [stored] = offloaded.json['stored'] as unknown as [{ reference: string }]
  const messages = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 't', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: text.repeat(4) },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'and now' },
  ]
  const request = { messages, context_manage_mode: 'compact', max_total_tokens: 1_000, store_dir: '/workspace/store' }
  const { json } = await service.post('/context_offload', request, ONE)
  const [path = ''] = Object.keys(json.metadata.write_file_dict)
  return { reference: stored.reference, path }
}

describe('tokens of the service', () => {
  it('isolate their owners in any request', async () => {
    const service = await startService({ tokens: tokens() })
    const { reference, path } = await storeSecret(service)
    expect((await service.post('/read_file', { absolute_path: path }, ONE)).json.answer).toContain(SECRET)
    expect((await service.get(`/v1/entries/${reference}`, ONE)).status).toBe(200)

    const answers = await Promise.all([
      service.post('/read_file', { absolute_path: path }, TWO),
      service.post('/read_file', { absolute_path: `results/${reference}.txt` }, TWO),
      service.post('/read_file', { absolute_path: `../one/${path}` }, TWO),
      service.get(`/v1/entries/${reference}`, TWO),
      service.get(`/v1/entries/${reference}/content`, TWO),
      service.post('/v1/retrieve', { reference }, TWO),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 404, 404, 404])
    const all = await Promise.all([
      service.post('/grep', { pattern: 'secret' }, TWO),
      service.post('/v1/search', { pattern: 'secret' }, TWO),
      service.post('/v1/search', { pattern: 'secret', references: [reference] }, TWO),
      service.post('/v1/retrieve', { pattern: 'secret' }, TWO),
      service.get('/v1/entries', TWO),
      service.get('/v1/stats', TWO),
    ])
    for (const { json } of [...answers, ...all]) expect(JSON.stringify(json)).not.toContain(SECRET)
    expect(all[4]?.json).toEqual({ entries: [], next: null })
    expect(all[5]?.json).toMatchObject({ meter: { offloaded: 0, tokensAvoided: 0 }, stored: { entries: 0 } })

    await fetch(`${service.url}/v1/entries/${reference}`, { method: 'DELETE', headers: TWO })
    expect((await service.get(`/v1/entries/${reference}`, ONE)).status).toBe(200)
  })

  it('alone determine the scope', async () => {
    const service = await startService({ tokens: tokens() })
    await storeSecret(service)
    const wishes = { 'x-scope': 'one', 'x-tenant': 'one', 'mcp-session-id': 'one', 'x-forwarded-for': '127.0.0.1' }
    const body = { pattern: 'secret', scope: ['one'], workspace_id: 'one', chat_id: 'one' }
    const { json } = await service.post('/grep', body, { ...TWO, ...wishes })
    expect(json.answer).toBe('No matches found for pattern "secret" in the workspace directory.')
  })

  it('cannot restore content of another scope through a history', async () => {
    const service = await startService({ tokens: tokens() })
    const { path } = await storeSecret(service)
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'tool', tool_call_id: 'x', content: `... (detailed result is stored in ${path})` },
    ]
    const mine = await service.post('/v1/history/expand', { format: 'reme', messages }, ONE)
    expect(JSON.stringify(mine.json)).toContain(SECRET)
    const others = await service.post('/v1/history/expand', { format: 'reme', messages }, TWO)
    expect(others.json.messages).toEqual(messages)
  })

  it.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer not-a-token-that-is-known' }],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('are required for every private endpoint: callers with %s are refused', async (_name, headers) => {
    const service = await startService({ tokens: tokens() })
    for (const path of [
      '/context_offload',
      '/grep',
      '/read_file',
      '/v1/offload',
      '/v1/history/compact',
      '/v1/search',
    ]) {
      const { status, headers: answered } = await service.post(path, {}, headers)
      expect([status, answered.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    for (const path of ['/metrics', '/v1/entries', '/v1/stats', '/nowhere', '/v1/entries/a_b/content'])
      expect((await service.get(path, headers)).status).toBe(401)
    expect((await service.get('/grep', headers)).status).toBe(401)
    expect((await service.get('/health', headers)).json).toEqual({ status: 'healthy' })
    expect((await service.get('/openapi.json', headers)).status).toBe(200)
    expect((await fetch(`${service.url}/metrics`, { headers: ONE })).status).toBe(200)
  })

  it('are checked before a body is read', async () => {
    const service = await startService({ tokens: tokens() })
    const answer = await rawRequest(service.port, (socket) => {
      socket.write(head('/context_offload', { 'content-length': '1000000' }))
    })
    expect(answer.status).toBe(401)
    expect(answer.headers.toLowerCase()).toContain('connection: close')
    expect(service.log).toMatchObject([{ status: 401, bytesIn: 0, code: 'unauthorized' }])
  })

  it('are checked more slowly for a caller who has sent wrong tokens', async () => {
    const service = await startService({ tokens: tokens(), limits: { requestsPerSecond: 1, requestBurst: 5 } })
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.get('/v1/stats', { authorization: `Bearer a-guessed-token-${index}` }),
      ),
    )
    expect(guesses.filter(({ status }) => status === 401).length).toBe(5)
    const refused = guesses.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await service.get('/v1/stats', ONE)).status).toBe(200)
  })

  it('leave callers without a token a separate rate for public endpoints', async () => {
    const service = await startService({ tokens: tokens(), limits: { requestsPerSecond: 0.001, requestBurst: 5 } })
    const all = await Promise.all(Array.from({ length: 20 }, () => fetch(`${service.url}/openapi.json`)))
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5)
    expect(all.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(15)
    expect((await service.get('/v1/stats', ONE)).status).toBe(200)
  })

  it('are never in the log, and neither is content', async () => {
    const service = await startService({ tokens: tokens() })
    await storeSecret(service)
    await service.post('/grep', { pattern: SECRET, path: '../x' }, TWO)
    await service.post('/grep', { pattern: SECRET }, { authorization: `Bearer ${SECRET}-guess` })
    await service.get(`/v1/entries/${SECRET}?cursor=${SECRET}`, ONE)
    const log = JSON.stringify(service.log)
    for (const word of [SECRET, 'tenant', 'Bearer', 'store', 'one']) expect(log).not.toContain(word)
    const callers = new Set(service.log.map((record) => (record.type === 'request' ? record.caller : undefined)))
    expect(callers.size).toBe(3)
    const metrics = await fetch(`${service.url}/metrics`, { headers: ONE })
    expect(await metrics.text()).not.toMatch(/tenant|secret|store/)
  })
})

describe('the service without tokens', () => {
  it('puts all callers into the default scope, or into the configured scope', async () => {
    const service = await startService({ scope: ['project'] })
    await storeSecret(service)
    expect((await service.get('/v1/stats')).json).toMatchObject({ stored: { entries: 2 } })
    const keys: string[] = []
    for await (const { key } of service.storage.scope('project').list({ below: false })) keys.push(key)
    expect(keys.toSorted()).toEqual(['/store/tool_call_call_1.txt@1', 'call_1_0'])
  })

  it.each(['0.0.0.0', '::', '192.0.2.1'])('does not listen at %s', async (host) => {
    await expect(startService({ host })).rejects.toThrow('can be reached from other machines')
  })

  it('refuses pages of other sites, and other host names for this machine', async () => {
    const service = await startService({ allowedHosts: ['Spill.Example.com'] })
    const statusOf = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port: service.port, path: '/v1/stats', headers }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        sent.once('error', reject).end()
      })
    for (const host of ['localhost', '127.0.0.1:1', '[::1]', '0.0.0.0:8002', 'spill.example.com'])
      expect(await statusOf({ host })).toBe(200)
    expect(await statusOf({ host: 'localhost', origin: 'http://localhost:5173' })).toBe(200)
    for (const headers of [
      { host: 'evil.example' },
      { host: 'localhost', origin: 'https://evil.example' },
      { host: 'localhost', origin: 'null' },
    ])
      expect(await statusOf(headers)).toBe(403)
  })
})

describe('the file system of the host', () => {
  it('cannot be reached, even through links in a file store', async () => {
    const root = await mkdtemp(join(tmpdir(), 'server-store-'))
    onTestFinished(() => rm(root, { recursive: true, force: true }))
    await writeFile(join(root, 'outside.txt'), SECRET)
    await mkdir(join(root, 'store'))
    const storage = new FileStorage(join(root, 'store'))
    const service = await startService({ storage })
    await storeSecret(service)
    const own = await service.post('/grep', { pattern: SECRET })
    expect(own.json.metadata['matches']).toHaveLength(2)
    // Create links in every folder of the store, to a file and to a folder outside.
    for (const entry of await readdir(join(root, 'store'), { recursive: true, withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      await symlink(join(root, 'outside.txt'), join(entry.parentPath, entry.name, 'link.txt'))
      await symlink(root, join(entry.parentPath, entry.name, 'folder'))
    }
    const hostile = [
      '/etc/passwd',
      join(root, 'outside.txt'),
      'link.txt',
      'folder/outside.txt',
      'store/link.txt',
      'results/link.txt',
    ]
    for (const absolute_path of hostile) expect((await service.post('/read_file', { absolute_path })).status).toBe(404)
    for (const absolute_path of [
      '../outside.txt',
      'store/../../outside.txt',
      '..\\outside.txt',
      'a\0b',
      '/workspace/../etc/passwd',
    ])
      expect((await service.post('/read_file', { absolute_path })).status).toBe(400)
    for (const [path, glob] of [
      ['../', '*'],
      ['store', '../*'],
      ['/etc/..', '*'],
    ])
      expect((await service.post('/grep', { pattern: '.', path, glob })).status).toBe(400)
    expect((await service.post('/grep', { pattern: '.', path: '/etc' })).json.answer).toContain('No matches found')
    expect((await service.post('/grep', { pattern: SECRET })).json.metadata['matches']).toHaveLength(2)
    for (const store_dir of ['../x', '/workspace/../../etc', 'a\\b'])
      expect((await service.post('/context_offload', { messages: [], store_dir })).status).toBe(400)
  })
})

describe('createApp', () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

  it('throws if tokens is missing, so that a forgotten option gives no access', () => {
    for (const options of [undefined, {}, { tokens: undefined }, { tokens: [] }, { tokens: 'None' }, { tokens: {} }])
      expect(() => createApp(offloader, options as never)).toThrow('tokens must be an AccessTokens')
  })

  it('throws for an unknown option, a scope that is a text, and an object that is not an offloader', () => {
    const tokens = 'none'
    expect(() => createApp(offloader, { tokens, allowedHost: ['a'] } as never)).toThrow('Unknown option "allowedHost"')
    expect(() => createApp(offloader, { tokens, scope: 'tenant' } as never)).toThrow(
      'scope must be an array of strings',
    )
    expect(() => createApp({} as never, { tokens })).toThrow('offloader must be a ContextOffloader')
  })

  it('refuses requests that a proxy forwarded if there are no tokens, even from known hosts', async () => {
    const app = createApp(offloader, { tokens: 'none' })
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await app.fetch(new Request('http://localhost/v1/stats', { headers }))).status
    expect(await statusOf({})).toBe(200)
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip'])
      expect(await statusOf({ [name]: 'localhost' })).toBe(403)
  })
})
