const MAX_DEPTH = 1_000

/**
 * Tell whether two values of messages are the same: equal JSON with its keys in the same order, and equal bytes, URLs and
 * dates. Values nested too deep to be compared are different.
 */
export function isEqualValue(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > MAX_DEPTH) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (a instanceof Uint8Array) return isEqualBytes(a, b as Uint8Array)
  if (a instanceof ArrayBuffer) return isEqualBytes(new Uint8Array(a), new Uint8Array(b as ArrayBuffer))
  if (a instanceof URL || a instanceof Date) return isSameText(a, b as typeof a)
  const keys = Object.keys(a)
  const others = Object.keys(b)
  if (keys.length !== others.length) return false
  return keys.every(
    (key, index) =>
      key === others[index] &&
      isEqualValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth + 1),
  )
}

function isEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Of an invalid date there is only one. */
const isSameText = (a: URL | Date, b: URL | Date): boolean =>
  a instanceof URL ? a.href === (b as URL).href : Object.is(a.getTime(), (b as Date).getTime())
