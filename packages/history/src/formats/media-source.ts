import { encodeBase64, mediaKind } from '@spillway/text/internal'
import type { HistoryMedia } from '../history-message.ts'

/** The header of a `data:` URL with Base64 is shorter than this: what is longer is not searched for its end. */
const MAX_DATA_HEADER = 1_024
const DATA_HEADER = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

/** Where the content of a medium is: one of these is there. */
export type MediaSource = Pick<HistoryMedia, 'data' | 'base64' | 'url'>

/** Split a `data:` URL with Base64 into its type and its Base64, which is not decoded; `undefined` for any other URL. */
export function splitDataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const [header, mediaType = ''] = DATA_HEADER.exec(url.slice(0, MAX_DATA_HEADER)) ?? []
  return header === undefined ? undefined : { mediaType, base64: url.slice(header.length) }
}

/**
 * Make the fields of a medium; `mediaType` is a guess that a `data:` URL knows better.
 *
 * @example
 * ```ts
 * import { mediaFields } from '@spillway/history/format'
 *
 * const image = mediaFields('image/*', { url: 'data:image/png;base64,iVBORw0KGgo=' })
 * console.assert(image.type === 'image' && image.mediaType === 'image/png' && image.base64 === 'iVBORw0KGgo=')
 * ```
 */
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

/**
 * Return the content of a medium as Base64; `undefined` where only its address is known.
 *
 * @example
 * ```ts
 * import { base64Of } from '@spillway/history/format'
 *
 * console.assert(base64Of({ data: new Uint8Array([1, 2]) }) === 'AQI=')
 * ```
 */
export function base64Of({ data, base64, url }: MediaSource): string | undefined {
  if (base64 !== undefined) return base64
  if (data !== undefined) return encodeBase64(data)
  return url === undefined ? undefined : splitDataUrl(url)?.base64
}

/**
 * Return the address of a medium, or its content as a `data:` URL; `undefined` where it has neither.
 *
 * @example
 * ```ts
 * import { urlOf } from '@spillway/history/format'
 *
 * console.assert(urlOf({ mediaType: 'image/png', base64: 'iVBORw0KGgo=' }) === 'data:image/png;base64,iVBORw0KGgo=')
 * ```
 */
export function urlOf(media: Pick<HistoryMedia, 'mediaType' | 'data' | 'base64' | 'url'>): string | undefined {
  const base64 = base64Of(media)
  return base64 === undefined ? media.url : `data:${media.mediaType};base64,${base64}`
}
