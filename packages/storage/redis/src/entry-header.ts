import { decodeDescription, encodeDescription, type EntryInfo, type EntryDescription } from '@spillway/core/driver'

/** Bytes in which the first line of every entry ends. */
export const MAX_HEADER_LINE_BYTES = 160

/** What the first line of an entry says. */
export interface EntryHeader {
  /** Different for each writing, so that what belongs to two of them is never mixed up. */
  readonly nonce: string
  readonly size: number
  /** Bytes of a piece; 0 where the content follows the header. */
  readonly pieceBytes: number
  /** Bytes of the description, of the line index, and of everything before the content. */
  readonly descriptionBytes: number
  readonly lineIndexBytes: number
  readonly length: number
}

const LINE = /^spillway1 (\S+) (\d+) (\d+) (\d+) (\d+)\n/

/** Encode what comes before the content of an entry. */
export function encodeHeader(
  description: EntryDescription,
  content: { readonly nonce: string; readonly size: number; readonly pieceBytes: number },
  lineIndex: string | undefined,
): Buffer {
  const described = Buffer.from(encodeDescription(description))
  const lines = Buffer.from(lineIndex ?? '')
  const { nonce, size, pieceBytes } = content
  const line = `spillway1 ${nonce} ${size} ${pieceBytes} ${described.length} ${lines.length}\n`
  return Buffer.concat([Buffer.from(line), described, lines])
}

/** Decode the first line of an entry; `undefined` where it is anything else. */
export function decodeHeader(bytes: Buffer): EntryHeader | undefined {
  const line = LINE.exec(bytes.toString('latin1', 0, MAX_HEADER_LINE_BYTES))
  const [whole, nonce] = line ?? []
  if (line === null || whole === undefined || nonce === undefined) return undefined
  const [size = 0, pieceBytes = 0, descriptionBytes = 0, lineIndexBytes = 0] = line.slice(2).map(Number)
  const length = whole.length + descriptionBytes + lineIndexBytes
  return { nonce, size, pieceBytes, descriptionBytes, lineIndexBytes, length }
}

/** Decode the description behind a header; `undefined` where it is cut or anything else. */
export function decodeInfo(bytes: Buffer, header: EntryHeader, lastUsedAt: number): EntryInfo | undefined {
  const { size, length, lineIndexBytes, descriptionBytes } = header
  if (bytes.length < length) return undefined
  const lineIndexAt = length - lineIndexBytes
  const description = decodeDescription(bytes.toString('utf8', lineIndexAt - descriptionBytes, lineIndexAt))
  if (description === undefined) return undefined
  const { key, contentType, storedAt, metadata } = description
  const info: EntryInfo = { key, contentType, storedAt, metadata, size, lastUsedAt }
  return lineIndexBytes === 0 ? info : { ...info, lineIndex: bytes.toString('utf8', lineIndexAt, length) }
}
