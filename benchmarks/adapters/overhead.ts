import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MEMORY_FLAGS } from './measure-bytes.ts'
import { compareTimes, type Effort, type Times } from './measure-time.ts'
import { directCases, LARGE_RESULT, largeResult, loopCases, SHOWN_RESULT, smallResults } from './overhead-cases.ts'

/** Messages in the history before a run. */
export const HISTORIES = [10, 100, 1_000] as const

/** For offloaded results, the number of batches is divided by this. */
const OFFLOADS = 20

/** Time of a small or an offloaded tool result. */
export interface TimeRow extends Times {
  readonly name: string
  /** Number of messages in the history; `undefined` if a hook is called directly. */
  readonly history: number | undefined
  /** Kind of the tool result. */
  readonly result: string
}

/** Bytes that are allocated for a tool result that is not offloaded. */
export interface ByteRow {
  readonly name: string
  readonly history: number | undefined
  readonly plain: number
  readonly wrapped: number
}

/** Measure the times of the hooks alone, and of whole runs with the hooks. */
export async function measureTimes(effort: Effort): Promise<readonly TimeRow[]> {
  const rows: TimeRow[] = []
  for (const [result, output] of Object.entries(smallResults()))
    for (const { name, plain, wrapped } of directCases(output))
      rows.push({ name, history: undefined, result, ...(await compareTimes(plain, wrapped, effort)) })
  const output = smallResults()[SHOWN_RESULT] as string
  for (const history of HISTORIES)
    for (const { name, plain, wrapped } of loopCases(history, output))
      rows.push({ name, history, result: SHOWN_RESULT, ...(await compareTimes(plain, wrapped, effort)) })
  // An offload takes long, so few batches are enough.
  const few = { ...effort, batches: Math.ceil(effort.batches / OFFLOADS) }
  for (const { name, plain, wrapped } of loopCases(HISTORIES[0], largeResult()))
    rows.push({ name, history: HISTORIES[0], result: LARGE_RESULT, ...(await compareTimes(plain, wrapped, few)) })
  return rows
}

/** Measure the allocated bytes of the same cases, in a process without garbage collection. */
export async function measureBytes(): Promise<readonly ByteRow[]> {
  const script = join(import.meta.dirname, 'bytes-process.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...MEMORY_FLAGS, script])
  return JSON.parse(stdout) as readonly ByteRow[]
}

/** Return the bytes that each message of the history adds to the allocations for a result. */
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
