import type { ContentBlock, MediaBlock } from './content-block.ts'
import { contentTypeEssence } from './content-type-essence.ts'
import { extensionForContentType } from './content-types.ts'

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document'])

/** Tell whether a block is an image, sound, video or document. */
export const isMediaBlock = (block: ContentBlock): block is MediaBlock => MEDIA_TYPES.has(block.type)

/** Say what kind of media a MIME type names: `document` for all that is no image, sound or video. */
export function mediaKind(mediaType: string): MediaBlock['type'] {
  const [kind] = contentTypeEssence(mediaType).split('/', 1)
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

/** Return the short name of a media type: `png` of `image/png`, `docx` of what Word writes. */
export function mediaFormat(mediaType: string): string {
  const essence = contentTypeEssence(mediaType)
  const subtype = essence.slice(essence.indexOf('/') + 1)
  const extension = extensionForContentType(essence)
  // The names of vendors are long, and known by their extensions.
  if (subtype.startsWith('vnd.') && extension !== '.bin' && !subtype.includes('+')) return extension.slice(1)
  return subtype.replace(/^x-/, '').replace(/\+.*$/, '') || 'unknown'
}
