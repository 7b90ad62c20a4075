// Questions in words as the retrieval tool answers them, below the tool itself.
import { estimateTokens, type Storage } from '@spillway/core'
import { answerQuery } from '../../../packages/core/src/retrieval/query/answer-query.ts'
import { PASSAGES, type Ranker } from './ranker.ts'

/** Answer a question about one content; tokens of the answer as the tool has them by default. */
export async function askOurs(content: Uint8Array, query: string, limit = PASSAGES): Promise<string> {
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
  const request = { mode: 'query', reference: 'log', query, skip: 0, limit } as const
  return await answerQuery(request, {
    storage,
    scoped: false,
    maxTokens: 2_500,
    countTokens: (text) => estimateTokens(text),
    maxMediaBytes: 0,
    deadlineMs: 60_000,
    formatCall: (call) => JSON.stringify(call),
    blockBytes: 1_048_576,
    signal: undefined,
  })
}

export const ours: Ranker = {
  name: 'Spillway',
  async open(text) {
    const content = new TextEncoder().encode(text)
    return async (question) =>
      (await askOurs(content, question)).split('\n\n').flatMap((passage) => {
        const lines = [...passage.matchAll(/^[> ] +(\d+)\| /gm)].map(([, number]) => Number(number))
        return lines.length === 0 ? [] : [{ first: Math.min(...lines), last: Math.max(...lines) }]
      })
  },
}
