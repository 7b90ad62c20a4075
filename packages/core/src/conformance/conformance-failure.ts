import { StorageError } from '../storage/storage-error.ts'

/** Thrown by a case if the storage breaks a promise. Any other error means that the case could not run to its end. */
export class ConformanceFailure extends Error {
  override readonly name = 'ConformanceFailure'
}

export function fail(message: string, cause?: unknown): never {
  throw new ConformanceFailure(message, cause === undefined ? undefined : { cause })
}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message)
}

/** Compares objects as JSON, and other values by `Object.is`. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected) && canonical(actual) !== canonical(expected))
    fail(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

export function checkBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  if (!ArrayBuffer.isView(actual)) fail(`${what}: expected bytes, got ${show(actual)}`)
  if (actual.byteLength !== expected.byteLength)
    fail(`${what}: expected ${expected.byteLength} bytes, got ${actual.byteLength}`)
  for (let index = equalPrefix(actual, expected); index < expected.length; index += 1)
    if (actual[index] !== expected[index])
      fail(`${what}: byte ${index} is ${actual[index]} instead of ${expected[index]}`)
}

/** Count the equal bytes at the start. Compares four bytes at a time if possible, because contents can be large. */
function equalPrefix(actual: Uint8Array, expected: Uint8Array): number {
  if (actual.byteOffset % 4 !== 0 || expected.byteOffset % 4 !== 0) return 0
  const length = expected.byteLength >>> 2
  const left = new Int32Array(actual.buffer, actual.byteOffset, length)
  const right = new Int32Array(expected.buffer, expected.byteOffset, length)
  let index = 0
  while (index < length && left[index] === right[index]) index += 1
  return index * 4
}

export async function attempt<Result>(what: string, run: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ConformanceFailure) throw error
    fail(`${what} failed: ${show(error)}`, error)
  }
}

export async function rejection(what: string, run: () => unknown): Promise<unknown> {
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    return error
  }
  fail(`${what} must be refused, but resolved to ${show(result)}`)
}

export async function rejectionCode(
  codes: string | readonly string[],
  what: string,
  run: () => unknown,
): Promise<StorageError> {
  const error = await rejection(what, run)
  const expected = typeof codes === 'string' ? [codes] : codes
  if (!StorageError.isInstance(error) || !expected.includes(error.code))
    fail(`${what} must reject with a StorageError ${expected.join(' or ')}, got ${show(error)}`, error)
  return error
}

/** Run work that may also reject with one of these codes, and then return `undefined`. */
export async function unlessRejected<Result>(
  codes: string | readonly string[],
  what: string,
  run: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    await rejectionCode(codes, what, () => Promise.reject(error))
    return undefined
  }
}

/** Check that a wrong argument rejects with a `TypeError`, because the storage has not failed. */
export async function rejectionOfMistake(what: string, run: () => unknown): Promise<void> {
  const error = await rejection(what, run)
  if (!(error instanceof Error) || error.name !== 'TypeError')
    fail(`${what} must be refused with a TypeError, got ${show(error)}`, error)
}

const MAX_SHOWN = 200

function show(value: unknown): string {
  if (value instanceof Error) {
    const code = (value as { code?: unknown }).code
    return `${value.name}${typeof code === 'string' ? ` ${code}` : ''}: ${value.message}`.slice(0, 2 * MAX_SHOWN)
  }
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  const text = JSON.stringify(value, (_name, nested: unknown) =>
    ArrayBuffer.isView(nested) ? `<${nested.byteLength} bytes>` : nested,
  )
  return (text ?? String(value)).slice(0, MAX_SHOWN)
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, nested: unknown) =>
    typeof nested === 'object' && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  )
}
