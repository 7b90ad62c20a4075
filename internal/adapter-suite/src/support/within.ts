import { AssertionError } from 'node:assert/strict'
import type { AdapterHarness } from '../harness.ts'

/** Guards against hanging only: what is waited for takes milliseconds. */
export const HANGING_MS = 15_000

/** The guard of a case in which something hangs on purpose. A declared gap is expected to hang, so it waits a second. */
export function hangingMs({ gaps }: AdapterHarness, id: string): number {
  return gaps?.[id] === undefined ? HANGING_MS : 1_000
}

/** Wait for a promise, and reject with an assertion if it takes longer than `ms` milliseconds. */
export async function within<Result>(ms: number, promise: Promise<Result>, otherwise: string): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AssertionError({ message: `${otherwise}: ${ms} ms have passed` })), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
