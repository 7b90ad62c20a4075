import { type ContentBlock, type MediaBlock, orAborted } from '@spillway/text/internal'
import { mediaPreviewersFor, type OnFallback } from './choose-previewers.ts'
import { fallbackOf } from './preview-fallback.ts'
import type { MediaPreview, MediaSubject, PreviewCall, Previewer } from './previewer.ts'

/** What a previewer read of media. */
export interface ReadMedia extends MediaPreview {
  readonly blocks: readonly ContentBlock[]
  /** The name of the previewer, which stands in events. */
  readonly previewer: string
}

/** What media are previewed with. */
export interface MediaPreviewing {
  readonly call: PreviewCall
  readonly media: Pick<MediaBlock, 'type' | 'mediaType' | 'name'>
  readonly previewers: readonly Previewer[]
  readonly onFallback: OnFallback
  readonly signal?: AbortSignal | undefined
}

/**
 * Read media with the surest previewer; where that finds them to be something else, or fails, with the next one.
 *
 * Returns `undefined` where none can tell anything. Rejects only once the signal has fired, with its reason, also while a previewer works.
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
      // A previewer may be anybody's code: what it throws must not cost the result.
      onFallback(fallbackOf(previewer.name, error))
    }
  }
  return undefined
}

/** A previewer may be anybody's code, and return anything. */
function checkedPreview(previewer: string, read: unknown): Omit<ReadMedia, 'previewer'> {
  const { description, text, blocks = [] } = Object(read) as Partial<Record<keyof MediaPreview, unknown>>
  for (const [name, value] of Object.entries({ description, text }))
    if (value !== undefined && typeof value !== 'string')
      throw new TypeError(
        `The previewer ${JSON.stringify(previewer)} must give ${name} as a string, got ${typeof value}.`,
      )
  if (!Array.isArray(blocks))
    throw new TypeError(
      `The previewer ${JSON.stringify(previewer)} must give blocks as an array, got ${typeof blocks}.`,
    )
  return {
    description: description as string | undefined,
    text: (text as string | undefined)?.toWellFormed(),
    blocks: blocks as ContentBlock[],
  }
}
