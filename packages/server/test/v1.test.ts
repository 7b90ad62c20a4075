import { describe, expect, it } from 'vitest'
import { brokenStorage } from './broken-storage.ts'
import { startService, type TestService } from './start-service.ts'

const log = Array.from({ length: 2_000 }, (_, line) => `line ${line}${line === 1_321 ? ' FAILED' : ''}`).join('\n')
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function offload(service: TestService, text = log, toolCallId = 'call_1'): Promise<string> {
  const { json } = await service.post('/v1/offload', {
    toolName: 'read',
    toolCallId,
    content: [{ type: 'text', text }],
  })
  const [stored] = json['stored'] as unknown as [{ reference: string }]
  return stored.reference
}

describe('/v1/offload', () => {
  it.each([
    [{ data: 'not base64!' }, 'content.1: data must be Base64.'],
    [{ url: 'data:image/png;base64,%' }, 'content.1: url is an invalid data: URL.'],
    [{}, 'content.1: A block of type image has either data or url.'],
  ])('names the block and the field of invalid media %j', async (media, message) => {
    const content = [
      { type: 'text', text: 'fine' },
      { type: 'image', mediaType: 'image/png', ...media },
    ]
    const service = await startService()
    const { json } = await service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content })
    expect(json).toMatchObject({ error: { code: 'invalid-request', message } })
  })

  it('replaces a large result by a preview and a reference, and gives the same bytes each time', async () => {
    const service = await startService()
    const request = { toolName: 'read', toolCallId: 'call_1', content: [{ type: 'text', text: log }] }
    const [first, second] = [await service.post('/v1/offload', request), await service.post('/v1/offload', request)]
    expect(first.json).toMatchObject({ status: 'offloaded', stored: [{ type: 'text', size: log.length }] })
    expect(JSON.stringify(first.json)).toContain('[Offloaded: 1 block')
    expect(second.json).toEqual(first.json)
  })

  it('returns a small result unchanged, with media, JSON values and links', async () => {
    const service = await startService()
    const content = [
      { type: 'text', text: 'small' },
      { type: 'json', value: { a: [1, null] } },
      { type: 'image', mediaType: 'image/png', data: PNG },
      { type: 'document', mediaType: 'application/pdf', url: 'https://example.com/a.pdf', name: 'a.pdf' },
      { type: 'link', url: 'https://example.com' },
      { type: 'unknown', value: { own: true } },
    ]
    const { json } = await service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content })
    expect(json).toMatchObject({ status: 'inline', reason: 'within-limit', stored: [], content })
  })

  it.each([
    [{ toolName: 't', toolCallId: 'c' }],
    [{ toolName: '', toolCallId: 'c', content: [] }],
    [{ toolName: 't', toolCallId: 'c', content: [{ type: 'movie' }] }],
  ])('refuses %j', async (body) => {
    const service = await startService()
    expect(await service.post('/v1/offload', body)).toMatchObject({
      status: 422,
      json: { error: { code: 'invalid-request' } },
    })
  })

  it('names each invalid field once, with its first problem', async () => {
    const service = await startService()
    const body = { toolName: 5, toolCallId: 'c', content: 'text '.repeat(9_000) }
    const { json } = await service.post('/v1/offload', body)
    const { message } = (json as { readonly error: { readonly message: string } }).error
    expect(message).toBe(
      'toolName: Invalid input: expected string, received number. content: Invalid input: expected array, received string.',
    )
  })

  it('names missing fields of a body and of a query', async () => {
    const service = await startService()
    const messageOf = (answer: unknown) => (answer as { readonly error: { readonly message: string } }).error.message
    const { json } = await service.post('/v1/offload', { toolName: 'read', content: [] })
    expect(messageOf(json)).toBe('toolCallId: missing (string).')
    const sent = await fetch(`${service.url}/v1/offload/content?toolName=read`, { method: 'POST', body: 'x' })
    expect(messageOf(await sent.json())).toBe('query.toolCallId: missing (string).')
  })

  it('accepts a stream of any size and content type', async () => {
    const service = await startService({ limits: { maxBodyBytes: 1_000, maxContentBytes: 10_000_000 } })
    const send = (body: BodyInit, query: string, type = 'text/plain') =>
      fetch(`${service.url}/v1/offload/content?${query}`, { method: 'POST', body, headers: { 'content-type': type } })
    const large = 'a line of text\n'.repeat(300_000)
    const json = (await (await send(large, 'toolName=read&toolCallId=call_1')).json()) as {
      stored: { reference: string; size: number }[]
    }
    expect(json).toMatchObject({ status: 'offloaded', stored: [{ size: large.length, contentType: 'text/plain' }] })
    const content = await fetch(`${service.url}/v1/entries/${json.stored[0]?.reference}/content`)
    expect((await content.text()) === large).toBe(true)
    expect((await send('x'.repeat(10_000_001), 'toolName=read&toolCallId=call_2')).status).toBe(413)
    expect((await send('x', 'toolName=read')).status).toBe(422)
    for (const type of ['text', 'text/plain; a="é"', 'text/plain\t; a=b', `text/plain; a=${'b'.repeat(300)}`])
      expect((await send('x', 'toolName=read&toolCallId=call_3', type)).status).toBe(415)
  })

  it('reports an outage of the storage, without details', async () => {
    const service = await startService({ storage: brokenStorage() })
    const content = [{ type: 'text', text: log }]
    const answer = await service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content })
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable', retryable: true } } })
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify([answer.json, service.log])).not.toContain('10.1.2.3')
    expect(service.log.find(({ type }) => type === 'fault')).toMatchObject({
      error: expect.stringContaining('StorageError (unavailable)'),
    })
  })
})

