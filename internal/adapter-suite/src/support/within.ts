import { AssertionError } from 'node:assert/strict'
import type { AdapterHarness } from '../harness.ts'

/** Time limit for a hanging test: the awaited work takes milliseconds. */
export const HANGING_MS = 15_000

/** The time limit of a case in which something hangs on purpose: a second for a declared gap, which does hang. */
export function hangingMs({ gaps }: AdapterHarness, id: string): number {
  return gaps?.[id] === undefined ? HANGING_MS : 1_000
}

/** Wait for a promise. Rejects with an assertion error if it takes longer than `ms` milliseconds. */
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
