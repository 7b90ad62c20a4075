import { HumanMessage } from '@langchain/core/messages'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Summarize } from '@spillway/history'

/** Tags that hide the summary from the run's streams. Traces still show the summary. */
const TAGS = ['nostream', 'langsmith:nostream']

/**
 * Make a `summarize` that asks a chat model of LangChain. A small and fast model is enough.
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
