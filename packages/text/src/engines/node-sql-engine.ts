import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { IsolationError } from '../platform/platform.ts'
import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'
import type { CellBatch, SqlColumn, SqlEngine, SqlResult, SqlTable } from './sql-engine.ts'
import { sqliteProgram } from './sqlite-program.ts'

/** A statement usually takes less: one that takes longer may have to wait for others. */
const SHORT_MS = 250
const MAX_MEMORY_MB = 1_024
/** Batches that a worker has not added yet, at most. */
const MAX_UNADDED = 4

/** What loading answers: the table, or the types with which it must be loaded again. */
type LoadAnswer = { readonly error: string } | { readonly types: readonly SqlColumn['type'][] } | Omit<SqlTable, 'id'>

/** Make an engine that runs SQLite in workers: one kind loads tables, the other runs statements. */
export function nodeSqlEngine(address: string): SqlEngine {
  const program = sqliteProgram(address)
  const common = { saysReady: true, maxMemoryMb: MAX_MEMORY_MB }
  const loaders = createWorkerPool(program, common)
  const readers = createWorkerPool(program, { ...common, shortMs: SHORT_MS })
  let tables = 0

  async function loadOnce(
    batches: AsyncIterable<CellBatch>,
    types: readonly SqlColumn['type'][] | undefined,
    deadlineMs: number,
    signal: AbortSignal | undefined,
  ): Promise<LoadAnswer> {
    const { port1, port2 } = new MessageChannel()
    const answer = loaders.run({ port: port2, types }, deadlineMs, signal, [port2])
    try {
      const [result] = await Promise.all([answer, send(batches, port1, answer)])
      return result as LoadAnswer
    } finally {
      // If reading failed, the worker gives up the table, and is kept.
      port1.close()
    }
  }

  return {
    async load(readBatches, deadlineMs, signal) {
      return await explained(deadlineMs, async () => {
        const first = await loadOnce(readBatches(), undefined, deadlineMs, signal)
        const answer = 'types' in first ? await loadOnce(readBatches(), first.types, deadlineMs, signal) : first
        if ('database' in answer) return { ...answer, id: ++tables }
        throw new IsolationError('ended', 'error' in answer ? answer.error : 'The columns changed.')
      })
    },
    async query(queried, statement, deadlineMs, signal) {
      const message = { tables: queried.map(({ id, database }) => ({ id, database })), statement }
      return (await explained(deadlineMs, () => readers.run(message, deadlineMs, signal))) as SqlResult
    },
  }
}

/** Send batches, no faster than the worker adds them. */
async function send(batches: AsyncIterable<CellBatch>, port: MessagePort, answer: Promise<unknown>): Promise<void> {
  let unadded = 0
  let isOver = false
  let added = Promise.withResolvers<void>()
  const wake = (): void => {
    added.resolve()
    added = Promise.withResolvers<void>()
  }
  const end = (): void => {
    isOver = true
    wake()
  }
  void answer.then(end, end)
  port.on('message', () => {
    unadded--
    wake()
  })
  for await (const batch of batches) {
    while (unadded >= MAX_UNADDED && !isOver) await added.promise
    if (isOver) return
    unadded++
    port.postMessage(batch, [batch.bytes.buffer as ArrayBuffer, batch.lengths.buffer as ArrayBuffer])
  }
  port.postMessage(null)
}

async function explained<Result>(deadlineMs: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof WorkerTimeout)
      throw new IsolationError('timeout', `It took longer than ${deadlineMs} ms.`, { cause })
    if (!(cause instanceof WorkerFailure)) throw cause
    throw new IsolationError(cause.started ? 'ended' : 'unavailable', cause.message, { cause })
  }
}
