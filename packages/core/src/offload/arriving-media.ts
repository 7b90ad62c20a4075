import { mediaKind, concatBytes, copyBytes } from '@spillway/text/internal'
import { mediaPreviewersFor, describeMedia, MEDIA_PREVIEWER, fallbackOf } from '@spillway/previews/internal'
import type { Storage } from '../storage/storage.ts'
import { readMediaParts, type PartReading } from './read-media-parts.ts'
import { replacementSources, type ReplacementSource } from './render-replacement.ts'
import { storeParts, type StoragePart, type StoredPart } from './store-blocks.ts'

/** Media up to this size are held until a previewer can read them; of larger ones only the beginning is looked at. */
const MAX_HELD_BYTES = 32 * 1_048_576

/** A stream of media that has been stored. */
export interface StoredMedia {
  readonly key: string
  readonly reference: string
  readonly contentType: string
  readonly size: number
  readonly tokens: number
}

/** Reads media that arrive in pieces: where a previewer wants all of the bytes, once they are there. */
export class ArrivingMedia {
  readonly #start: Uint8Array
  readonly #reading: PartReading
  #size = 0
  #held: Uint8Array[] | undefined

  /** @param start - The first bytes, which are pushed too. */
  constructor(start: Uint8Array, contentType: string, reading: PartReading) {
    this.#start = start
    this.#reading = reading
    const { call, previewers, onFallback } = reading
    const subject = { ...call, type: mediaKind(contentType), mediaType: contentType, size: start.byteLength }
    const wanted = mediaPreviewersFor(subject, previewers, onFallback).some(({ name }) => name !== MEDIA_PREVIEWER)
    this.#held = wanted ? [] : undefined
  }

  push(chunk: Uint8Array): void {
    this.#size += chunk.byteLength
    if (this.#size > MAX_HELD_BYTES) this.#held = undefined
    // A source may fill the same buffer again for its next chunk.
    this.#held?.push(copyBytes(chunk))
  }

  /** Say what was stored, and store its text beside it; where that fails, an event says so and the media stay. */
  async finish(
    { key, reference, contentType, size, tokens }: StoredMedia,
    storage: Storage,
  ): Promise<ReplacementSource[]> {
    const part: StoragePart = { type: mediaKind(contentType), key, contentType, tokens }
    const data = this.#held === undefined ? this.#whole() : concatBytes(this.#held, this.#size)
    if (data === undefined) {
      const description = describeMedia(this.#start, contentType, size)
      return replacementSources([{ part: { ...part, description }, reference, size }], this.#reading)
    }
    const [read = part, ...texts] = await readMediaParts([{ ...part, data }], this.#reading)
    const stored: StoredPart[] = [{ part: read, reference, size }]
    try {
      const { toolName } = this.#reading.call
      stored.push(...(await storeParts(storage, texts, toolName, this.#reading.signal, stored)).stored)
    } catch (error) {
      // The stream itself is stored already, and must not be lost with what was made of it.
      this.#reading.onFallback(fallbackOf(MEDIA_PREVIEWER, error))
    }
    return replacementSources(stored, this.#reading)
  }

  #whole(): Uint8Array | undefined {
    return this.#size === this.#start.byteLength ? this.#start : undefined
  }
}