describe('/v1/retrieve and /v1/search', () => {
  it('give the same answers as the retrieval tool, and an HTTP status for failures', async () => {
    const service = await startService()
    const reference = await offload(service)
    const found = await service.post('/v1/retrieve', { reference, pattern: 'FAILED', context_lines: 0 })
    expect(JSON.stringify(found.json)).toContain('> 1322| line 1321 FAILED')
    expect((await service.post('/v1/retrieve', { pattern: 'FAILED' })).status).toBe(200)
    for (const [input, status, code] of [
      [{ reference: 'made_up' }, 404, 'not-found'],
      [{ reference: '../etc/passwd' }, 400, 'invalid-reference'],
      [{ reference, line_range: { start: 9_000, end: 9_001 } }, 416, 'invalid-range'],
      [{ reference, unknown: 1 }, 422, 'invalid-input'],
      [{ reference, json_path: '$.a' }, 422, 'not-json'],
    ] as const)
      expect(await service.post('/v1/retrieve', input)).toMatchObject({ status, json: { error: { code } } })
  })

  it('accept the small mistakes of models that the retrieval tool accepts', async () => {
    const service = await startService()
    const reference = await offload(service)
    for (const input of [
      { reference, pattern: null, line_range: '1322-1322' },
      { reference, byte_range: null, line_range: { start: '1322', end: '1322' } },
      { reference, pattern: 'FAILED', context_lines: '0', count_only: 'false' },
    ])
      expect(JSON.stringify((await service.post('/v1/retrieve', input)).json)).toContain('1322| line 1321 FAILED')
  })

  it('find lines in all entries, or in the requested entries', async () => {
    const service = await startService()
    const [one, two] = [await offload(service), await offload(service, log.replaceAll('FAILED', 'failed'), 'call_2')]
    const all = await service.post('/v1/search', { pattern: 'failed$', ignoreCase: true })
    expect(all.json).toMatchObject({ isComplete: true, matches: expect.any(Array) })
    expect(
      (all.json['matches'] as unknown as { reference: string }[]).map(({ reference }) => reference).toSorted(),
    ).toEqual([one, two].toSorted())
    const some = await service.post('/v1/search', { pattern: 'failed', references: [one], ignoreCase: true })
    expect(some.json['matches']).toEqual([
      { reference: one, path: `results/${one}.txt`, line: 1_322, text: 'line 1321 FAILED' },
    ])
    expect((await service.post('/v1/search', { pattern: 'line', limit: 7 })).json).toMatchObject({ isComplete: false })
    for (const [missing, status] of [
      ['absent_aaaaaaaaaaaaaaaaaaaa', 404],
      ['../x', 400],
    ])
      expect(await service.post('/v1/search', { pattern: 'line', references: [one, missing] })).toMatchObject({
        status,
      })
    expect((await service.post('/v1/search', { pattern: 'fine|(' })).json).toMatchObject({
      problem: 'Unterminated group',
    })
    expect((await service.post('/v1/search', { pattern: 'line', paths: '*.json' })).json).toMatchObject({ matches: [] })
    expect((await service.post('/v1/search', { pattern: 'line', paths: '../*' })).status).toBe(400)
  })

  // A matcher without a time limit would make the test time out.
  it('answer a pattern that backtracks exponentially', async () => {
    const service = await startService()
    await offload(service, `${'a'.repeat(3_000)}!\n`.repeat(5))
    const answers = [
      service.post('/v1/search', { pattern: String.raw`^(a+)+\1$` }),
      service.post('/grep', { pattern: String.raw`^(a+)+\1$` }),
    ]
    // Other requests are answered in the meantime.
    await service.get('/health')
    for (const { status } of await Promise.all(answers)) expect([200, 422]).toContain(status)
  })
})

