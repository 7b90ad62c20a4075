import { KINDS, type AnswerCase } from './answer-case.ts'
import type { Outcome } from './play.ts'
import { quantile } from '../report/quantile.ts'
import { besideLowest, type Comparison } from '../report/comparison.ts'
import { MARGIN, summarize, type CachePrices, type Interval, type Summary } from './summarize.ts'

/** The policy of the overview: knows that logs end with the reason of a failure, and uses structured queries. */
const OVERVIEW_POLICY = 'reader'

/** Facts about the run, for the end of a report. */
export interface RunFacts {
  readonly commit: string
  /** The commit of the policies, which were fixed before the first measurement. */
  readonly policiesCommit: string
  readonly seed: number
  readonly prices: CachePrices
  readonly machine: string
  readonly versions: readonly string[]
}

/** Write outcomes as Markdown: a table for each kind, and the cases in which the baseline is worse. */
export function writeReport(outcomes: readonly Outcome[], baseline: string, facts: RunFacts): string {
  const sections = sectionsOf(outcomes, baseline, facts.prices)
  const definitions = [...Map.groupBy(outcomes, ({ system }) => system)].map(
    ([system, own]) => `${system} ${Math.max(...own.map(({ definitionTokens }) => definitionTokens))}`,
  )
  return [
    '## Overview',
    '',
    `Mean tokens to the answer with the policy \`${OVERVIEW_POLICY}\`; in brackets the cases solved, if not all. Bold is the lowest.`,
    '',
    ...writeOverview(outcomes, baseline, facts.prices),
    '',
    '## By kind',
    '',
    `Means, unless a heading says otherwise: \`calls\` have their mean and 90 % quantile, \`tokens\` their median and 90 % quantile. In brackets: 95 %, drawing whole groups. \`to ours\` is the geometric mean of the ratio to ${baseline} on the same cases, with the number of cases that are cheaper and dearer by 5 %. With a cache, a known token costs ${facts.prices.cached} and a new one ${facts.prices.written}.`,
    '',
    ...sections.flatMap(({ kind, origin, own, summaries }) => kindSection(kind, origin, own, summaries)),
    '## Where we lose',
    '',
    `Every pair of system and policy that needs fewer tokens to the answer than ${baseline}, by more than ${MARGIN * 100} %, and every one that solves more.`,
    '',
    '| kind | data | policy | system | cases | tokens to the answer | ours | solved | ours |',
    '| --- | --- | --- | --- | --: | --- | --- | --- | --- |',
    ...sections.flatMap(({ kind, origin, summaries }) => losses(`${kind} | ${origin}`, summaries, baseline)),
    '',
    `Tokens of the tools' definitions, which stand in every prompt and are in no figure above: ${definitions.join(', ')}.`,
    '',
    `Commit ${facts.commit}, policies of ${facts.policiesCommit}, seed ${facts.seed}, ${facts.machine}.`,
    ...facts.versions.map((version) => `- ${version}`),
    '',
  ].join('\n')
}

interface Section {
  readonly kind: string
  readonly origin: 'unseen' | 'generated' | 'development'
  readonly own: readonly Outcome[]
  readonly summaries: readonly Summary[]
}

function sectionsOf(outcomes: readonly Outcome[], baseline: string, prices: CachePrices): readonly Section[] {
  return KINDS.flatMap((kind) =>
    (['unseen', 'generated', 'development'] as const).flatMap((origin) => {
      const own = outcomes.filter((outcome) => outcome.kind === kind && outcome.origin === origin)
      return own.length === 0 ? [] : [{ kind, origin, own, summaries: summarize(own, baseline, prices) }]
    }),
  )
}

/** Write the lines of a table that compares all systems with one policy. A † marks development data. */
function writeOverview(outcomes: readonly Outcome[], baseline: string, prices: CachePrices): readonly string[] {
  const own = outcomes.filter(({ policy }) => policy === OVERVIEW_POLICY)
  // Systems for only some kinds of content are only in the tables by kind.
  const cases = (system: string): number => own.filter((outcome) => outcome.system === system).length
  const systems = [...new Set(own.map(({ system }) => system))].filter((system) => cases(system) === cases(baseline))
  const rows = sectionsOf(own, baseline, prices).map(({ kind, origin, own: outcomesOfKind, summaries }) => {
    const shown = systems.map((name) => summaries.find(({ system }) => system === name))
    const lowest = Math.min(...shown.map((summary) => summary?.tokensPlus ?? Infinity))
    const cells = shown.map((summary) => {
      if (summary === undefined) return ''
      const solved = summary.solved < 1 ? ` (${percent(summary.solved)})` : ''
      return (summary.tokensPlus === lowest ? `**${tokens(lowest)}**` : tokens(summary.tokensPlus)) + solved
    })
    const whole = new Map(outcomesOfKind.map((outcome) => [outcome.case, outcome.full]))
    const first = summaries[0]
    const data = [`${first?.cases} (${first?.groups})`, tokens(quantile([...whole.values()], 0.5))]
    return `| ${[kind + markOf(origin), ...data, ...cells].join(' | ')} |`
  })
  return [
    `| question | cases (groups) | whole | ${systems.join(' | ')} |`,
    `| --- | --- | --: |${' --: |'.repeat(systems.length)}`,
    ...rows,
  ]
}

