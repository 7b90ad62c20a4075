import type { StoredInfo } from '@spillway/core'
import { z } from 'zod'
import { HttpError } from '../app/http-error.ts'
import type { ServedStorage } from '../files/scope-files.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { entrySchema, referenceParams } from './schemas.ts'

const MAX_PAGE = 1_000

export const listRoute: Route = defineRoute({
  method: 'get',
  path: '/v1/entries',
  operationId: 'listEntries',
  summary: 'List the entries of the scope, the newest first',
  tag: 'Results',
  query: z.strictObject({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_PAGE)
      .optional()
      .meta({ description: 'Number of entries in a page. Defaults to 100.' }),
    cursor: z.string().max(512).optional().meta({ description: '`next` of the previous page.' }),
  }),
  responses: {
    200: {
      description: 'A page of entries.',
      schema: z
        .object({
          entries: z.array(entrySchema),
          next: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page.' }),
        })
        .meta({ id: 'EntryPage' }),
    },
  },
  async handle({ query: { limit = 100, cursor } }, { tenant, signal }) {
    const page = await newestAfter(
      tenant().storage,
      limit + 1,
      cursor === undefined ? undefined : readCursor(cursor),
      signal,
    )
    const entries = page.slice(0, limit)
    const next = page.length > limit ? writeCursor(entries.at(-1)!) : null
    return { json: { entries: entries.map(entryJson), next } }
  },
})

export const statRoute: Route = defineRoute({
  method: 'get',
  path: '/v1/entries/{reference}',
  operationId: 'describeEntry',
  summary: 'Describe an entry',
  tag: 'Results',
  params: referenceParams,
  responses: { 200: { description: 'The entry.', schema: entrySchema } },
  failureStatuses: {
    400: 'The text is not a reference.',
    404: 'Nothing is stored under the reference in this scope.',
    410: 'The entry was evicted.',
  },
  async handle({ params }, { tenant, signal }) {
    return { json: entryJson(await tenant().storage.stat(params.reference, { signal })) }
  },
})

export const deleteRoute: Route = defineRoute({
  method: 'delete',
  path: '/v1/entries/{reference}',
  operationId: 'deleteEntry',
  summary: 'Remove an entry',
  description: 'Removing a missing entry is not an error.',
  tag: 'Results',
  params: referenceParams,
  responses: { 204: { description: 'The entry is removed.' } },
  failureStatuses: { 400: 'The text is not a reference.' },
  async handle({ params }, { tenant, signal }) {
    await tenant().storage.delete(params.reference, { signal })
    return { response: new Response(null, { status: 204 }), memoryBytes: 0 }
  },
})

interface Position {
  readonly storedAt: number
  readonly reference: string
}

const isBefore = (a: Position, b: Position): boolean =>
  a.storedAt > b.storedAt || (a.storedAt === b.storedAt && a.reference < b.reference)

/** Return the newest entries after a position. Keeps at most twice `count` entries in memory. */
async function newestAfter(
  storage: ServedStorage,
  count: number,
  position: Position | undefined,
  signal: AbortSignal,
): Promise<readonly StoredInfo[]> {
  let retained: StoredInfo[] = []
  const order = (a: StoredInfo, b: StoredInfo): number => (isBefore(a, b) ? -1 : 1)
  for await (const info of storage.list({ below: false, signal })) {
    if (position !== undefined && !isBefore(position, info)) continue
    retained.push(info)
    if (retained.length >= 2 * count) retained = retained.sort(order).slice(0, count)
  }
  return retained.sort(order).slice(0, count)
}

const writeCursor = ({ storedAt, reference }: Position): string => `${storedAt}.${reference}`

function readCursor(cursor: string): Position {
  const [, storedAt, reference] = /^(\d{1,16})\.(\w{1,128})$/.exec(cursor) ?? []
  if (storedAt === undefined || reference === undefined)
    throw new HttpError('invalid-request', 'cursor must be the value of `next` in the previous page.')
  return { storedAt: Number(storedAt), reference }
}

function entryJson({ storedAt, lastUsedAt, expiresAt, ...info }: StoredInfo): unknown {
  const { reference, key, contentType, size, metadata, state, omitted } = info
  const time = (milliseconds: number): string => new Date(milliseconds).toISOString()
  return {
    reference,
    key,
    contentType,
    size,
    storedAt: time(storedAt),
    lastUsedAt: time(lastUsedAt),
    ...(expiresAt !== undefined && { expiresAt: time(expiresAt) }),
    metadata,
    state,
    ...(omitted !== undefined && { omitted }),
  }
}
