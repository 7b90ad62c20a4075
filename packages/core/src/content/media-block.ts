import type { ContentBlock, MediaBlock } from './content-block.ts'

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document'])

/** Tell whether a block is an image, sound, video or document. */
export const isMediaBlock = (block: ContentBlock): block is MediaBlock => MEDIA_TYPES.has(block.type)

/** Return the short name of a media type: `png` of `image/png`, `pdf` of `application/pdf`. */
export function mediaFormat(mediaType: string): string {
  const subtype =
    mediaType
      .slice(mediaType.indexOf('/') + 1)
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? ''
  return subtype.replace(/^x-/, '').replace(/\+.*$/, '') || 'unknown'
}