/** Compare the tokens to the answer with the best other system, with the policy of the overview. */
export function compareAnswers(outcomes: readonly Outcome[], baseline: string, prices: CachePrices): Comparison[] {
  const played = outcomes.filter(({ policy }) => policy === OVERVIEW_POLICY)
  return sectionsOf(played, baseline, prices).flatMap(({ kind, origin, summaries }) => {
    const own = summaries.find(({ system }) => system === baseline)
    const others = summaries.filter(({ system }) => !system.startsWith(baseline))
    const named = others.map(({ system, tokensPlus }) => ({ name: system, value: Math.round(tokensPlus) }))
    if (own === undefined) return []
    const ours = Math.round(own.tokensPlus)
    const what = `${kind}${markOf(origin)}: ${ASKED[kind as AnswerCase['kind']]}`
    return [{ what, unit: '', ours, other: besideLowest(ours, named) }]
  })
}

/** Short description of each kind of question. */
const ASKED: Readonly<Record<AnswerCase['kind'], string>> = {
  'log-why': 'why a log failed',
  'log-needle': 'a line of a log',
  'log-count': 'the number of lines with a word',
  'table-cell': 'a cell of a table',
  'table-aggregate': 'a count over a table',
  'json-sibling': 'a value of JSON beside another',
  'json-path': 'a value of JSON by its path',
  'command-cell': "a field of a command's output",
  'code-symbol': 'the definition of a name',
  'page-fact': 'a fact of a page',
  'later-use': 'a line that the agent used later',
  overview: 'an overview',
  compare: 'a comparison of two runs',
}
const markOf = (origin: string): string => (origin === 'development' ? ' †' : '')

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
    '| system | policy | cases | solved | at once | inline | calls | tokens | tokens to the answer | to ours | cheaper, dearer | prompt tokens, with a cache | there after 1, 2, 5, 10 thousand | stops itself: right, wrong, none |',
    '| --- | --- | --: | --- | --: | --: | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...summaries.map(row),
    '',
  ]
}

function row(summary: Summary): string {
  const { ratio, self, recallAt } = summary
  return `| ${[
    summary.system,
    summary.policy,
    summary.cases,
    withInterval(summary.solved, summary.solvedInterval, percent),
    percent(summary.solvedAtOnce),
    percent(summary.inline),
    `${summary.calls.toFixed(1)}, ${summary.callsP90.toFixed(0)}`,
    `${tokens(summary.medianTokens)}, ${tokens(summary.p90Tokens)}`,
    withInterval(summary.tokensPlus, summary.tokensPlusInterval, tokens),
    ratio === undefined ? '1' : withInterval(ratio.mean, [ratio.low, ratio.high], (value) => value.toFixed(2)),
    ratio === undefined ? '' : `${ratio.cheaper}, ${ratio.dearer}`,
    `${tokens(summary.promptTokens)}, ${tokens(summary.cachedPromptTokens)}`,
    Object.values(recallAt).map(percent).join(', '),
    self === undefined ? '' : `${percent(self.right)}, ${percent(self.wrong)}, ${percent(self.none)}`,
  ].join(' | ')} |`
}

const withInterval = (value: number, [low, high]: Interval, write: (value: number) => string): string =>
  `${write(value)} (${write(low)}–${write(high)})`

function losses(start: string, summaries: readonly Summary[], baseline: string): readonly string[] {
  return summaries.flatMap((summary) => {
    const ours = summaries.find(({ system, policy }) => system === baseline && policy === summary.policy)
    if (ours === undefined || summary.system.startsWith(baseline)) return []
    const loses = summary.tokensPlus < ours.tokensPlus * (1 - MARGIN) || summary.solved > ours.solved
    if (!loses) return []
    const cells = [
      summary.policy,
      summary.system,
      summary.cases,
      ...[summary, ours].map((one) => withInterval(one.tokensPlus, one.tokensPlusInterval, tokens)),
      ...[summary, ours].map((one) => withInterval(one.solved, one.solvedInterval, percent)),
    ]
    return [`| ${start} | ${cells.join(' | ')} |`]
  })
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
const tokens = (count: number): string => Math.round(count).toLocaleString('en-US')
