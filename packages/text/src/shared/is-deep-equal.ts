/** Compare two values with all their content. The order of members does not matter. */
export function isDeepEqual(left: unknown, right: unknown): boolean {
  const pairs: [unknown, unknown][] = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair
    if (one === other) continue
    if (!isHolder(one) || !isHolder(other) || Array.isArray(one) !== Array.isArray(other)) return false
    const keys = Object.keys(one)
    if (keys.length !== Object.keys(other).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(other, key)) return false
      pairs.push([one[key], other[key]])
    }
  }
  return true
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
