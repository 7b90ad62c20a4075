import type { ContentBlock } from '@spillway/core'
import { encodeBase64, mediaFromData, mediaFromUrl } from '@spillway/core/adapter'
import { HttpError } from '../app/http-error.ts'
import type { ContentBlockJson } from './schemas.ts'

/** Read a block from JSON. @throws HttpError `invalid-request` for media without content, or that are no Base64. */
export function readContentBlock(block: ContentBlockJson): ContentBlock {
  switch (block.type) {
    case 'text':
    case 'link':
      return block
    case 'json':
    case 'unknown':
      return { ...block, value: block.value }
    default: {
      const { type, mediaType, name, context, data, url } = block
      if ((data === undefined) === (url === undefined))
        throw new HttpError('invalid-request', `A block of type ${type} has either data or url.`)
      const media = data === undefined ? mediaFromUrl(mediaType, url!, name) : mediaFromData(mediaType, data, name)
      if (media === undefined)
        throw new HttpError('invalid-request', 'data must be Base64, or url one that can be read.')
      return { ...media, context, type }
    }
  }
}

/** Write a block as JSON. */
export function writeContentBlock(block: ContentBlock): ContentBlockJson {
  switch (block.type) {
    case 'text':
      return block
    case 'json':
    case 'unknown':
      return { ...block, value: block.value ?? null }
    case 'link':
      return block
    default: {
      const { data, ...others } = block
      return data === undefined ? others : { ...others, data: encodeBase64(data) }
    }
  }
}
