import { setTimeout as delay } from 'node:timers/promises'

const STEP_MS = 20

/** Ask again and again until the answer is `true`; rejects with what was awaited after `timeoutMs`. */
export async function waitUntil(what: string, isDone: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`Waited ${timeoutMs / 1000} s in vain: ${what}.`)
    await delay(STEP_MS)
  }
}
