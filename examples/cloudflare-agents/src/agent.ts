import { AIChatAgent, type OnChatMessageOptions } from '@cloudflare/ai-chat'
import { offloadPrepareStep, offloadTools } from '@spillway/ai-sdk'
import { ContextOffloader } from '@spillway/core'
import {
  convertToModelMessages,
  isStepCount,
  streamText,
  tool,
  type GenerateTextOnFinishCallback,
  type LanguageModel,
} from 'ai'
import { z } from 'zod'
import { durableObjectStorage } from './durable-object-storage.ts'

const MONTH_MS = 30 * 24 * 60 * 60 * 1_000

/** Reads the log of a service. Long results are stored in the database of this agent's Durable Object. */
export class LogAgent extends AIChatAgent {
  protected readonly model: LanguageModel = 'anthropic/claude-sonnet-4.5'
  protected readonly offloader: ContextOffloader = new ContextOffloader({
    storage: durableObjectStorage(this.ctx.storage, { ttlMs: MONTH_MS }),
  })

  override async onChatMessage(
    onFinish: GenerateTextOnFinishCallback,
    options?: OnChatMessageOptions,
  ): Promise<Response> {
    const session = this.offloader.forScope('log-agent', this.name)
    const tools = offloadTools({ readLog }, session)
    const result = streamText({
      model: this.model,
      messages: await convertToModelMessages(this.messages, { tools }),
      tools,
      prepareStep: offloadPrepareStep(session),
      stopWhen: isStepCount(10),
      ...(options?.abortSignal && { abortSignal: options.abortSignal }),
      onFinish,
    })
    return result.toUIMessageStreamResponse()
  }
}

/** Returns a generated log with one important line, so that the example needs no service. */
const readLog = tool({
  description: 'Read the whole log of a service.',
  inputSchema: z.object({ service: z.string() }),
  execute: async ({ service }) =>
    Array.from({ length: 5_000 }, (_, line) => {
      const time = new Date(Date.UTC(2026, 0, 1) + line * 1_000).toISOString()
      return line === 3_210
        ? `${time} ERROR ${service}: payment 8812 refused: card_expired`
        : `${time} INFO ${service}: request ${line} handled in ${(line * 7) % 90} ms`
    }).join('\n'),
})
