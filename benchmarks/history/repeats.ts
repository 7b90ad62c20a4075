/**
 * Measures how many tokens of tool results repeat an earlier result of the same session word for word.
 *
 *   node history/repeats.ts [--data FOLDER]
 */
import { parseArgs } from 'node:util'
import { estimateTokens } from '@spillway/core'
import { dataFolder } from '../preview/lib/data.mjs'
import { readTranscripts } from './transcripts/read-transcripts.ts'

/** Minimum size of a result: a reference to the earlier result would have about as many tokens. */
const LEAST_TOKENS = 300

const { values } = parseArgs({ options: { data: { type: 'string' } } })
const data = dataFolder(values.data)
for (const folder of [data, `${data}/more`]) {
  let results = 0
  let tokens = 0
  let repeated = 0
  for (const { messages } of readTranscripts(folder)) {
    const seen = new Set<string>()
    for (const { role, content } of messages) {
      if (role !== 'tool') continue
      const size = estimateTokens(content)
      results++
      tokens += size
      if (size >= LEAST_TOKENS && seen.has(content)) repeated += size
      seen.add(content)
    }
  }
  const share = ((100 * repeated) / tokens).toFixed(1)
  console.log(`${folder}: ${results} results, ${tokens} tokens, ${repeated} repeated (${share} %)`)
}
