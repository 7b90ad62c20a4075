import type { EntryInfo } from '../../storage/storage-driver.ts'
import type { Metadata } from '../../storage/storage.ts'
import { isBlockSize, isCount } from './block-table.ts'
import { isCodecName, type CodecName } from './codecs.ts'

/** No metadata of a caller can have a name with a dot. */
const NAME = 'spillway.compressed'

/** What is known of compressed content when writing begins, kept with the metadata of its entry. */
export interface CompressionMarker {
  readonly codec: CodecName
  /** The content type that was stored. */
  readonly contentType: string
  /** Bytes of a plain block. */
  readonly blockBytes: number
  /** Bytes of the plain content; absent where that was known only at its end. */
  readonly size?: number
}

/** Add a marker to metadata. */
export function withMarker(metadata: Metadata, { codec, contentType, blockBytes, size }: CompressionMarker): Metadata {
  return { ...metadata, [NAME]: JSON.stringify({ codec, contentType, blockBytes, size }) }
}

/** Return the text of an entry's marker, which tells one compressed entry from another; `undefined` for plain entries. */
export const markerText = ({ metadata }: Pick<EntryInfo, 'metadata'>): string | undefined => metadata[NAME]

/** Read a marker; `undefined` where it is damaged, of a later version, or of blocks that are too large. */
export function parseMarker(text: string): CompressionMarker | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const { codec, contentType, blockBytes, size } = Object(value) as Readonly<Record<string, unknown>>
  if (!isCodecName(codec) || typeof contentType !== 'string' || !isBlockSize(blockBytes)) return undefined
  if (size === undefined) return { codec, contentType, blockBytes }
  return isCount(size) ? { codec, contentType, blockBytes, size } : undefined
}

/** Return metadata without the marker. */
export function withoutMarker({ [NAME]: _marker, ...metadata }: Metadata): Metadata {
  return metadata
}
