import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canReadMemory, peakOf, resetPeakOf } from '../mcp/process-memory.ts'
import { TaskError } from '../report/task-error.ts'
import type { ClientFigures, ClientOptions } from './client-figures.ts'

/** A server under load. */
export interface Subject {
  readonly name: string
  readonly script: string
  /** Of the service, as JSON. */
  readonly options: object
}

/** What a run of one server gave. */
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
  /** Megabytes resident before and at the most; absent where they cannot be read. */
  readonly memory?: { readonly before: number; readonly peak: number }
}

/** Start a server in a process of its own, let clients in another use it, and stop it. */
export async function runLoad({ name, script, options }: Subject, clients: ClientOptions): Promise<LoadFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-server-'))
  const args = [join(import.meta.dirname, script), folder, JSON.stringify(options)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
      child.once('close', () => reject(new TaskError(`${name} ended before it listened.`)))
    })
    await runClients(url, { ...clients, clients: Math.min(20, clients.clients), seconds: Math.min(2, clients.seconds) })
    const pid = child.pid ?? 0
    const before = canReadMemory ? resetPeakOf(pid) : 0
    const begin = performance.now()
    const { latencies, ...figures } = await runClients(url, clients)
    const seconds = (performance.now() - begin) / 1_000
    const kinds = Object.entries(latencies)
      .map(([kind, samples]) => ({
        name: kind,
        count: samples.length,
        p50: quantile(samples, 0.5),
        p99: quantile(samples, 0.99),
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    return { name, seconds, ...figures, kinds, ...(canReadMemory && { memory: { before, peak: peakOf(pid) } }) }
  } finally {
    child.stdin.end()
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
    await closed
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runClients(url: string, options: ClientOptions): Promise<ClientFigures> {
  const script = join(import.meta.dirname, 'clients-process.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, url, JSON.stringify(options)], {
    maxBuffer: 256 * 1_048_576,
  })
  return JSON.parse(stdout) as ClientFigures
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
