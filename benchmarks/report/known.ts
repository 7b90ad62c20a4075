/** Return a value that is there; throw where it is not. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('Something that was to be measured is not there.')
  return value
}
