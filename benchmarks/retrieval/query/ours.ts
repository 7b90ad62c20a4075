// Answers questions in words like the retrieval tool, without the tool itself.
import { estimateTokens, type Storage } from '@spillway/core'
import { adoptStorage } from '../../../packages/core/src/content/adopt-storage.ts'
import { answerQuery } from '../../../packages/core/src/retrieval/query/answer-query.ts'
import { writeAnswer } from '../../../packages/core/src/retrieval/write-answer.ts'
import type { Ranker } from './ranker.ts'

/** Store content. Returns a function that answers questions within the default token limit of the tool. */
export function openOurs(content: Uint8Array): (question: string) => Promise<string> {
  const contentType = 'text/plain'
  const storage: Storage = {
    store: async () => 'log',
    retrieve: async () => ({ content: content.slice(), contentType }),
    retrieveRange: async (_, { offset, length }) => ({
      content: content.subarray(offset, offset + length),
      contentType,
      size: content.length,
    }),
  }
  const context = {
    storage: adoptStorage(storage),
    scoped: false,
    maxTokens: 2_500,
    countTokens: (text: string) => estimateTokens(text),
    maxMediaBytes: 0,
    deadlineMs: 60_000,
    formatCall: (call: object) => JSON.stringify(call),
    blockBytes: 1_048_576,
    signal: undefined,
    pause: async <Result>(waiting: Promise<Result>): Promise<Result> => await waiting,
  }
  return async (query) => {
    const answer = await answerQuery({ mode: 'query', reference: 'log', query, after: 0 }, context)
    return writeAnswer(answer, context).text
  }
}

export const ours: Ranker = {
  name: 'Spillway',
  async open(text) {
    const ask = openOurs(new TextEncoder().encode(text))
    return async (question) =>
      (await ask(question)).split('\n\n').flatMap((passage) => {
        const lines = [...passage.matchAll(/^[> ] +(\d+)\| /gm)].map(([, number]) => Number(number))
        return lines.length === 0 ? [] : [{ first: Math.min(...lines), last: Math.max(...lines) }]
      })
  },
}
