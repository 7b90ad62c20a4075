/** Fill in and check how a budget is shared: each share is from 0 to 1, and together they are 1 at most. */
export function checkedShares<Name extends string>(
  option: string,
  defaults: Readonly<Record<Name, number>>,
  given: Partial<Record<Name, number | undefined>> | undefined,
): Record<Name, number> {
  const shares: Record<Name, number> = { ...defaults }
  if (given === undefined) return shares
  if (typeof given !== 'object' || given === null) throw new TypeError(`${option} must be an object of numbers.`)
  for (const [name, share] of Object.entries(given) as [Name, unknown][]) {
    if (!Object.hasOwn(defaults, name)) {
      throw new TypeError(`${option} has no "${name}": it takes ${Object.keys(defaults).join(', ')}.`)
    }
    if (share === undefined) continue
    if (typeof share !== 'number' || !(share >= 0 && share <= 1)) {
      throw new TypeError(`${option}.${name} must be a number from 0 to 1.`)
    }
    shares[name] = share
  }
  const sum = Object.values<number>(shares).reduce((total, share) => total + share, 0)
  if (sum > 1.000_001) throw new TypeError(`${option} must add up to 1 at most, got ${sum}.`)
  return shares
}
