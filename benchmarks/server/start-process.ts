import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canReadMemory } from '../mcp/process-memory.ts'
import { TaskError } from '../report/task-error.ts'

/** A server that listens in a separate process. */
export interface StartedProcess {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Start `SCRIPT FOLDER OPTIONS`, which prints its URL and ends with its input. The folder is then removed. */
export async function startProcess(script: string, options: object): Promise<StartedProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-server-'))
  const args = [...profiling(script), script, folder, JSON.stringify(options)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  const stop = async (): Promise<void> => {
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await closed
    clearTimeout(timer)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
      child.once('close', () => reject(new TaskError(`${script} ended before it listened.`)))
    })
    return { url, pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const TICK_MS = 10

/** Return the CPU time of processes in milliseconds; `undefined` if it cannot be read. */
export function cpuOf(processes: readonly { readonly pid: number }[]): number | undefined {
  if (!canReadMemory) return undefined
  const ticks = processes.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS
}

/** Return the sample that is greater than this share of the samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** With `SPILLWAY_BENCH_PROFILES`, CPU profiles of servers are written to this folder, as `.cpuprofile` files. */
function profiling(script: string): readonly string[] {
  const folder = process.env['SPILLWAY_BENCH_PROFILES']
  if (folder === undefined) return []
  const name = script.replace(/^.*\//, '').replace('.ts', '')
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}-${Date.now()}.cpuprofile`]
}
