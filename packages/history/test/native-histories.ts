import type fc from 'fast-check'
import { aiSdkHistory } from './native/ai-sdk-history.ts'
import { anthropicHistory } from './native/anthropic-history.ts'
import { chatHistory } from './native/chat-history.ts'
import { geminiHistory } from './native/gemini-history.ts'
import { agentsHistory, responsesHistory } from './native/items-history.ts'
import { plans, type Plan, type PlanOptions } from './native/plan.ts'
import type { FormatName } from './validate-history.ts'

const WRITERS: Readonly<Record<FormatName, (plan: Plan) => unknown>> = {
  'openai-chat': chatHistory,
  'openai-responses': responsesHistory,
  'openai-agents': agentsHistory,
  'anthropic-messages': anthropicHistory,
  'ai-sdk-messages': aiSdkHistory,
  'gemini-contents': geminiHistory,
}

/**
 * Generate conversations in an API's format: parallel calls, turns of many steps, empty texts, images, thoughts, huge
 * results, repeated ids, unknown fields, approvals, and calls that the provider ran.
 *
 * `validateHistory` finds no problems in them, unless `orphans` removes calls or results.
 */
export const nativeHistories = (format: FormatName, options?: PlanOptions): fc.Arbitrary<unknown> =>
  plans(options).map((plan) => WRITERS[format](plan))
