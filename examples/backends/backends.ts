/**
 * Stores, previews, and searches one large result in each backend that this machine can reach. All backends have the
 * same code and the same reference.
 *
 * `node backends.ts` uses memory, files, and SQLite. REDIS_URL adds Redis or a Cluster, and POSTGRES_URL adds
 * PostgreSQL. S3_BUCKET adds that bucket, on the server of S3_ENDPOINT if that is set, with the same credentials as the
 * AWS tools.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextOffloader, type ManagedStorage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { PostgresStorage } from '@spillway/postgres'
import { RedisStorage } from '@spillway/redis'
import { S3Storage } from '@spillway/s3'
import { SqliteStorage } from '@spillway/sqlite'

type Environment = Readonly<Record<string, string | undefined>>

/** A backend, or the setting that it needs. */
export interface Backend {
  readonly name: string
  readonly storage?: ManagedStorage
  readonly toUse?: string
}

/** The outcome in one backend. */
export interface Report {
  readonly reference: string
  readonly originalTokens: number
  readonly shownTokens: number
  /** The answer of the agent's tool to its question. */
  readonly answer: string
}

/** Create every backend, with files below `directory`. No connection is opened yet. */
export function backends(directory: string, environment: Environment): readonly Backend[] {
  const { REDIS_URL: url, POSTGRES_URL: database, S3_BUCKET: bucket, S3_ENDPOINT: endpoint } = environment
  return [
    { name: 'memory', storage: new InMemoryStorage({ evictAfterTurns: 20 }) },
    { name: 'file', storage: new FileStorage(join(directory, 'artifacts')) },
    { name: 'sqlite', storage: new SqliteStorage(join(directory, 'spillway.db')) },
    url === undefined
      ? { name: 'redis', toUse: 'set REDIS_URL' }
      : { name: 'redis', storage: new RedisStorage(url, { prefix: 'example', ttlMs: 60 * 60 * 1000 }) },
    database === undefined
      ? { name: 'postgres', toUse: 'set POSTGRES_URL' }
      : { name: 'postgres', storage: new PostgresStorage(database, { schema: 'spillway_example' }) },
    bucket === undefined
      ? { name: 's3', toUse: 'set S3_BUCKET' }
      : {
          name: 's3',
          storage: new S3Storage(bucket, { prefix: 'example', ...(endpoint === undefined ? {} : { endpoint }) }),
        },
  ]
}

/** Handle a large result like the loop of an agent, and remove everything afterwards. */
export async function tryOut(storage: ManagedStorage): Promise<Report> {
  const scope = ['tenant-1', 'session-1']
  const session = new ContextOffloader({ storage }).forScope(...scope)
  try {
    const outcome = await session.offload({
      toolName: 'query_orders',
      toolCallId: 'call_1',
      content: [{ type: 'json', value: orders(4_000) }],
    })
    if (outcome.status !== 'offloaded') throw new Error(`The result was not offloaded: ${outcome.status}.`)
    const reference = outcome.stored[0]?.reference ?? ''
    const { content } = await session.retrievalTool.execute({
      reference,
      json_path: '$[?@.status == "lost"].id',
    })
    return {
      reference,
      originalTokens: outcome.tokens.original,
      shownTokens: outcome.tokens.replacement,
      answer: content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
    }
  } finally {
    await storage.scope(...scope).clear()
    await storage.close()
  }
}

const orders = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, id) => ({ id, status: id % 1_500 === 7 ? 'lost' : 'sent', total: (id * 37) % 900 }))

if (process.argv[1] === import.meta.filename) {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-backends-'))
  try {
    for (const { name, storage, toUse } of backends(directory, process.env)) {
      if (storage === undefined) {
        console.log(`${name}: not used; ${toUse}\n`)
        continue
      }
      const { reference, originalTokens, shownTokens, answer } = await tryOut(storage)
      console.log(`${name}: ${originalTokens} tokens became ${shownTokens}, under ${reference}\n${answer}\n`)
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
