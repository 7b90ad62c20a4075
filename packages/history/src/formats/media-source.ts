import { encodeBase64, mediaKind } from '@spillway/text/internal'
import type { HistoryMedia } from '../history-message.ts'

/** Longest header of a `data:` URL. This limits the search for the end of the header. */
const MAX_DATA_HEADER = 1_024
const DATA_HEADER = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

/** The content of a media block, as bytes, Base64 or a URL. */
export type MediaSource = Pick<HistoryMedia, 'data' | 'base64' | 'url'>

/** Split a Base64 `data:` URL without decoding it. Return `undefined` for any other URL. */
export function splitDataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const [header, mediaType = ''] = DATA_HEADER.exec(url.slice(0, MAX_DATA_HEADER)) ?? []
  return header === undefined ? undefined : { mediaType, base64: url.slice(header.length) }
}

/** Create the fields of a media block. The type in a `data:` URL has priority over `mediaType`. */
export function mediaFields(
  mediaType: string,
  source: MediaSource,
  name?: string,
): Pick<HistoryMedia, 'type' | 'mediaType' | 'name' | 'data' | 'base64' | 'url'> {
  const split = source.url === undefined ? undefined : splitDataUrl(source.url)
  const type = split === undefined || split.mediaType === '' ? mediaType : split.mediaType
  const content = split === undefined ? source : { base64: split.base64 }
  return { type: mediaKind(type), mediaType: type, ...(name === undefined ? {} : { name }), ...content }
}

/** Return a media block's content as Base64. Return `undefined` if the block has only a URL. */
export function base64Of({ data, base64, url }: MediaSource): string | undefined {
  if (base64 !== undefined) return base64
  if (data !== undefined) return encodeBase64(data)
  return url === undefined ? undefined : splitDataUrl(url)?.base64
}

/** Return a media block's URL, or its content as a `data:` URL. Return `undefined` if the block has neither. */
export function urlOf(media: Pick<HistoryMedia, 'mediaType' | 'data' | 'base64' | 'url'>): string | undefined {
  const base64 = base64Of(media)
  return base64 === undefined ? media.url : `data:${media.mediaType};base64,${base64}`
}
