import { ContextOffloader } from '@spillway/core'
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { LogAgent } from '../../src/agent.ts'
import { r2Storage } from '../../src/r2-storage.ts'

type StreamResult = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type Chunk = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** The agent of the example with a fake model. It is driven over HTTP instead of a chat. */
export class TestAgent extends LogAgent {
  readonly #prompts: string[] = []

  /** Reads the log if no reference is known yet, then searches its content, and then answers. */
  protected override readonly model = new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const text = JSON.stringify(prompt)
      this.#prompts.push(text)
      const reference = /\bcall_\w+_[a-z0-9]{20}\b/.exec(text)?.[0]
      if (reference === undefined) return callTool('readLog', { service: 'payments' })
      const last = prompt.at(-1)
      const [result] = last?.role === 'tool' ? last.content : []
      if (result?.type === 'tool-result' && result.toolName !== 'readLog') return say('That was it.')
      return callTool('retrieve_offloaded_content', { reference, pattern: 'ERROR', context_lines: 1 })
    },
  })

  /** Take the body as the user's message. Answers with the prompts that the model got. */
  override async onRequest(request: Request): Promise<Response> {
    const text = await request.text()
    this.#prompts.length = 0
    const id = crypto.randomUUID()
    await this.saveMessages([...this.messages, { id, role: 'user', parts: [{ type: 'text', text }] }])
    return Response.json(this.#prompts)
  }
}

function callTool(toolName: string, input: unknown): StreamResult {
  const toolCallId = `call_${toolName.length}`
  return stream('tool-calls', [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }])
}

function say(delta: string): StreamResult {
  const id = 'text'
  return stream('stop', [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ])
}

function stream(reason: 'stop' | 'tool-calls', chunks: readonly Chunk[]): StreamResult {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const finish: Chunk = { type: 'finish', finishReason: { unified: reason, raw: undefined }, usage }
  return { stream: simulateReadableStream({ chunks: [...chunks, finish] }) }
}

/** The same agent with content in a bucket that all agents share. */
export class R2TestAgent extends TestAgent {
  protected override readonly offloader = new ContextOffloader({
    // In a project, `wrangler types` generates this type.
    storage: r2Storage((this.env as { readonly RESULTS: R2Bucket }).RESULTS),
  })
}

export { default } from '../../src/worker.ts'
