import type { Outcome } from '@spillway/core'
import { isContentType, StorageError } from '@spillway/core'
import { z } from 'zod'
import { HttpError } from '../app/http-error.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { contentBlockSchema, outcomeSchema, readContentBlock, writeContentBlock } from './schemas.ts'

const MAX_NAME_LENGTH = 1_024
const name = z.string().min(1).max(MAX_NAME_LENGTH)

export const offloadRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/offload',
  operationId: 'offload',
  summary: 'Store a tool result that is too large, and get its replacement',
  description:
    'A result within the limit is returned unchanged. Equal results give equal bytes, so prompt caches stay valid.',
  tag: 'Results',
  body: z
    .strictObject({
      toolName: name,
      toolCallId: name.meta({
        description: 'The id of the tool call. Equal ids with different content get different references.',
      }),
      input: z
        .unknown()
        .optional()
        .meta({ description: 'The arguments: they help to choose a preview, and are not stored.' }),
      content: z.array(contentBlockSchema).max(10_000),
      isError: z.boolean().optional(),
    })
    .meta({ id: 'OffloadRequest' }),
  responses: { 200: { description: 'The content for the context.', schema: outcomeSchema } },
  async handle({ body }, context) {
    const { toolName, toolCallId, input, isError } = body
    const content = body.content.map(readContentBlock)
    const request = { toolName, toolCallId, input, isError, content, signal: context.signal }
    return { json: answerOf(await context.tenant().offloader.offload(request)) }
  },
})

export const offloadContentRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/offload/content',
  operationId: 'offloadContent',
  summary: 'Stream a tool result of any size to storage, and get its replacement',
  description: 'The body is the result, and `Content-Type` its type. The result is stored while it arrives.',
  tag: 'Results',
  takesContent: true,
  query: z.strictObject({
    toolName: name,
    toolCallId: name,
    isError: z.enum(['true', 'false']).optional(),
  }),
  responses: { 200: { description: 'The content for the context.', schema: outcomeSchema } },
  async handle({ query }, context) {
    const { toolName, toolCallId, isError } = query
    const request = {
      toolName,
      toolCallId,
      chunks: context.chunks,
      contentType: contentTypeOf(context.headers),
      isError: () => isError === 'true',
      signal: context.signal,
    }
    return { json: answerOf(await context.tenant().offloader.offloadStream(request)) }
  },
})

function answerOf(outcome: Outcome): unknown {
  // The caller still has the result, so it gets an error instead of a copy.
  if ('error' in outcome) throw failureOf(outcome.error)
  const { status, tokens } = outcome
  const content = outcome.content.map(writeContentBlock)
  return status === 'inline' || status === 'redacted'
    ? { status, reason: outcome.reason, content, stored: [], tokens }
    : { status, content, stored: outcome.stored, tokens }
}

function failureOf(error: unknown): unknown {
  return StorageError.isInstance(error) || error instanceof HttpError
    ? error
    : new Error('The result could not be offloaded.', { cause: error })
}

/** Return the content type of the result. Types that clients send by default are ignored. */
function contentTypeOf(headers: Headers): string | undefined {
  const type = headers.get('content-type') ?? ''
  if (type === '' || /^application\/(?:x-www-form-urlencoded|octet-stream)$/i.test(type)) return undefined
  if (isContentType(type)) return type
  throw new HttpError(
    'unsupported-media-type',
    "Content-Type must be a MIME type such as 'text/plain; charset=utf-8' of at most 255 characters.",
  )
}
