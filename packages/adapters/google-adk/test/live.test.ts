/** Tests live sessions, in which a model listens and speaks at the same time. */
import {
  BaseLlm,
  InMemorySessionService,
  LiveRequestQueue,
  Runner,
  type BaseLlmConnection,
  type LlmRequest,
  type LlmResponse,
} from '@google/adk'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { expect, it } from 'vitest'
import { offloadPlugin, retrievalTool } from '../src/index.ts'
import { agentOf, LOG, newOffloader, referenceIn, toolReturning } from './run-agent.ts'

type Sent = Parameters<BaseLlmConnection['sendContent']>[0]

/** A live model that makes the calls that a function returns for the latest input. */
class LiveLlm extends BaseLlm {
  readonly sent: Sent[] = []
  readonly #turn: (last: Sent | undefined) => { name: string; args: Record<string, unknown> } | undefined

  constructor(turn: (last: Sent | undefined) => { name: string; args: Record<string, unknown> } | undefined) {
    super({ model: 'fake-live' })
    this.#turn = turn
  }

  override generateContentAsync(): AsyncGenerator<LlmResponse, void> {
    throw new Error('This model has live sessions only.')
  }

  override async connect(_request: LlmRequest): Promise<BaseLlmConnection> {
    const { sent } = this
    const turn = this.#turn
    async function* receive(): AsyncGenerator<LlmResponse, void, void> {
      for (let index = 0; ; index += 1) {
        const call = turn(sent.at(-1))
        if (call === undefined) return
        yield { content: { role: 'model', parts: [{ functionCall: { id: `call_${index}`, ...call } }] } }
      }
    }
    return {
      sendHistory: async () => {},
      sendContent: async (content) => void sent.push(content),
      sendRealtime: async () => {},
      receive,
      close: async () => {},
    }
  }
}

const responsesOf = ({ parts = [] }: Sent): unknown[] => parts.map((part) => part.functionResponse)

it('a live model gets the replacement, the answers, and no media', async () => {
  const image = { type: 'image', data: btoa('\x89PNG\r\n\x1a\n'.padEnd(1_200_000, 'x')), mimeType: 'image/png' }
  const tools = [toolReturning('read_log', LOG), toolReturning('draw', { content: [image] })]
  const lastReference = (last: Sent | undefined): string =>
    referenceIn((JSON.stringify(responsesOf(last ?? {})) ?? '').replaceAll(String.raw`\n`, '\n'))
  const model = new LiveLlm((last) => {
    switch (model.sent.length) {
      case 0:
        return { name: 'read_log', args: {} }
      case 1:
        return { name: RETRIEVAL_TOOL_NAME, args: { reference: lastReference(last), pattern: 'line 1321 ' } }
      case 2:
        return { name: 'draw', args: {} }
      case 3:
        return { name: RETRIEVAL_TOOL_NAME, args: { reference: lastReference(last) } }
      default:
        return undefined
    }
  })
  const offloader = newOffloader()
  const sessionService = new InMemorySessionService()
  const agent = agentOf({ model, tools: [...tools, retrievalTool(offloader)] })
  const runner = new Runner({ appName: 'app', agent, sessionService, plugins: [offloadPlugin(offloader)] })
  const ids = { userId: 'user', sessionId: 'session' }
  await sessionService.createSession({ appName: 'app', ...ids })
  for await (const _event of runner.runLive({ ...ids, liveRequestQueue: new LiveRequestQueue() }));
  expect(model.sent.map((content) => responsesOf(content)[0])).toEqual([
    { id: 'call_0', name: 'read_log', response: { result: expect.stringMatching(/^\[Offloaded: 1 block/) } },
    { id: 'call_1', name: RETRIEVAL_TOOL_NAME, response: { result: expect.stringContaining('> 1322| line 1321 of') } },
    {
      id: 'call_2',
      name: 'draw',
      response: { content: [{ type: 'text', text: expect.stringMatching(/^\[Offloaded: 1 block/) }] },
    },
    { id: 'call_3', name: RETRIEVAL_TOOL_NAME, response: { result: '[image: image/png, 1,200,000 bytes]' } },
  ])
})
