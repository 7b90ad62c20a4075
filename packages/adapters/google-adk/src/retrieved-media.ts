import type { BasePlugin, LlmRequest } from '@google/adk'
import { RETRIEVAL_TOOL_NAME, type ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'

type Part = NonNullable<LlmRequest['contents'][number]['parts']>[number]
type Event = Parameters<BasePlugin['onEventCallback']>[0]['event']

/** What models take inline. */
const SHOWN = /^(?:image|audio|video)\/|^application\/pdf$/

const mediaOf = new WeakMap<object, Part[]>()

/** Note which media an answer of the retrieval tool comes with. */
export function noteMedia(answer: object, blocks: readonly ContentBlock[]): void {
  const parts = blocks.flatMap((block): Part[] => {
    if (!('data' in block) || block.data === undefined || !SHOWN.test(block.mediaType)) return []
    return [{ inlineData: { mimeType: block.mediaType, data: encodeBase64(block.data) } }]
  })
  if (parts.length > 0) mediaOf.set(answer, parts)
}

/** Put noted media into the event that carries the answer, so that they are saved with the session. */
export function attachMedia({ content }: Event): void {
  for (const { functionResponse } of content?.parts ?? []) {
    const parts = functionResponse?.response && mediaOf.get(functionResponse.response)
    if (functionResponse !== undefined && parts !== undefined) functionResponse.parts = parts
  }
}

/** Move media from the answers to a message behind them: models before Gemini 3 refuse them where they are attached. */
export function showMedia(request: LlmRequest): void {
  request.contents = request.contents.flatMap((content) => {
    const media: Part[] = []
    const parts = content.parts?.map((part) => {
      const { parts: attached = [], ...answer } = part.functionResponse ?? {}
      if (answer.name !== RETRIEVAL_TOOL_NAME || attached.length === 0) return part
      media.push({ text: `Content from ${RETRIEVAL_TOOL_NAME}:` }, ...attached)
      return { ...part, functionResponse: answer }
    })
    if (parts === undefined || media.length === 0) return [content]
    return [
      { ...content, parts },
      { role: 'user', parts: media },
    ]
  })
}
