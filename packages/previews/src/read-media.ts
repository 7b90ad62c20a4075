import { type ContentBlock, type MediaBlock, orAborted } from '@spillway/text/internal'
import { mediaPreviewersFor, type OnFallback } from './choose-previewers.ts'
import { fallbackOf } from './preview-fallback.ts'
import type { MediaPreview, MediaSubject, PreviewCall, Previewer } from './previewer.ts'

export interface ReadMedia extends MediaPreview {
  readonly blocks: readonly ContentBlock[]
  /** Name of the previewer, for events. */
  readonly previewer: string
}

export interface MediaPreviewing {
  readonly call: PreviewCall
  readonly media: Pick<MediaBlock, 'type' | 'mediaType' | 'name'>
  readonly previewers: readonly Previewer[]
  readonly onFallback: OnFallback
  readonly signal?: AbortSignal | undefined
}

/**
 * Read media with the most confident previewer. If it fails or returns `undefined`, the next previewer is tried.
 *
 * Returns `undefined` if no previewer returns a result. Rejects only with the reason of an aborted signal, even during
 * a read.
 */
export async function readMedia(data: Uint8Array, previewing: MediaPreviewing): Promise<ReadMedia | undefined> {
  const { call, media, previewers, onFallback, signal } = previewing
  const { type, mediaType, name } = media
  const subject: MediaSubject = { ...call, type, mediaType, name, size: data.byteLength }
  for (const previewer of mediaPreviewersFor(subject, previewers, onFallback)) {
    signal?.throwIfAborted()
    try {
      const read = await orAborted(previewer.read(data, subject), signal)
      if (read !== undefined) return { ...checkedPreview(previewer.name, read), previewer: previewer.name }
    } catch (error) {
      signal?.throwIfAborted()
      // Previewers may be third-party code. Exceptions of previewers must not fail the whole operation.
      onFallback(fallbackOf(previewer.name, error))
    }
  }
  return undefined
}

/** Validate the result of a previewer, because third-party code may return any value. */
function checkedPreview(previewer: string, read: unknown): Omit<ReadMedia, 'previewer'> {
  const { description, text, blocks = [] } = Object(read) as Partial<Record<keyof MediaPreview, unknown>>
  for (const [name, value] of Object.entries({ description, text }))
    if (value !== undefined && typeof value !== 'string')
      throw new TypeError(`Previewer ${JSON.stringify(previewer)} must give ${name} as a string, got ${typeof value}.`)
  if (!Array.isArray(blocks))
    throw new TypeError(`Previewer ${JSON.stringify(previewer)} must give blocks as an array, got ${typeof blocks}.`)
  return {
    description: description as string | undefined,
    text: (text as string | undefined)?.toWellFormed(),
    blocks: blocks as ContentBlock[],
  }
}
