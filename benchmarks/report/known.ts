/** Return a value. Throws if it is `undefined`. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('A measured value is missing.')
  return value
}
