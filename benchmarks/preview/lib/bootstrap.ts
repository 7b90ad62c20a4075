import { SeededRandom } from '../../answer/seeded-random.ts'

/** A value, and its group. */
export interface GroupedValue {
  readonly group: string
  readonly value: number
}

/** The bounds of the 95 % interval of the mean of values, by resampling their groups. */
export function bootstrap(values: readonly GroupedValue[], draws = 1_000): readonly [number, number] {
  const random = new SeededRandom(20_260_822)
  const groups = [...Map.groupBy(values, ({ group }) => group)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const sums = groups.map(([, members]) => ({
    sum: members.reduce((sum, { value }) => sum + value, 0),
    count: members.length,
  }))
  const means = Array.from({ length: draws }, () => {
    const drawn = sums.map(() => random.pick(sums))
    return drawn.reduce((sum, each) => sum + each.sum, 0) / drawn.reduce((sum, each) => sum + each.count, 0)
  }).toSorted((one, other) => one - other)
  return [means[Math.floor(draws * 0.025)] ?? Number.NaN, means[Math.floor(draws * 0.975)] ?? Number.NaN]
}
