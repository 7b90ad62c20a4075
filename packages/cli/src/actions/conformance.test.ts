import { expect, test } from 'vitest'
import { withStrayErrors } from './conformance.ts'

/** Work that never ends, while something is thrown where nobody waits for it. */
function thrownBeside(thrown: unknown): Promise<unknown> {
  const others = process.listeners('uncaughtException')
  const working = withStrayErrors(
    () => new Promise<never>(() => {}),
    () => 'In the case a/b',
  )
  // As Node.js does it, without what the test runner makes of it.
  for (const listener of process.listeners('uncaughtException'))
    if (!others.includes(listener)) listener(thrown as Error, 'uncaughtException')
  return working
}

test.each([
  [new Error('socket hang up'), 'socket hang up.'],
  ['gave up.', 'gave up.'],
  [undefined, 'undefined.'],
  [{ reason: 'closed' }, '[object Object].'],
])('whatever is thrown where nobody waits for it ends the work, such as %o', async (thrown, words) => {
  await expect(thrownBeside(thrown)).rejects.toMatchObject({
    code: 'stray-error',
    message: expect.stringContaining(`In the case a/b, an error was thrown where nobody waits for it: ${words} Run`),
    cause: thrown,
  })
})

test('work that ends is passed on, and nothing is listened to after it', async () => {
  const before = process.listenerCount('uncaughtException')
  await expect(
    withStrayErrors(
      async () => 7,
      () => 'In the case a/b',
    ),
  ).resolves.toBe(7)
  expect(process.listenerCount('uncaughtException')).toBe(before)
})
