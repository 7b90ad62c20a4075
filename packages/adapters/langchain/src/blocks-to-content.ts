import type { ToolMessage } from '@langchain/core/messages'
import type { ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'

/** Write an answer of the retrieval tool as the content of a message: a string where it is one text. */
export function blocksToContent(blocks: readonly ContentBlock[]): ToolMessage['content'] {
  const [first] = blocks
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks.map(blockToPart)
}

/** Write a block as a part of a message. */
export function blockToPart(block: ContentBlock): Exclude<ToolMessage['content'], string>[number] {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'json':
    case 'unknown':
      return { type: 'text', text: JSON.stringify(block.value) }
    case 'link':
      return { type: 'text', text: block.url }
    default: {
      const { type, mediaType, name } = block
      const source = block.data === undefined ? { url: block.url } : { data: encodeBase64(block.data) }
      // Of all forms of an image this is the one that every provider takes in a tool message.
      if (type === 'image') {
        const url = source.url ?? `data:${mediaType};base64,${source.data}`
        return { type: 'image_url', image_url: { url } }
      }
      const metadata = name === undefined ? {} : { metadata: { filename: name } }
      return { type: type === 'document' ? 'file' : type, mimeType: mediaType, ...source, ...metadata }
    }
  }
}
