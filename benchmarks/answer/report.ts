import { KINDS } from './answer-case.ts'
import type { Outcome } from './play.ts'
import { quantile } from '../adapters/measure-time.ts'
import { MARGIN, summarize, type Summary } from './summarize.ts'

/** What was run, for the end of a report. */
export interface RunFacts {
  readonly commit: string
  /** The commit of the policies: they were fixed before the first figures. */
  readonly policiesCommit: string
  readonly seed: number
  readonly machine: string
  readonly versions: readonly string[]
}

/** Write outcomes as Markdown: a table for each kind, and where the baseline loses. */
export function writeReport(outcomes: readonly Outcome[], baseline: string, facts: RunFacts): string {
  const kinds = KINDS.filter((kind) => outcomes.some((outcome) => outcome.kind === kind))
  const sections = kinds.flatMap((kind) =>
    (['unseen', 'generated', 'development'] as const).flatMap((origin) => {
      const own = outcomes.filter((outcome) => outcome.kind === kind && outcome.origin === origin)
      return own.length === 0 ? [] : [{ kind, origin, own, summaries: summarize(own, baseline) }]
    }),
  )
  return [
    ...sections.flatMap(({ kind, origin, own, summaries }) => kindSection(kind, origin, own, summaries)),
    '## Where we lose',
    '',
    `Every pair of system and policy that needs fewer tokens to the answer than ${baseline}, by more than ${MARGIN * 100} %, and every one that solves more.`,
    '',
    '| kind | data | policy | system | tokens to the answer | ours | solved | ours |',
    '| --- | --- | --- | --- | --: | --: | --: | --: |',
    ...sections.flatMap(({ kind, origin, summaries }) => losses(`${kind} | ${origin}`, summaries, baseline)),
    '',
    `Commit ${facts.commit}, policies of ${facts.policiesCommit}, seed ${facts.seed}, ${facts.machine}.`,
    ...facts.versions.map((version) => `- ${version}`),
    '',
  ].join('\n')
}

function kindSection(
  kind: string,
  origin: string,
  own: readonly Outcome[],
  summaries: readonly Summary[],
): readonly string[] {
  const [first] = summaries
  const full = new Map(own.map((outcome) => [outcome.case, outcome.full]))
  const data = {
    unseen: 'data that nothing was fitted on',
    generated: 'generated data',
    development: 'development data: rules may have been written for it',
  }
  const heading = `${first?.cases ?? 0} cases of ${first?.groups ?? 0} groups, ${data[origin as keyof typeof data]}; the whole result has ${tokens(quantile([...full.values()], 0.5))} tokens by median.`
  return [
    `### ${kind}`,
    '',
    heading,
    '',
    '| system | policy | solved | at once | inline | calls | median tokens | tokens to the answer | to ours (95 %) | cheaper, dearer | stops itself: right, wrong, none |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --- | --- | --- |',
    ...summaries.map(row),
    '',
  ]
}

function row(summary: Summary): string {
  const { ratio, self } = summary
  return `| ${[
    summary.system,
    summary.policy,
    percent(summary.solved),
    percent(summary.solvedAtOnce),
    percent(summary.inline),
    summary.calls.toFixed(1),
    tokens(summary.medianTokens),
    tokens(summary.tokensPlus),
    ratio === undefined ? '1' : `${ratio.mean.toFixed(2)} (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})`,
    ratio === undefined ? '' : `${ratio.cheaper}, ${ratio.dearer}`,
    self === undefined ? '' : `${percent(self.right)}, ${percent(self.wrong)}, ${percent(self.none)}`,
  ].join(' | ')} |`
}

function losses(start: string, summaries: readonly Summary[], baseline: string): readonly string[] {
  return summaries.flatMap((summary) => {
    const ours = summaries.find(({ system, policy }) => system === baseline && policy === summary.policy)
    if (ours === undefined || summary.system.startsWith(baseline)) return []
    const loses = summary.tokensPlus < ours.tokensPlus * (1 - MARGIN) || summary.solved > ours.solved
    const cells = [summary.policy, summary.system, tokens(summary.tokensPlus), tokens(ours.tokensPlus)]
    return loses ? [`| ${start} | ${[...cells, percent(summary.solved), percent(ours.solved)].join(' | ')} |`] : []
  })
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
const tokens = (count: number): string => Math.round(count).toLocaleString('en-US')
