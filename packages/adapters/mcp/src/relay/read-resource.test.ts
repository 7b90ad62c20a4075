import { ContextOffloader, type ContextOffloaderOptions } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { Message, Request } from './message.ts'
import { parseResourceUri, readResource, referenceUri, RESOURCE_TEMPLATE } from './read-resource.ts'

const LIMIT = 4_194_304

async function read(
  content: string | Uint8Array,
  contentType: string,
  query = '',
  overrides: object = {},
): Promise<Message> {
  const storage = new InMemoryStorage()
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const reference = await storage.store('log_1', bytes, contentType)
  const used = new Proxy(storage, {
    get(target, key) {
      const value = Reflect.get(Object.hasOwn(overrides, key) ? overrides : target, key) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  const offloader = new ContextOffloader({ storage: used as ContextOffloaderOptions['storage'] })
  return readUri(offloader, `${referenceUri(reference)}${query}`)
}

function readUri(offloader: ContextOffloader, uri: string): Promise<Message> {
  const request: Request = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri } }
  const wanted = parseResourceUri(uri) ?? { reference: '', call: undefined }
  return readResource(offloader, request, wanted, new AbortController().signal)
}

const contentsOf = ({ result }: Message): Record<string, unknown> | undefined =>
  (result as { contents: Record<string, unknown>[] }).contents[0]

describe('readResource', () => {
  it('returns text byte for byte, with a byte order mark', async () => {
    const text = '\uFEFFone\r\ntwo 👩‍👩‍👧'
    expect(contentsOf(await read(text, 'text/plain'))).toMatchObject({ mimeType: 'text/plain', text })
    expect(contentsOf(await read('{"a":1}', 'application/json'))).toMatchObject({ text: '{"a":1}' })
  })

  it('returns UTF-16 as text, and bytes declared as text as Base64', async () => {
    const wide = new Uint8Array(Buffer.from('\ufeffone\r\ntwo', 'utf16le'))
    expect(contentsOf(await read(wide, 'text/csv'))).toMatchObject({ mimeType: 'text/csv', text: 'one\r\ntwo' })
    expect(contentsOf(await read(new Uint8Array([1, 255, 2]), 'text/csv'))).toMatchObject({ blob: 'Af8C' })
  })

  it('returns bytes as Base64', async () => {
    const answer = contentsOf(await read(new Uint8Array([0, 255, 7]), 'image/png'))
    expect(answer).toMatchObject({ mimeType: 'image/png', blob: 'AP8H' })
    expect(answer).not.toHaveProperty('text')
  })

  it('returns a requested part as the retrieval tool does', async () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n')
    expect(contentsOf(await read(text, 'text/plain', '?lines=7-8'))?.['text']).toMatch(/7\| line 7\n.*8\| line 8/)
    expect(contentsOf(await read(text, 'text/plain', '?pattern=line%2099'))?.['text']).toContain('>  99| line 99')
  })

  it('reports a missing entry even if a custom storage says so in its own way', async () => {
    const storage = {
      store: async () => 'mem_1',
      retrieve: async (reference: string) => {
        throw new Error(`Reference not found: ${reference}`)
      },
    }
    const answer = await readUri(new ContextOffloader({ storage }), referenceUri('mem_9'))
    expect(answer.error).toMatchObject({ code: -32_602, message: expect.stringContaining('mem_9') as string })
  })

  it('rejects content too large for one answer, and says how to read a part', async () => {
    const tooLarge = { code: -32_602, message: expect.stringContaining('?lines=1-500') as string }
    expect((await read('a'.repeat(LIMIT), 'text/plain')).error).toBeUndefined()
    expect((await read('a'.repeat(LIMIT + 1), 'text/plain')).error).toEqual(tooLarge)
    // A storage need not be able to tell the size before.
    expect((await read('a'.repeat(LIMIT + 1), 'text/plain', '', { stat: undefined })).error).toEqual(tooLarge)
  })

  it('answers with an error if there is no entry, or the storage does not answer', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    for (const query of ['', '?lines=1-2']) {
      const { error } = await readUri(offloader, `${referenceUri('no_such_reference')}${query}`)
      expect(error).toEqual({ code: -32_602, message: expect.stringContaining('no_such_reference') as string })
    }
  })

  it('rejects with errors that are not storage errors', async () => {
    const fail = { retrieve: () => Promise.reject(new RangeError('a bug')) }
    await expect(read('small', 'text/plain', '', fail)).rejects.toThrow(new RangeError('a bug'))
  })
})

describe('resourceUri', () => {
  describe('resource URIs', () => {
    it('lead back to the reference', () => {
      const text = fc.string({ unit: fc.constantFrom('a', '_', '9', '/', '?', '#', '%', ' ', '&', 'é', '👩') })
      fc.assert(
        fc.property(text, (reference) => {
          expect(parseResourceUri(referenceUri(reference))).toEqual({ reference, call: undefined })
          expect(URL.canParse(referenceUri(reference))).toBe(true)
        }),
      )
    })

    it.each([
      ['pattern=a%7Cb', { pattern: 'a|b', line_range: undefined }],
      ['pattern=a+b', { pattern: 'a b', line_range: undefined }],
      ['lines=10-20', { pattern: undefined, line_range: { start: 10, end: 20 } }],
      ['lines=10:20&pattern=x', { pattern: 'x', line_range: { start: 10, end: 20 } }],
    ])('request a part by %s', (query, call) => {
      const uri = `${referenceUri('log_1')}?${query}`
      expect(parseResourceUri(uri)).toEqual({ reference: 'log_1', call: { reference: 'log_1', ...call } })
    })

    it.each(['', '?', '?lines=all', '?lines=1', '?other=1'])('request the whole content with the query %j', (query) => {
      expect(parseResourceUri(`${referenceUri('log_1')}${query}`)).toEqual({ reference: 'log_1', call: undefined })
    })

    it('do not include other URIs', () => {
      for (const uri of ['file:///a', 'spillway:/a', 'SPILLWAY:///a', 'spillway:///%zz', '', undefined, 7, {}])
        expect(parseResourceUri(uri)).toBeUndefined()
    })

    it('match the template', () => {
      expect(RESOURCE_TEMPLATE.replace(/\{.*/, 'log_1')).toBe(referenceUri('log_1'))
    })
  })
})
