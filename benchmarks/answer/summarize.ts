import { quantile } from '../report/quantile.ts'
import { SeededRandom } from './seeded-random.ts'
import { costOf, type Outcome } from './play.ts'

const DRAWS = 1_000
/** A system counts as cheaper only if the difference is larger than this share. Smaller differences are noise. */
export const MARGIN = 0.05

/** Results of one system with one policy on one kind of question. */
export interface Summary {
  readonly system: string
  readonly policy: string
  readonly cases: number
  readonly groups: number
  /** Shares from 0 to 1. */
  readonly solved: number
  readonly solvedInterval: Interval
  readonly solvedAtOnce: number
  readonly inline: number
  readonly calls: number
  readonly callsP90: number
  readonly medianTokens: number
  readonly p90Tokens: number
  /** Mean tokens to the answer. If the answer was not found, the tokens of the whole result are added. */
  readonly tokensPlus: number
  readonly tokensPlusInterval: Interval
  readonly argumentTokens: number
  readonly promptTokens: number
  /** The same with a prompt cache, converted to tokens at the full price. */
  readonly cachedPromptTokens: number
  readonly definitionTokens: number
  readonly recallAt: Readonly<Record<string, number>>
  /** Shares of cases in which the policy stopped by itself with the right, a wrong, or no answer. */
  readonly self: { readonly right: number; readonly wrong: number; readonly none: number } | undefined
  /** Cost relative to the baseline: geometric mean, 95 % interval over groups, cases 5 % cheaper or dearer. */
  readonly ratio: Ratio | undefined
}

/** A 95 % confidence interval from resampled groups, because cases of one group are similar. */
export type Interval = readonly [low: number, high: number]

/** Prices relative to a prompt token without a cache. */
export interface CachePrices {
  readonly cached: number
  readonly written: number
}

export interface Ratio {
  readonly mean: number
  readonly low: number
  readonly high: number
  readonly cheaper: number
  readonly dearer: number
}

/** Summarize outcomes of one kind by system and policy. Ratios compare with the baseline and the same policy. */
export function summarize(outcomes: readonly Outcome[], baseline: string, prices: CachePrices): readonly Summary[] {
  const byPair = Map.groupBy(outcomes, ({ system, policy }) => `${system}\n${policy}`)
  return [...byPair.values()].map((own) => {
    const [{ system, policy } = { system: '', policy: '' }] = own
    const base = byPair.get(`${baseline}\n${policy}`) ?? []
    const tokens = own.map((outcome) => outcome.tokens)
    const calls = own.map((outcome) => outcome.calls)
    const groups = [...Map.groupBy(own, ({ group }) => group).values()]
    const intervalOf = (value: (outcome: Outcome) => number): Interval =>
      intervalOverGroups(
        groups.map((members) => members.map(value)),
        mean,
      )
    const selves = own.flatMap(({ self }) => (self === undefined ? [] : [self]))
    const shareOf = (answer: string): number => selves.filter((self) => self === answer).length / selves.length
    return {
      system,
      policy,
      cases: own.length,
      groups: groups.length,
      solved: mean(own.map(({ solved }) => (solved ? 1 : 0))),
      solvedInterval: intervalOf(({ solved }) => (solved ? 1 : 0)),
      solvedAtOnce: mean(own.map(({ solved, calls: made }) => (solved && made === 0 ? 1 : 0))),
      inline: mean(own.map(({ inline }) => (inline ? 1 : 0))),
      calls: mean(calls),
      callsP90: quantile(calls, 0.9),
      medianTokens: quantile(tokens, 0.5),
      p90Tokens: quantile(tokens, 0.9),
      tokensPlus: mean(own.map(costOf)),
      tokensPlusInterval: intervalOf(costOf),
      argumentTokens: mean(own.map((outcome) => outcome.argumentTokens)),
      promptTokens: mean(own.map((outcome) => outcome.promptTokens)),
      cachedPromptTokens: mean(own.map((outcome) => withCache(outcome, prices))),
      definitionTokens: Math.max(0, ...own.map((outcome) => outcome.definitionTokens)),
      recallAt: Object.fromEntries(
        Object.keys(own[0]?.recallAt ?? {}).map((limit) => [
          limit,
          mean(own.map(({ recallAt }) => recallAt[limit] ?? 0)),
        ]),
      ),
      self:
        selves.length === 0 ? undefined : { right: shareOf('right'), wrong: shareOf('wrong'), none: shareOf('none') },
      ratio: system === baseline ? undefined : ratioOf(own, base),
    }
  })
}

/** Compare costs case by case. */
function ratioOf(own: readonly Outcome[], base: readonly Outcome[]): Ratio | undefined {
  const baseCost = new Map(base.map((outcome) => [outcome.case, costOf(outcome)]))
  const pairs = own.flatMap((outcome) => {
    const cost = baseCost.get(outcome.case)
    return cost === undefined ? [] : [{ group: outcome.group, log: Math.log(costOf(outcome) / cost) }]
  })
  if (pairs.length === 0) return undefined
  const groups = [...Map.groupBy(pairs, ({ group }) => group).values()].map((members) => members.map(({ log }) => log))
  const [low, high] = intervalOverGroups(groups, mean)
  const logs = pairs.map(({ log }) => log)
  return {
    mean: Math.exp(mean(logs)),
    low: Math.exp(low),
    high: Math.exp(high),
    cheaper: logs.filter((log) => log < Math.log(1 - MARGIN)).length,
    dearer: logs.filter((log) => log > Math.log(1 + MARGIN)).length,
  }
}

/** Convert costs to a prompt cache: every token is new in one prompt, and cached in later prompts. */
function withCache({ tokens, argumentTokens, promptTokens }: Outcome, { cached, written }: CachePrices): number {
  const once = tokens + argumentTokens
  return once * written + (promptTokens - once) * cached
}

/** Return the 95 % interval of a statistic, by resampling whole groups. */
export function intervalOverGroups<T>(
  groups: readonly (readonly T[])[],
  statistic: (values: readonly T[]) => number,
): Interval {
  const random = new SeededRandom(1)
  const draws = Array.from({ length: DRAWS }, () => statistic(groups.flatMap(() => random.pick(groups))))
  return [quantile(draws, 0.025), quantile(draws, 0.975)]
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
