import { TAG_BYTES } from '@spillway/text/internal/engines'
import { decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { corruptError, type EntryId } from '../../storage/storage-driver.ts'
import type { KeyRing } from './key-ring.ts'
import { decodeHeader, encodeHeader, HEADER_BYTES, type SealedHeader, type SealedPurpose } from './sealed-header.ts'
import type { SealedEntry } from './sealed-names.ts'
import { segmentNonce } from './sealed-segments.ts'

/** What sealed texts begin with; the rest is a header and one last segment, in base64. */
const MAGIC = 'sealed1.'

/** Seal a text that belongs to an entry of the backend, as a text. */
export async function sealText(keys: KeyRing, id: EntryId, purpose: SealedPurpose, text: string): Promise<string> {
  const header = await keys.header(purpose)
  const cipher = await keys.cipher(id, header)
  const sealed = await cipher.seal(segmentNonce(0, true), new TextEncoder().encode(text))
  const bytes = new Uint8Array(HEADER_BYTES + sealed.byteLength)
  bytes.set(encodeHeader(header))
  bytes.set(sealed, HEADER_BYTES)
  return MAGIC + encodeBase64(bytes)
}

/** Return the header of a sealed text; `undefined` where it is none. */
export const headerOfText = (text: string): SealedHeader | undefined => takeApart(text)?.header

/** Open what {@link sealText} made for this entry and purpose. Rejects with `corrupt` for anything else. */
export async function openText(
  keys: KeyRing,
  { inner, asked }: SealedEntry,
  purpose: SealedPurpose,
  text: string,
): Promise<string> {
  const parts = takeApart(text)
  if (parts === undefined || parts.header.purpose !== purpose)
    throw corruptError(asked, 'it is not sealed: it was stored without encryption, or its description is damaged.')
  const { header, sealed } = parts
  const cipher = await keys.cipher(inner, header, asked)
  const opened = await cipher.open(segmentNonce(0, true), sealed)
  if (opened === undefined) throw unopenedError(asked, header)
  return new TextDecoder().decode(opened)
}

/** Say that something does not open. */
export const unopenedError = (id: EntryId, { keyId }: SealedHeader): ReturnType<typeof corruptError> =>
  corruptError(
    id,
    `it was sealed with the key "${keyId}", and does not open with it. Either the key that is configured as "${keyId}" is ` +
      'another one, or what the backend keeps was changed.',
  )

function takeApart(text: string): { readonly header: SealedHeader; readonly sealed: Uint8Array } | undefined {
  if (!text.startsWith(MAGIC)) return undefined
  const base64 = text.slice(MAGIC.length)
  const bytes = decodeBase64(base64)
  // Other texts for the same bytes are not what was written.
  if (bytes === undefined || encodeBase64(bytes) !== base64) return undefined
  const header = decodeHeader(bytes)
  if (header === undefined || bytes.byteLength < HEADER_BYTES + TAG_BYTES) return undefined
  return { header, sealed: bytes.subarray(HEADER_BYTES) }
}
