import { expect, it } from 'vitest'
import { collectStrayErrors } from './stray-errors.ts'

/** Report an unhandled error as Node.js does, but not to the listeners of the test runner. */
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
