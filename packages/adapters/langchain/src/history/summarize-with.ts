import { HumanMessage } from '@langchain/core/messages'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Summarize } from '@spillway/history'

/** Keep the summary out of the run's streams; traces show it. */
const TAGS = ['nostream', 'langsmith:nostream']

/**
 * Make the `summarize` that asks a chat model of LangChain, with one message of the user and no tools. A small and fast
 * model is enough.
 */
export function summarizeWith(model: Pick<BaseChatModel, 'invoke'>): Summarize {
  if (typeof (model as Partial<BaseChatModel> | undefined)?.invoke !== 'function')
    throw new TypeError('model must be a chat model of LangChain: summarizeWith(new ChatOpenAI({ … })).')
  return async ({ prompt, signal }) => {
    const { text } = await model.invoke([new HumanMessage(prompt)], { signal, tags: TAGS, runName: 'spillway_summary' })
    return text
  }
}