it.each([
  ['/v1/offload', { toolName: 't', toolCallId: 'c', content: [], is_error: true }, 'is_error', 'toolName'],
  ['/v1/search', { pattern: 'x', reference: 'r' }, 'reference', 'pattern'],
  ['/v1/history/expand', { format: 'openai-chat', messages: [], mode: 'auto' }, 'mode', 'format'],
])('the refusal of a request to %s with an unknown field names the known fields', async (path, body, field, known) => {
  const { status, json } = await (await startService()).post(path, body)
  const message = expect.stringContaining(`body: Unknown field "${field}". Known: ${known}, `)
  expect({ status, json }).toMatchObject({ status: 422, json: { error: { code: 'invalid-request', message } } })
})

describe('/v1/entries', () => {
  it('are listed in pages, the newest first, each entry once', async () => {
    const service = await startService()
    const references: string[] = []
    for (let count = 0; count < 25; count += 1)
      references.push(await offload(service, `${log}${count}`, `call_${count}`))
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { json } = await service.get(`/v1/entries?limit=10${cursor === '' ? '' : `&cursor=${cursor}`}`)
      const page = json as unknown as { entries: { reference: string }[]; next: string | null }
      seen.push(...page.entries.map(({ reference }) => reference))
      cursor = page.next
    }
    expect(seen.length).toBe(25)
    expect(new Set(seen)).toEqual(new Set(references))
    for (const query of ['limit=0', 'limit=x', 'limit=5000', 'cursor=x', 'cursor=../..'])
      expect((await service.get(`/v1/entries?${query}`)).status).toBe(422)
  })

  it('are described and removed', async () => {
    const service = await startService()
    const reference = await offload(service)
    expect((await service.get(`/v1/entries/${reference}`)).json).toMatchObject({
      reference,
      key: 'call_1_0',
      size: log.length,
      metadata: { tool: 'read' },
    })
    const remove = () => fetch(`${service.url}/v1/entries/${reference}`, { method: 'DELETE' })
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(204)
    expect((await service.get(`/v1/entries/${reference}`)).status).toBe(404)
    expect((await service.get('/v1/entries/..%2f..%2fetc%2fpasswd')).status).toBe(400)
  })

  it('return their bytes as an attachment, in ranges, and without a body if they are cached', async () => {
    const service = await startService()
    const reference = await offload(service)
    const get = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${service.url}/v1/entries/${reference}/content`, { headers, method })
    const whole = await get()
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': `${log.length}`,
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      etag: `"${reference}"`,
    })
    expect(await whole.text()).toBe(log)
    const part = await get({ range: 'bytes=5-10' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 5-10/${log.length}`,
      log.slice(5, 11),
    ])
    expect(await (await get({ range: 'bytes=-6' })).text()).toBe(log.slice(-6))
    const beyond = await get({ range: 'bytes=99999999-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${log.length}`])
    expect((await get({ 'if-none-match': `"${reference}"` })).status).toBe(304)
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
    const asked = await get({}, 'HEAD')
    for (let count = 0; count < 20; count += 1) expect((await get({}, 'HEAD')).status).toBe(200)
    expect([asked.status, asked.headers.get('content-length'), await asked.text()]).toEqual([200, `${log.length}`, ''])
  })
})

it('/v1/stats returns the savings of the scope', async () => {
  const service = await startService()
  const reference = await offload(service)
  await service.post('/v1/retrieve', { reference, pattern: 'FAILED' })
  const { json } = await service.get('/v1/stats')
  expect(json).toMatchObject({
    meter: { results: 1, offloaded: 1, retrievals: 1, bounceRate: 1 },
    stored: { entries: 1, bytes: log.length },
  })
})

it('other methods and paths are refused, and the response names the allowed methods or /openapi.json', async () => {
  const service = await startService()
  const answer = await fetch(`${service.url}/v1/entries/a_b`, { method: 'PUT' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, DELETE'])
  expect(await service.get('/v2/entries')).toMatchObject({ status: 404, json: { error: { code: 'no-such-endpoint' } } })
  expect(
    (await fetch(`${service.url}/v1/offload`, { method: 'OPTIONS' })).headers.get('access-control-allow-origin'),
  ).toBeNull()
})
