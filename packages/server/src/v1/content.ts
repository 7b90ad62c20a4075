import type { OpenContent } from '@spillway/core'
import { orMiss } from '@spillway/core/adapter'
import { HttpError } from '../app/http-error.ts'
import type { ServedStorage } from '../files/scope-files.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { referenceParams } from './schemas.ts'

const CHUNK_BYTES = 262_144
/** Estimated memory of the chunks that wait to be sent. */
const MEMORY_BYTES = 4 * CHUNK_BYTES

export const contentRoute: Route = defineRoute({
  method: 'get',
  path: '/v1/entries/{reference}/content',
  operationId: 'readContent',
  summary: 'Read the bytes of an entry',
  description:
    'The answer has the `Content-Type` of the entry, and is an attachment, so no browser shows it. `Range` may request one range.',
  tag: 'Results',
  params: referenceParams,
  responses: {
    200: { description: 'The whole content.', contentType: '*/*' },
    206: {
      description: 'The requested range.',
      contentType: '*/*',
      headers: { 'content-range': 'The range of the returned bytes.' },
    },
    304: { description: '`If-None-Match` has this reference: the content of a reference never changes.' },
  },
  failureStatuses: {
    400: 'The text is not a reference.',
    404: 'Nothing is stored under the reference in this scope.',
    410: 'The entry was evicted.',
    416: 'The range begins beyond the end.',
  },
  async handle({ params: { reference } }, { tenant, headers, signal, call, isHead }) {
    const content = await openContent(tenant().storage, reference, signal)
    try {
      const etag = `"${reference}"`
      const common = {
        etag,
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
        'content-type': content.contentType,
        'content-disposition': 'attachment',
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
      }
      if (headers.get('if-none-match')?.includes(etag) === true) {
        await content.close()
        return { response: new Response(null, { status: 304, headers: { etag } }), memoryBytes: 0 }
      }
      const requested = headers.has('if-range') && headers.get('if-range') !== etag ? null : headers.get('range')
      const range = parseRange(requested, content.size)
      if (range === 'beyond') throw beyondEnd(content.size)
      const { start, end } = range ?? { start: 0, end: content.size }
      call.bytesOut = end - start
      // The storage is not read, because an unread stream would never be closed.
      const isEmpty = start === end || isHead
      const response = new Response(isEmpty ? null : streamOf(content, start, end, signal), {
        status: range === undefined ? 200 : 206,
        headers: {
          ...common,
          'content-length': `${end - start}`,
          ...(range !== undefined && { 'content-range': `bytes ${start}-${end - 1}/${content.size}` }),
        },
      })
      if (isEmpty) await content.close()
      return { response, memoryBytes: MEMORY_BYTES }
    } catch (error) {
      await content.close()
      throw error
    }
  },
})

async function openContent(storage: ServedStorage, reference: string, signal: AbortSignal): Promise<OpenContent> {
  if (storage.open !== undefined) return await orMiss(reference, () => storage.open!(reference, { signal }))
  const { content, contentType } = await orMiss(reference, () => storage.retrieve(reference, { signal }))
  return {
    contentType,
    size: content.length,
    read: async (offset, length) => content.subarray(offset, offset + length),
    close: async () => {},
  }
}

function streamOf(content: OpenContent, start: number, end: number, signal: AbortSignal): ReadableStream<Uint8Array> {
  let offset = start
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal.throwIfAborted()
          const bytes = await content.read(offset, Math.min(CHUNK_BYTES, end - offset))
          // The bytes are copied, because the storage may reuse them.
          controller.enqueue(bytes.slice())
          offset += bytes.length
          if (offset < end && bytes.length > 0) return
          await content.close()
          controller.close()
        } catch (error) {
          await content.close()
          throw error
        }
      },
      cancel: () => content.close(),
    },
    { highWaterMark: 1 },
  )
}

const beyondEnd = (size: number): HttpError =>
  new HttpError('range-not-satisfiable', `The content has ${size} bytes.`, {
    headers: { 'content-range': `bytes */${size}` },
  })

interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** Parse a `Range` header (RFC 9110): `beyond` if it starts after the end, `undefined` for the whole content. */
export function parseRange(header: string | null, size: number): ByteSpan | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) === 0 || size === 0 ? 'beyond' : { start: Math.max(0, size - Number(last)), end: size }
  const start = Number(first)
  const end = last === '' ? size : Math.min(size, Number(last) + 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'beyond' : { start, end }
}
