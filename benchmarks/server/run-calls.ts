import { join } from 'node:path'
import { OPERATIONS, readRequest, storedContent, type Operation } from './call-requests.ts'
import { runCallClients, type CallFigures, type CallOptions } from './run-call-clients.ts'
import { Sender } from './send-request.ts'
import { cpuOf, quantile, startProcess, type StartedProcess } from './start-process.ts'

/** One or more processes with the same answers. */
export interface Servers {
  readonly name: string
  readonly processes: readonly Pick<StartedProcess, 'url' | 'pid'>[]
  /** References that clients read in turn. */
  readonly references: readonly string[]
}

/** Figures of one operation. */
export interface CallRow {
  readonly server: string
  readonly operation: Operation
  readonly clients: number
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Milliseconds of CPU time that servers used for a request; absent if it cannot be read. */
  readonly cpu: number | undefined
  /** Requests with an unexpected answer. */
  readonly failed: number
  /** Offloaded results that cannot be read unchanged. */
  readonly lost: number
}

/** Number of results that are read in turn. */
const READ = 50
const READ_AT_ONCE = 16
/** All clients have the same address here, and on a busy machine they must not leave the queue. */
const LIMITS = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000, queueTimeoutMs: 120_000 }
let nextNumber = 0

/** Start the service with a storage. */
export const startService = (storage: string): Promise<StartedProcess> =>
  startProcess(join(import.meta.dirname, 'service-process.ts'), { storage, limits: LIMITS })

/** Let clients repeat one operation for some time. */
export async function runCalls(
  { name, processes, references }: Servers,
  options: Pick<CallOptions, 'operation' | 'clients' | 'milliseconds'>,
): Promise<{ readonly row: CallRow; readonly figures: CallFigures }> {
  const urls = processes.map(({ url }) => url)
  const before = cpuOf(processes)
  const figures = await runCallClients({ urls, references, ...options, first: nextNumber })
  const { latencies, seconds, failed } = figures
  nextNumber += latencies.length
  const { operation, clients } = options
  const requests = latencies.length
  const after = cpuOf(processes)
  const cpu = before === undefined || after === undefined ? undefined : (after - before) / requests
  const times = { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), cpu }
  const row = { server: name, operation, clients, requests, perSecond: requests / seconds, ...times, failed, lost: 0 }
  return { row, figures }
}

/** Read all results again, each from another process than the one that stored it. Returns the number of wrong ones. */
export async function countLost({ processes }: Servers, stored: CallFigures['stored']): Promise<number> {
  const sender = new Sender(READ_AT_ONCE)
  const isLost = async ([number, reference]: readonly [number, string]): Promise<boolean> => {
    const url = processes[(number + 1) % processes.length]?.url ?? ''
    const { status, body } = await sender.send(url, readRequest(undefined, reference))
    return status !== 200 || !storedContent(number).equals(body)
  }
  let lost = 0
  for (let at = 0; at < stored.length; at += READ_AT_ONCE) {
    const some = await Promise.all(stored.slice(at, at + READ_AT_ONCE).map(isLost))
    lost += some.filter(Boolean).length
  }
  sender.close()
  return lost
}

/** Run all operations until their code is compiled. Returns the servers with references to read, and their answers. */
export async function prepare(
  servers: Servers,
  milliseconds: number,
): Promise<{ readonly servers: Servers; readonly answers: Record<string, string> }> {
  const answers: Record<string, string> = {}
  let references = servers.references
  for (const operation of OPERATIONS) {
    const { figures } = await runCalls({ ...servers, references }, { operation, clients: 4, milliseconds })
    if (figures.stored.length > 0) references = figures.stored.slice(0, READ).map(([, reference]) => reference)
    answers[operation] = figures.sample
  }
  return { servers: { ...servers, references }, answers }
}
