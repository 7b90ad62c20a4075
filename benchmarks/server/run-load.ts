import { join } from 'node:path'
import { canReadMemory, peakOf, resetPeakOf } from '../mcp/process-memory.ts'
import { runLoadClients, type ClientFigures, type ClientOptions } from './run-load-clients.ts'
import { quantile, startProcess } from './start-process.ts'

/** A server under load. */
export interface Subject {
  readonly name: string
  readonly script: string
  /** Options of the service, as JSON. */
  readonly options: object
}

/** Figures of a run with one server. */
export interface LoadFigures extends Omit<ClientFigures, 'latencies'> {
  readonly name: string
  readonly seconds: number
  /** Milliseconds by kind of request. */
  readonly kinds: readonly {
    readonly name: string
    readonly count: number
    readonly p50: number
    readonly p99: number
  }[]
  /** Resident memory before and at the peak, in megabytes; absent if it cannot be read. */
  readonly memory?: { readonly before: number; readonly peak: number }
}

/** Start a server in a separate process, let clients use it, and stop it. */
export async function runLoad({ name, script, options }: Subject, clients: ClientOptions): Promise<LoadFigures> {
  const server = await startProcess(join(import.meta.dirname, script), options)
  try {
    const { url } = server
    await runLoadClients(url, {
      ...clients,
      clients: Math.min(20, clients.clients),
      seconds: Math.min(2, clients.seconds),
    })
    const before = canReadMemory ? resetPeakOf(server.pid) : 0
    const begin = performance.now()
    const { latencies, ...figures } = await runLoadClients(url, clients)
    const seconds = (performance.now() - begin) / 1_000
    const kinds = Object.entries(latencies)
      .map(([kind, samples]) => ({
        name: kind,
        count: samples.length,
        p50: quantile(samples, 0.5),
        p99: quantile(samples, 0.99),
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    return { name, seconds, ...figures, kinds, ...(canReadMemory && { memory: { before, peak: peakOf(server.pid) } }) }
  } finally {
    await server.stop()
  }
}
