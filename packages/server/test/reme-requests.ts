import type { Answer, TestService } from './start-service.ts'

/** A text of so many lines, such as a tool returns. */
export const lines = (count: number, word = 'result'): string =>
  Array.from({ length: count }, (_, line) => `${word} ${line} of the tool`).join('\n')

/** More than a history keeps of one result. */
export const LARGE: string = lines(3_000)

/** A call of a tool. */
export const call = (id: string): object => ({
  role: 'assistant',
  content: 'I will look',
  tool_calls: [{ index: 0, id, type: 'function', function: { name: 'search', arguments: '{"q":"x"}' } }],
})

/** Its result. */
export const result = (id: string, content: unknown = LARGE): object => ({ role: 'tool', tool_call_id: id, content })

/** What histories begin and end with. */
export const SYSTEM = { role: 'system', content: 'You are a helpful assistant' }
export const ASK = { role: 'user', content: 'Search' }
export const END: readonly object[] = [
  { role: 'assistant', content: 'Found it.' },
  { role: 'user', content: 'And now?' },
]

/** Make a history smaller. */
export const offload = (service: TestService, messages: readonly unknown[], options: object = {}): Promise<Answer> =>
  service.post('/context_offload', { messages, store_dir: '/workspace/context_store', ...options })

/** Read a file whole. */
export const read = async (service: TestService, path: string): Promise<string> =>
  (await service.post('/read_file', { absolute_path: path })).json.answer
