/** Setup file: `toEqual` compares bytes in one call. A comparison byte by byte would take a second for 2 MB. */
import { expect } from 'vitest'

expect.addEqualityTesters([
  (one: unknown, other: unknown): boolean | undefined => {
    if (!(one instanceof Uint8Array && other instanceof Uint8Array) || one.constructor !== other.constructor)
      return undefined
    // Unequal bytes are compared in the usual way, which reports the difference.
    return Buffer.compare(one, other) === 0 ? true : undefined
  },
])
