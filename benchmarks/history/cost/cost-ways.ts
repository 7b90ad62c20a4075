import { ContextOffloader } from '@spillway/core'
import {
  aiSdkMessages,
  anthropicMessages,
  compactHistory,
  geminiContents,
  HistoryCompactor,
  openAIChat,
  openAIResponses,
  type HistoryFormat,
} from '@spillway/history'
import { langchainMessages } from '@spillway/langchain/history'
import { InMemoryStorage } from '@spillway/memory'
import { fakeModel } from '@langchain/core/testing'
import type { BaseMessage } from '@langchain/core/messages'
import { pruneMessages, type ModelMessage } from 'ai'
import { ClearToolUsesEdit, countTokensApproximately } from 'langchain'
import type { Said } from './conversations.ts'
import { NATIVE } from './native-conversations.ts'

/** A way of shortening histories, for conversations in its own format. */
export interface CostWay {
  readonly name: string
  /** Prepare one call, which is not timed, and return the function to time. */
  start(conversation: readonly Said[]): () => () => unknown
}

const FAR = 10_000_000
const PASS = { maxTotalTokens: 20_000, maxToolMessageTokens: 2_000, mode: 'compact' } as const

const offloader = (): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })

/** Additional cost of a model call while the history is within its limit. */
export const CALL_WAYS: readonly CostWay[] = [
  calling('Spillway, OpenAI Chat', openAIChat<object>(), NATIVE.chat),
  calling('Spillway, OpenAI Chat, copies', openAIChat<object>(), NATIVE.chat, structuredClone),
  calling('Spillway, OpenAI Responses', openAIResponses<object>(), NATIVE.responses),
  calling('Spillway, Anthropic', anthropicMessages<object>(), NATIVE.anthropic),
  calling('Spillway, Gemini', geminiContents<object>(), NATIVE.gemini),
  calling('Spillway, AI SDK', aiSdkMessages<ModelMessage>(), NATIVE.aiSdk),
  pruning('AI SDK, last 3', 'before-last-3-messages'),
  calling('Spillway, LangChain', langchainMessages(), NATIVE.langchain),
  editing('LangChain, keep 3', FAR),
]

/** Cost of a pass over a history that exceeds its limit. */
export const PASS_WAYS: readonly CostWay[] = [
  passing('Spillway', undefined),
  passing('Spillway, no previews', 0),
  pruning('AI SDK, last 3', 'before-last-3-messages'),
  editing('LangChain, keep 3', PASS.maxTotalTokens),
]

/** A compactor that has seen all of the conversation except the last turn, as in a loop. `copy` copies its input. */
function calling<Conversation>(
  name: string,
  format: HistoryFormat<Conversation>,
  write: (conversation: readonly Said[]) => Conversation,
  copy: (conversation: Conversation) => Conversation = (same) => same,
): CostWay {
  return {
    name,
    start(said) {
      const compactor = new HistoryCompactor({ offloader: offloader(), format, maxTotalTokens: FAR, mode: 'compact' })
      const conversation = write(said)
      return () => {
        const given = copy(conversation)
        return () => compactor.compact(given)
      }
    },
  }
}

function passing(name: string, historyPreviewTokens: number | undefined): CostWay {
  return {
    name,
    start(said) {
      const format = openAIChat<object>()
      const conversation = NATIVE.chat(said)
      return () => {
        const options = { ...PASS, offloader: offloader(), format, historyPreviewTokens }
        return () => compactHistory(conversation, options)
      }
    },
  }
}

function pruning(name: string, toolCalls: 'before-last-3-messages'): CostWay {
  return {
    name,
    start(said) {
      const conversation = NATIVE.aiSdk(said)
      return () => () => pruneMessages({ messages: conversation, toolCalls, emptyMessages: 'remove' })
    },
  }
}

/** LangChain's edit changes the list that it gets, so it gets a copy. */
function editing(name: string, tokens: number): CostWay {
  return {
    name,
    start(said) {
      const edit = new ClearToolUsesEdit({ trigger: { tokens } })
      const conversation: readonly BaseMessage[] = NATIVE.langchain(said)
      return () => {
        const given = { messages: [...conversation], model: fakeModel(), countTokens: countTokensApproximately }
        return () => edit.apply(given)
      }
    },
  }
}
