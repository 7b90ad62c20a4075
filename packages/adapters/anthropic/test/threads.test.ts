/** Tests message threads, in which the provider stores the messages of a conversation. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerToolCalls, offloadTools, retrievalTool } from '../src/index.ts'
import { fakeApi } from './fake-api.ts'
import { resultsIn } from './read-prompt.ts'
import { hasThreads } from './version.ts'

const LOG = 'a line of a log\n'.repeat(1_000)
const REPLACED = expect.stringMatching(/^\[Offloaded: /)
const run = (): string => LOG
const read = betaTool({ name: 'read', description: 'Read.', inputSchema: { type: 'object' }, run })
const base = { model: 'claude-opus-5', max_tokens: 100 }
const question = { role: 'user' as const, content: 'Go.' }

interface Sent {
  readonly messages: Anthropic.Beta.BetaMessageParam[]
  readonly thread?: { readonly type: string }
}

let session: ContextOffloader
/** The bodies of all sent requests. */
let sent: Sent[]
/** Whether the provider has lost the thread at this request, counted from 0. */
let isLost: (index: number) => boolean
let client: Anthropic

beforeEach(() => {
  session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
  sent = []
  isLost = () => false
  let calls = 0
  const answer = fakeApi(() =>
    (calls += 1) < 3 ? { toolCalls: [{ id: `call_${calls}`, name: 'read', input: {} }] } : { text: 'done' },
  )
  const fetch: typeof answer = async (url, init) => {
    const index = sent.push(JSON.parse(await new Request(url, init).text()) as Sent) - 1
    if (!isLost(index)) return answer(url, init)
    const error = { type: 'not_found_error', message: 'Lost.', details: { error_code: 'thread_not_found' } }
    return Response.json({ type: 'error', error }, { status: 404 })
  }
  client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
})

describe.skipIf(!hasThreads)('a thread', () => {
  it('gets each result only once, as a replacement', async () => {
    await client.beta.messages.toolRunner({ ...base, messages: [question], tools: offloadTools([read], session) })
    expect(sent.map(({ thread, messages }) => [thread?.type, messages.length])).toEqual([
      ['create', 1],
      ['continue', 1],
      ['continue', 1],
    ])
    for (const { messages } of sent.slice(1)) expect(resultsIn(messages)).toMatchObject([{ content: REPLACED }])
  })

  it('gets the same bytes again if the provider has lost the thread', async () => {
    isLost = (index) => index === 2
    await client.beta.messages.toolRunner({ ...base, messages: [question], tools: offloadTools([read], session) })
    expect(sent.map(({ thread }) => thread?.type)).toEqual(['create', 'continue', 'continue', 'create'])
    const once = [...resultsIn(sent[1]?.messages ?? []), ...resultsIn(sent[2]?.messages ?? [])]
    expect(resultsIn(sent[3]?.messages ?? [])).toEqual(once)
  })

  it('is restarted with all messages if the program changes sent messages', async () => {
    const tools = offloadTools([read], session)
    const runner = client.beta.messages.toolRunner({ ...base, messages: [question], tools })
    for await (const { role, content } of runner) {
      const results = await runner.generateToolResponse()
      if (results === null) break
      const earlier = runner.params.messages.map((message) => ({ ...message, content: 'Cut.' }))
      runner.setMessagesParams((params) => ({ ...params, messages: [...earlier, { role, content }, results] }))
    }
    expect(sent.map(({ thread, messages }) => [thread?.type, messages.length])).toEqual([
      ['create', 1],
      ['create', 3],
      ['create', 5],
    ])
  })

  it('can be answered by hand', async () => {
    const tools = [{ name: 'read', input_schema: { type: 'object' } } as const, retrievalTool(session)]
    const thread = client.beta.messages.thread({ ...base, tools })
    let response = await thread.send(question)
    for (;;) {
      const results = await answerToolCalls(response, session, run)
      if (results === undefined) break
      response = await thread.send(results)
    }
    expect(response.content).toEqual([{ type: 'text', text: 'done' }])
    expect(resultsIn(thread.messages)).toMatchObject([{ content: REPLACED }, { content: REPLACED }])
  })
})
