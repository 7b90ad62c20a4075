import type { BasePlugin, LlmRequest } from '@google/adk'
import { RETRIEVAL_TOOL_NAME, type ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'

type Part = NonNullable<LlmRequest['contents'][number]['parts']>[number]
type Event = Parameters<BasePlugin['onEventCallback']>[0]['event']

/** Media that models accept inline. */
const SHOWN = /^(?:image|audio|video)\/|^application\/pdf$/

/** Key of an answer's media, which are neither saved nor sent with the answer. */
const MEDIA: unique symbol = Symbol('media of an answer')

export function noteMedia(answer: object, blocks: readonly ContentBlock[]): void {
  const parts = blocks.flatMap((block): Part[] => {
    if (!('data' in block) || block.data === undefined || !SHOWN.test(block.mediaType)) return []
    return [{ inlineData: { mimeType: block.mediaType, data: encodeBase64(block.data) } }]
  })
  if (parts.length > 0) Object.defineProperty(answer, MEDIA, { value: parts })
}

/** Adds the media of an answer to its event, so that the session saves them. */
export function attachMedia({ content }: Event): void {
  for (const { functionResponse } of content?.parts ?? []) {
    const { [MEDIA]: parts } = Object(functionResponse?.response) as { readonly [MEDIA]?: Part[] }
    if (functionResponse !== undefined && parts !== undefined) functionResponse.parts = parts
  }
}

/** Move media into a message after the answers, because models before Gemini 3 refuse media inside answers. */
export function showMedia(request: LlmRequest): void {
  // A long history without media is not copied.
  if (!request.contents.some(({ parts = [] }) => parts.some(hasMedia))) return
  request.contents = request.contents.flatMap((content) => {
    const { parts = [] } = content
    const shown = parts
      .filter(hasMedia)
      .flatMap(({ functionResponse }): Part[] => [
        { text: `Content from ${RETRIEVAL_TOOL_NAME}:` },
        ...(functionResponse?.parts ?? []),
      ])
    if (shown.length === 0) return [content]
    return [
      { ...content, parts: parts.map((part) => (hasMedia(part) ? withoutMedia(part) : part)) },
      { role: 'user', parts: shown },
    ]
  })
}

function hasMedia({ functionResponse }: Part): boolean {
  return functionResponse?.name === RETRIEVAL_TOOL_NAME && functionResponse.parts !== undefined
}

function withoutMedia({ functionResponse, ...part }: Part): Part {
  const { parts: _parts, ...answer } = functionResponse ?? {}
  return { ...part, functionResponse: answer }
}
