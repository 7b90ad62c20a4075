#!/usr/bin/env node
/** What recorded sessions cost with each system's replacements, with and without a prompt cache. See README.md. */
import { parseArgs } from 'node:util'
import { readTranscripts } from '../history/transcripts/read-transcripts.ts'
import { dataFolder } from '../preview/lib/data.mjs'
import { replaySession, type SessionCost } from './replay-session.ts'
import { allSystems } from './systems/all-systems.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    /** Price of a cached and of a newly cached prompt token, beside one without a cache. */
    cached: { type: 'string', default: '0.1' },
    written: { type: 'string', default: '1.25' },
    most: { type: 'string' },
  },
})
const prices = { cached: Number(options.cached), written: Number(options.written) }
const transcripts = readTranscripts(dataFolder(options.data)).slice(0, Number(options.most ?? Infinity))
const costs: SessionCost[] = []
for (const transcript of transcripts)
  for (const system of allSystems({ forQuestions: false })) costs.push(await replaySession(transcript, system, prices))

console.log(
  `${transcripts.length} sessions. A cached token costs ${prices.cached}, a newly cached one ${prices.written}.\n`,
)
console.log(
  '| system | results kept | lines used later and hidden | necessary calls | prompt tokens | beside the whole results | with a cache | beside the whole results |',
)
console.log('| --- | --: | --: | --: | --: | --: | --: | --: |')
const base = sumOf(costs.filter(({ system }) => system === 'whole result'))
for (const own of Map.groupBy(costs, ({ system }) => system).values()) {
  const sum = sumOf(own)
  const share = (part: number, all: number): string => `${((part / all - 1) * 100).toFixed(1)} %`
  console.log(
    `| ${[
      own[0]?.system,
      `${sum.kept} of ${sum.results}`,
      sum.hiddenLines,
      sum.extraCalls,
      Math.round(sum.promptTokens).toLocaleString('en-US'),
      share(sum.promptTokens, base.promptTokens),
      Math.round(sum.cachedPromptTokens).toLocaleString('en-US'),
      share(sum.cachedPromptTokens, base.cachedPromptTokens),
    ].join(' | ')} |`,
  )
}

type Sum = Omit<SessionCost, 'session' | 'system'>

function sumOf(own: readonly SessionCost[]): Sum {
  const add = (field: keyof Sum): number => own.reduce((sum, cost) => sum + cost[field], 0)
  return {
    results: add('results'),
    kept: add('kept'),
    hiddenLines: add('hiddenLines'),
    extraCalls: add('extraCalls'),
    promptTokens: add('promptTokens'),
    cachedPromptTokens: add('cachedPromptTokens'),
  }
}
