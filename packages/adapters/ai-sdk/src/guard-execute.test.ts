import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { guardExecute, type Execute } from './guard-execute.ts'

const HUGE = 'the build failed\n'.repeat(5_000)
const OPTIONS = { toolCallId: 'call_1' }

class BuildError extends Error {
  readonly code = 'EBUILD'
}

const guard = (execute: Execute): Execute =>
  guardExecute(new ContextOffloader({ storage: new InMemoryStorage() }), 'build', execute)

const caught = async (run: () => unknown): Promise<unknown> => {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('It did not throw.')
}

describe('guardExecute', () => {
  it.each([undefined, null, 0, '', 'text', { a: 1 }, [1]])('returns the value %j as it is, at once', (value) => {
    expect(guard(() => value)({}, OPTIONS)).toBe(value)
  })

  it('hands on the input, the options and what a promise resolves to', async () => {
    const input = {}
    const seen: unknown[] = []
    const value = {}
    const execute = guard(async (...given) => {
      seen.push(...given)
      return value
    })
    expect(await execute(input, OPTIONS)).toBe(value)
    expect(seen[0]).toBe(input)
    expect(seen[1]).toBe(OPTIONS)
  })

  it.each([
    [
      'at once',
      (error: unknown) => () => {
        throw error
      },
    ],
    [
      'by a promise',
      (error: unknown) => async () => {
        throw error
      },
    ],
  ])('rejects with a small error as it is, and with a huge one replaced, thrown %s', async (_name, throwing) => {
    const small = new BuildError('small')
    expect(await caught(() => guard(throwing(small))({}, OPTIONS))).toBe(small)
    const huge = new BuildError(HUGE)
    const replaced = await caught(() => guard(throwing(huge))({}, OPTIONS))
    expect(replaced).toBeInstanceOf(BuildError)
    expect(replaced).toMatchObject({ code: 'EBUILD', cause: huge, message: expect.stringMatching(/^\[Offloaded: /) })
  })

  it('leaves a huge error as it is once the call was aborted', async () => {
    const controller = new AbortController()
    const huge = new BuildError(HUGE)
    const execute = guard(() => {
      controller.abort()
      throw huge
    })
    expect(await caught(() => execute({}, { ...OPTIONS, abortSignal: controller.signal }))).toBe(huge)
  })

  it('yields every preliminary result, and replaces the error after them', async () => {
    const execute = guard(async function* () {
      yield 1
      yield 2
      throw new BuildError(HUGE)
    })
    const results = execute({}, OPTIONS) as AsyncIterable<unknown>
    const seen: unknown[] = []
    const error = await caught(async () => {
      for await (const result of results) seen.push(result)
    })
    expect(seen).toEqual([1, 2])
    expect(error).toMatchObject({ message: expect.stringMatching(/^\[Offloaded: /) })
  })

  it('starts a generator when it is asked for results, and ends it when nobody wants more', async () => {
    const steps: string[] = []
    const execute = guard(async function* () {
      steps.push('started')
      try {
        yield 1
        yield 2
      } finally {
        steps.push('ended')
      }
    })
    const results = execute({}, OPTIONS) as AsyncIterable<unknown>
    expect(steps).toEqual([])
    for await (const result of results) if (result === 1) break
    expect(steps).toEqual(['started', 'ended'])
  })
})
