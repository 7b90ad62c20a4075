import type { ContextOffloader } from '@spillway/core'
import { offloadThrown } from '@spillway/core/adapter'

/** The function of a tool, as every version of the SDK calls it. */
export type Execute = (input: unknown, options: ExecuteOptions) => unknown

interface ExecuteOptions {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/**
 * Return `execute` with what it throws offloaded, and everything else as it is.
 *
 * What it returns stays what it is: a value, a promise, or preliminary results one by one. An error that is thrown at
 * once becomes a rejected promise, as storing takes time.
 */
export function guardExecute(
  offloader: Pick<ContextOffloader, 'offload'>,
  toolName: string,
  execute: Execute,
): Execute {
  return (input, options) => {
    const fail = async (thrown: unknown): Promise<never> => {
      const { toolCallId, abortSignal: signal } = options
      throw await offloadThrown(offloader, { toolName, toolCallId, input, signal, thrown })
    }
    let result: unknown
    try {
      result = execute(input, options)
    } catch (error) {
      return fail(error)
    }
    if (isAsyncIterable(result)) return guardIterable(result, fail)
    return isPromiseLike(result) ? result.then(undefined, fail) : result
  }
}

async function* guardIterable(
  results: AsyncIterable<unknown>,
  fail: (thrown: unknown) => Promise<never>,
): AsyncGenerator {
  try {
    yield* results
  } catch (error) {
    await fail(error)
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === 'function'
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}
