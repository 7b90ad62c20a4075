import fc from 'fast-check'
import type { HistoryFormat } from '../src/history-format.ts'
import { aiSdkMessages } from '../src/formats/ai-sdk-messages.ts'
import { anthropicMessages } from '../src/formats/anthropic-messages.ts'
import { geminiContents } from '../src/formats/gemini-contents.ts'
import { openAIAgents, openAIResponses } from '../src/formats/openai-responses.ts'
import { openAIChat } from '../src/formats/openai-chat.ts'
import type { HistoryLimits, Summarize } from '../src/index.ts'
import { aiSdkHistory } from './native/ai-sdk-history.ts'
import { anthropicHistory } from './native/anthropic-history.ts'
import { chatHistory } from './native/chat-history.ts'
import { geminiHistory } from './native/gemini-history.ts'
import { agentsHistory, responsesHistory } from './native/items-history.ts'
import { plans, type Plan, type PlannedCall, type PlannedTurn } from './native/plan.ts'
import type { FormatName } from './validate-history.ts'

const SUBJECTS: Readonly<Record<FormatName, { write: (plan: Plan) => unknown; format: HistoryFormat<unknown> }>> = {
  'openai-chat': { write: chatHistory, format: openAIChat() },
  'openai-responses': { write: responsesHistory, format: openAIResponses() },
  'openai-agents': { write: agentsHistory, format: openAIAgents() },
  'anthropic-messages': { write: anthropicHistory, format: anthropicMessages() },
  'ai-sdk-messages': { write: aiSdkHistory, format: aiSdkMessages() },
  'gemini-contents': { write: geminiHistory, format: geminiContents() },
}

/** Return the format with a name, for conversations of any type. */
export const formatOf = (name: FormatName): HistoryFormat<unknown> => SUBJECTS[name].format

/** Behaviors of a model that is asked for a summary. */
export const MODELS = {
  good: async () =>
    '<state_snapshot>\n<overall_goal>Go on</overall_goal>\n<key_knowledge>all of it</key_knowledge>\n</state_snapshot>',
  rejects: () => Promise.reject(new Error('overloaded')),
  throws: () => {
    throw new TypeError('no model')
  },
  stalls: () => new Promise<string>(() => {}),
  empty: async () => '',
  greets: async () => 'Hello! How can I help you today?',
  babbles: async () =>
    `<state_snapshot><overall_goal>x</overall_goal><key_knowledge>${'y z '.repeat(30_000)}</key_knowledge></state_snapshot>`,
  invents: async () =>
    '<state_snapshot><overall_goal>x</overall_goal><key_knowledge>call_1_0_abcdefghijklmnopqrst</key_knowledge></state_snapshot>',
  nests: async () => '<state_snapshot><state_snapshot></state_snapshot></state_snapshot>',
  number: async () => 42 as never,
} satisfies Readonly<Record<string, Summarize>>

/** One test case: a conversation, the options of compaction, and the behavior of the model. */
export interface FuzzCase {
  readonly conversation: unknown
  readonly isValid: boolean
  readonly limits: HistoryLimits
  /** Behavior of the model at each call. The last behavior also applies to all further calls. */
  readonly models: readonly (keyof typeof MODELS)[]
}

const limits: fc.Arbitrary<HistoryLimits> = fc.record({
  mode: fc.constantFrom('compact', 'compress', 'auto'),
  maxTotalTokens: fc.constantFrom(1, 200, 1_000, 3_000, 8_000),
  maxToolMessageTokens: fc.constantFrom(1, 50, 300, 1_000),
  keepRecent: fc.constantFrom(undefined, 0, 1, 2, 5),
  groupTokens: fc.constantFrom(0, 0, 500, 2_000),
  historyPreviewTokens: fc.constantFrom(undefined, 0, 200),
  compactRatioThreshold: fc.constantFrom(undefined, 0, 1),
})
const models = fc.array(
  fc.constantFrom(...(Object.keys(MODELS) as (keyof typeof MODELS)[]), 'good' as const, 'good' as const),
  {
    minLength: 1,
    maxLength: 4,
  },
)

/** Generate test cases for a format. */
export const fuzzCases = (name: FormatName): fc.Arbitrary<FuzzCase> =>
  fc.boolean().chain((orphans) =>
    fc.record({
      conversation: plans({ orphans, hugeLength: 20_000 }).map((plan) => SUBJECTS[name].write(inflate(plan))),
      isValid: fc.constant(!orphans),
      limits,
      models,
    }),
  )

/** Make some texts of a plan long: results, arguments, answers and user messages. */
function inflate(plan: Plan): Plan {
  return { ...plan, turns: plan.turns.map(inflateTurn) }
}

function inflateTurn(turn: PlannedTurn): PlannedTurn {
  const { form, texts, answer, steps } = turn
  return {
    ...turn,
    texts: texts.map((text, index) => (bit(form, 8 + index) ? long(text, 200) : text)),
    answer: bit(form, 10) ? long(answer, 150) : answer,
    steps: steps.map((step) => ({ ...step, calls: step.calls.map(inflateCall) })),
  }
}

function inflateCall(call: PlannedCall): PlannedCall {
  const { form, args, result } = call
  const texts = result.texts.map((text, index) => (bit(form, 7 + index) ? long(text, 120 * (index + 1)) : text))
  return {
    ...call,
    args: bit(form, 10) ? { ...args, content: long('file', 200) } : args,
    result: {
      ...result,
      texts,
      json:
        bit(form, 11) && result.json !== undefined
          ? { value: result.json, rows: Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` })) }
          : result.json,
    },
  }
}

const bit = (form: number, at: number): boolean => ((form >> at) & 1) === 1
const long = (text: string, lines: number): string =>
  Array.from({ length: lines }, (_, line) => `${text} line ${line} of it`).join('\n')
