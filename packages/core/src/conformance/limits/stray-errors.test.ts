import { expect, it } from 'vitest'
import { collectStrayErrors } from './stray-errors.ts'

/** Throw where nobody waits, as Node.js does it, without what the test runner makes of it. */
function strayed(name: 'unhandledRejection' | 'uncaughtException', others: readonly unknown[], error: unknown): void {
  for (const listener of process.listeners(name as 'uncaughtException'))
    if (!others.includes(listener)) listener(error as Error, 'uncaughtException')
}

it.each(['unhandledRejection', 'uncaughtException'] as const)(
  'strayErrors returns the first error reported by %s',
  async (name) => {
    const others = process.listeners(name as 'uncaughtException')
    const stray = collectStrayErrors()
    strayed(name, others, undefined)
    strayed(name, others, new Error('later'))
    expect(await stray.end()).toEqual({ error: undefined })
    expect(process.listeners(name as 'uncaughtException')).toEqual(others)
  },
)

it('strayErrors returns nothing if no error was thrown', async () => {
  expect(await collectStrayErrors().end()).toBeUndefined()
})
