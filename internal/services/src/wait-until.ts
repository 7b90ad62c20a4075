import { setTimeout as delay } from 'node:timers/promises'

const STEP_MS = 20

/** Poll until the answer is `true`. After `timeoutMs`, rejects with an error that names `what`. */
export async function waitUntil(what: string, isDone: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`Timeout after ${timeoutMs / 1000} s while waiting for ${what}.`)
    await delay(STEP_MS)
  }
}
