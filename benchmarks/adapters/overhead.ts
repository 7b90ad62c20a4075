import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MEMORY_FLAGS } from './measure-bytes.ts'
import { compareTimes, type Effort, type Times } from './measure-time.ts'
import { directCases, LARGE_RESULT, largeResult, loopCases, SHOWN_RESULT, smallResults } from './overhead-cases.ts'

/** Messages in the history before a run. */
export const HISTORIES = [10, 100, 1_000] as const

/** Of how many batches one is measured with results that are offloaded. */
const OFFLOADS = 20

/** Time of a tool result, with something to offload or without. */
export interface TimeRow extends Times {
  readonly name: string
  /** Messages in the history; `undefined` where a hook is called directly. */
  readonly history: number | undefined
  /** What the tool returned. */
  readonly result: string
}

/** What a tool result with nothing to offload allocates, in bytes. */
export interface ByteRow {
  readonly name: string
  readonly history: number | undefined
  readonly plain: number
  readonly wrapped: number
}

/** Time the hooks of the adapters by themselves, and whole runs with them. */
export async function measureTimes(effort: Effort): Promise<readonly TimeRow[]> {
  const rows: TimeRow[] = []
  for (const [result, output] of Object.entries(smallResults()))
    for (const { name, plain, wrapped } of directCases(output))
      rows.push({ name, history: undefined, result, ...(await compareTimes(plain, wrapped, effort)) })
  const output = smallResults()[SHOWN_RESULT] as string
  for (const history of HISTORIES)
    for (const { name, plain, wrapped } of loopCases(history, output))
      rows.push({ name, history, result: SHOWN_RESULT, ...(await compareTimes(plain, wrapped, effort)) })
  // An offload takes so long that few of them are enough.
  const few = { ...effort, batches: Math.ceil(effort.batches / OFFLOADS) }
  for (const { name, plain, wrapped } of loopCases(HISTORIES[0], largeResult()))
    rows.push({ name, history: HISTORIES[0], result: LARGE_RESULT, ...(await compareTimes(plain, wrapped, few)) })
  return rows
}

/** Measure what the same allocate, in a process that collects nothing meanwhile. */
export async function measureBytes(): Promise<readonly ByteRow[]> {
  const script = join(import.meta.dirname, 'bytes-process.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...MEMORY_FLAGS, script])
  return JSON.parse(stdout) as readonly ByteRow[]
}

/** How much of what is added to a result's allocations goes with the history, in bytes per message. */
export function growth(
  rows: readonly ByteRow[],
): readonly { readonly name: string; readonly bytesPerMessage: number }[] {
  const shortest = Math.min(...HISTORIES)
  const longest = Math.max(...HISTORIES)
  const addedBy = (name: string, history: number): number => {
    const row = rows.find((one) => one.name === name && one.history === history)
    return row === undefined ? Number.NaN : row.wrapped - row.plain
  }
  const names = new Set(rows.filter(({ history }) => history !== undefined).map(({ name }) => name))
  return [...names].map((name) => ({
    name,
    bytesPerMessage: (addedBy(name, longest) - addedBy(name, shortest)) / (longest - shortest),
  }))
}
