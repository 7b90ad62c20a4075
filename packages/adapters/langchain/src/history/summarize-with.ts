import { HumanMessage } from '@langchain/core/messages'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Summarize } from '@spillway/history'

/** Streams of the run omit the summary; traces show it. */
const TAGS = ['nostream', 'langsmith:nostream']

/**
 * Make a `summarize` that asks a chat model of LangChain; a small and fast one is enough.
 *
 * @throws TypeError for an invalid model.
 */
export function summarizeWith(model: Pick<BaseChatModel, 'invoke'>): Summarize {
  if (typeof (model as Partial<BaseChatModel> | undefined)?.invoke !== 'function')
    throw new TypeError('model must be a chat model of LangChain: summarizeWith(new ChatOpenAI({ … })).')
  return async ({ prompt, signal }) => {
    const { text } = await model.invoke([new HumanMessage(prompt)], { signal, tags: TAGS, runName: 'spillway_summary' })
    return text
  }
}
