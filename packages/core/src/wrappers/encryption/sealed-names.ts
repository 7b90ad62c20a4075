import { BoundedMap, decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { TAG_BYTES } from '@spillway/text/internal/engines'
import { corruptError, entryId, idPrefix, splitId, type EntryId } from '../../storage/storage-driver.ts'
import { hexadecimal, type KeyRing } from './key-ring.ts'
import {
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  segmentNonce,
  type SealedHeader,
  type SealedPurpose,
} from './sealed-segments.ts'

/** 160 bits of an HMAC: 40 hexadecimal digits. */
const NAME_BYTES = 20
const MAX_KNOWN = 20_000
/**
 * What names begin with that stand for themselves: those of entries whose own name is sealed and cannot be opened. No scope
 * and no reference of core's begins so.
 */
const AS_IT_IS = '__'

/** With nothing behind it, it is a name like others. */
const isAsItIs = (name: string): boolean => name.startsWith(AS_IT_IS) && name !== AS_IT_IS

/** An entry of the backend, and who was asked for: that is what errors are about. */
export interface SealedEntry {
  readonly inner: EntryId
  readonly asked: EntryId
}

/** What ids start with, and what their names in the backend do. */
interface NamePrefix {
  readonly prefix: string
  readonly innerPrefix: string
}

/**
 * Names in a backend: each segment of an id becomes a code of itself and of all segments before it, so that equal names in
 * different scopes are different there, and the entries of a scope still begin with the name of that.
 */
export class SealedNames {
  readonly #keys: KeyRing
  readonly #scopes = new BoundedMap<string, Promise<string>>(MAX_KNOWN)
  /** What this process has asked for by name: all that core can remember something of. */
  readonly #outerIds = new BoundedMap<EntryId, EntryId>(MAX_KNOWN)
  readonly #outerPaths = new BoundedMap<string, string>(MAX_KNOWN)

  constructor(keys: KeyRing) {
    this.#keys = keys
  }

  /** Return the id of an entry in the backend. */
  async innerId(id: EntryId): Promise<EntryId> {
    const { path, reference } = splitId(id)
    const scope = await this.#scope(path)
    const inner = entryId(scope, await this.#name('entry', scope, reference))
    this.learn(inner, id)
    return inner
  }

  /** Return what the ids of a scope start with in the backend. */
  async innerPrefix(prefix: string): Promise<string> {
    return idPrefix(await this.#scope(prefix.replace(/\/$/, '')))
  }

  /** Note what an entry of the backend is called. */
  learn(inner: EntryId, id: EntryId): void {
    this.#outerIds.set(inner, id)
  }

  /** Return the id of an entry of the backend below a prefix: its own where that is known, else one that leads to it. */
  outerId(inner: EntryId, below: NamePrefix): EntryId {
    return this.#outerIds.get(inner) ?? this.standIn(inner, below)
  }

  /** Return an id that leads to an entry of the backend whose own id is not known. */
  standIn(inner: EntryId, { prefix, innerPrefix }: NamePrefix): EntryId {
    const { path, reference } = splitId(inner)
    const known = this.#outerPaths.get(path)
    if (known !== undefined) return entryId(known, AS_IT_IS + reference)
    const names = inner.slice(innerPrefix.length).split('/')
    return prefix + names.map((name) => AS_IT_IS + name).join('/')
  }

  /** Whether an id is one of {@link SealedNames.standIn}. */
  isStandIn(id: EntryId): boolean {
    return isAsItIs(splitId(id).reference)
  }

  #scope(path: string): Promise<string> {
    if (path === '') return Promise.resolve('')
    const known = this.#scopes.get(path)
    if (known !== undefined) return known
    const scope = this.#deriveScope(path)
    this.#scopes.set(path, scope)
    return scope
  }

  async #deriveScope(path: string): Promise<string> {
    try {
      const { path: parentPath, reference: segment } = splitId(path)
      const parent = await this.#scope(parentPath)
      const scope = entryId(parent, await this.#name('scope', parent, segment))
      this.#outerPaths.set(scope, path)
      return scope
    } catch (error) {
      this.#scopes.delete(path)
      throw error
    }
  }

  async #name(kind: 'scope' | 'entry', parent: string, name: string): Promise<string> {
    if (isAsItIs(name)) return name.slice(AS_IT_IS.length)
    const code = await this.#keys.nameCode(`${kind} ${parent}/${name}`)
    return hexadecimal(code.subarray(0, NAME_BYTES))
  }
}

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
