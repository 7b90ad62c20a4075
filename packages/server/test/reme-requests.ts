import type { Answer, TestService } from './start-service.ts'

/** Return a text with this many lines, like a result of a tool. */
export const lines = (count: number, word = 'result'): string =>
  Array.from({ length: count }, (_, line) => `${word} ${line} of the tool`).join('\n')

/** A result that is larger than the limit of a single result. */
export const LARGE: string = lines(3_000)

/** A message with a call of a tool. */
export const call = (id: string): object => ({
  role: 'assistant',
  content: 'I will look',
  tool_calls: [{ index: 0, id, type: 'function', function: { name: 'search', arguments: '{"q":"x"}' } }],
})

/** A message with the result of a call. */
export const result = (id: string, content: unknown = LARGE): object => ({ role: 'tool', tool_call_id: id, content })

/** Messages at the beginning and at the end of histories. */
export const SYSTEM = { role: 'system', content: 'You are a helpful assistant' }
export const ASK = { role: 'user', content: 'Search' }
export const END: readonly object[] = [
  { role: 'assistant', content: 'Found it.' },
  { role: 'user', content: 'And now?' },
]

/** Send a history to `/context_offload`. */
export const offload = (service: TestService, messages: readonly unknown[], options: object = {}): Promise<Answer> =>
  service.post('/context_offload', { messages, store_dir: '/workspace/context_store', ...options })

/** Read a whole virtual file. */
export const read = async (service: TestService, path: string): Promise<string> =>
  (await service.post('/read_file', { absolute_path: path })).json.answer
