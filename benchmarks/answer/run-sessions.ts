#!/usr/bin/env node
/** Measures the cost of recorded sessions in each system, with and without a prompt cache. See README.md. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readTranscripts } from '../history/transcripts/read-transcripts.ts'
import { dataFolder } from '../preview/lib/data.mjs'
import { currentCommit } from './current-commit.ts'
import { contextEditing } from '../history/subjects/langchain.ts'
import { pruning } from '../history/subjects/prune-messages.ts'
import { replayEdited, replaySession, type SessionCost } from './replay-session.ts'
import { besideLowest, type Comparison } from '../report/comparison.ts'
import { known } from '../report/known.ts'
import { publish } from '../report/publish.ts'
import { save } from '../speed/lib.mjs'
import { intervalOverGroups } from './summarize.ts'
import { allSystems, BASELINE } from './systems/all-systems.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    /** Relative prices of a cached and of a newly cached prompt token. A token without a cache costs 1. */
    cached: { type: 'string', default: '0.1' },
    written: { type: 'string', default: '1.25' },
    most: { type: 'string' },
    publish: { type: 'boolean', default: false },
  },
})
const prices = { cached: Number(options.cached), written: Number(options.written) }
const data = dataFolder(options.data)
const systems = allSystems({ forQuestions: false })
const editors = [
  contextEditing('LangChain, context editing'),
  pruning('AI SDK, pruning to the last 3', 'before-last-3-messages', false),
  pruning('AI SDK, the same over 20,000', 'before-last-3-messages', true),
]
const sections: string[] = []
const allCosts: SessionCost[][] = []
for (const [heading, folder] of [
  ['Sessions that were set aside, of projects that the development sessions have too', join(data, 'more')],
  ['Development sessions: rules may have been written for them', data],
] as const) {
  const transcripts = readTranscripts(folder).slice(0, Number(options.most ?? Infinity))
  const costs: SessionCost[] = []
  for (const transcript of transcripts) {
    for (const system of systems) costs.push(await replaySession(transcript, system, prices))
    for (const editor of editors) costs.push(await replayEdited(transcript, editor, prices))
  }
  allCosts.push(costs)
  sections.push(`## ${heading}\n\n${transcripts.length} sessions.\n\n${tableOf(costs)}`)
}
const report = [
  `A cached token costs ${prices.cached}, a newly cached one ${prices.written}. In brackets: 95 %, over sessions.`,
  ...sections,
  `Commit ${currentCommit()}.\n`,
].join('\n\n')
console.log(report)
if (options.publish) {
  const results = { title: 'All sessions', bounds: [], comparisons: compareCosts(known(allCosts[0])) }
  save('sessions', results, report, undefined, join(import.meta.dirname, 'results'))
  publish()
}

function tableOf(costs: readonly SessionCost[]): string {
  const whole = costs.filter(({ system }) => system === 'whole result')
  const rows = [...Map.groupBy(costs, ({ system }) => system)].map(([system, own]) => {
    const add = (field: 'kept' | 'results' | 'hiddenLines' | 'extraCalls'): number =>
      own.reduce((sum, cost) => sum + (cost[field] ?? 0), 0)
    const cells = [
      system,
      `${add('kept')} of ${add('results')}`,
      add('hiddenLines'),
      own[0]?.extraCalls === undefined ? '–' : add('extraCalls'),
      ...change(own, whole, 'promptTokens'),
      ...change(own, whole, 'cachedPromptTokens'),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| system | results kept | lines used later and hidden | necessary calls | prompt tokens | beside the whole results | with a cache | beside the whole results |',
    '| --- | --: | --: | --: | --: | --: | --: | --: |',
    ...rows,
  ].join('\n')
}

/** Compare the tokens of all prompts, with and without a cache, with the best other system. */
function compareCosts(costs: readonly SessionCost[]): Comparison[] {
  const compare = (what: string, field: 'promptTokens' | 'cachedPromptTokens'): Comparison => {
    const sums = [...Map.groupBy(costs, ({ system }) => system)].map(([name, own]) => ({
      name,
      value: own.reduce((sum, cost) => sum + cost[field], 0),
    }))
    const ours = known(sums.find(({ name }) => name === BASELINE)).value
    const others = sums.filter(({ name }) => name !== BASELINE)
    return { what, unit: '', ours, other: besideLowest(ours, others) }
  }
  return [
    compare('sessions: prompt tokens', 'promptTokens'),
    compare('sessions: prompt tokens, by the price with a cache', 'cachedPromptTokens'),
  ]
}

/** Return the tokens of all sessions, and the difference to whole results. */
function change(
  own: readonly SessionCost[],
  whole: readonly SessionCost[],
  field: 'promptTokens' | 'cachedPromptTokens',
): readonly string[] {
  const pairs = own.map((cost, index) => ({ cost: cost[field], whole: whole[index]?.[field] ?? 0 }))
  const shareOf = (drawn: readonly (typeof pairs)[number][]): number =>
    drawn.reduce((sum, { cost }) => sum + cost, 0) / drawn.reduce((sum, one) => sum + one.whole, 0) - 1
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
  const [low, high] = intervalOverGroups(
    pairs.map((pair) => [pair]),
    shareOf,
  )
  const tokens = Math.round(own.reduce((sum, cost) => sum + cost[field], 0)).toLocaleString('en-US')
  return [tokens, own === whole ? '' : `${percent(shareOf(pairs))} (${percent(low)} to ${percent(high)})`]
}
