import {
  decodeText,
  encodeBase64,
  isTextContentType,
  mayBeText,
  textEncodingOf,
  parseJsonText,
} from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { openContentSource, type ContentSource } from '../content/content-source.ts'
import { isReference } from '../storage/reference.ts'
import { StorageError } from '../storage/storage-error.ts'
import {
  findReferences,
  ReferenceArgumentError,
  type ArgumentForm,
  type FoundReference,
  type ReferenceArguments,
  type ReferenceCall,
  type ResolvedCall,
  type ResolvedReference,
} from './reference-arguments.ts'

const MAX_REFERENCES = 100
const MAX_ARGUMENT_BYTES = 5 * 1_048_576
const MAX_CALL_BYTES = 20 * 1_048_576
const SCHEME = 'spill:'

/** Replaces all references in the arguments of a call by their content. Rejects if one of them cannot be replaced. */
export async function resolveReferences<Input>(
  call: ReferenceCall<Input>,
  settings: ReferenceArguments | undefined,
  storage: AdoptedStorage,
): Promise<ResolvedCall<Input>> {
  const found = findReferences(settings, call)
  const [first] = found
  if (first === undefined) return { resolved: call.input, references: [] }
  const refuse = (at: FoundReference, problem: string, cause?: unknown): ReferenceArgumentError =>
    new ReferenceArgumentError(call.toolName, at.path.join('/'), problem, { cause })
  if (found.length > MAX_REFERENCES) throw refuse(first, `a call may have at most ${MAX_REFERENCES} references.`)
  const references: ResolvedReference[] = []
  let resolved: unknown = call.input
  let left = MAX_CALL_BYTES
  for (const at of found) {
    try {
      const { value, reference } = await readArgument(at, Math.min(left, MAX_ARGUMENT_BYTES), call, storage)
      left -= reference.size
      references.push(reference)
      resolved = replaceAt(resolved, at.path, value)
    } catch (error) {
      throw refuse(at, problemOf(error), error)
    }
  }
  const whole = { resolved: resolved as Input, references }
  const forbidden = 'the application does not allow this content here. Do not try it again.'
  const { allow = () => true } = settings ?? {}
  let isAllowed: unknown
  try {
    isAllowed = await allow({ ...call, ...whole })
  } catch (error) {
    // If the function `allow` throws, no content is allowed.
    throw refuse(first, forbidden, error)
  }
  if (isAllowed !== true) throw refuse(first, forbidden)
  return whole
}

/** An error that explains to the model why an argument cannot be used. */
class Unusable extends Error {}

function problemOf(error: unknown): string {
  if (error instanceof Unusable) return error.message
  const code = StorageError.isInstance(error) ? error.code : 'unavailable'
  // Messages of storages may contain hosts and paths, so the model gets other messages.
  return PROBLEMS[code] ?? 'the stored content cannot be read. Run the original tool again.'
}

const COPY = `Write ${SCHEME} and a reference, exactly as it is written under [Stored references:], and nothing else.`
const PROBLEMS: Readonly<Record<string, string>> = {
  'not-found': `nothing is stored under this reference. ${COPY}`,
  'invalid-reference': `this is not a reference. ${COPY}`,
  evicted: 'this content was removed from storage. Run the original tool again.',
  unavailable: 'the storage is not available at the moment. Try the same call again.',
  aborted: 'the call was aborted.',
}

async function readArgument(
  { path, form, text }: FoundReference,
  maxBytes: number,
  { signal }: ReferenceCall,
  storage: AdoptedStorage,
): Promise<{ readonly value: unknown; readonly reference: ResolvedReference }> {
  const reference = text.slice(SCHEME.length)
  if (!text.startsWith(SCHEME) || !isReference(reference)) throw new Unusable(PROBLEMS['invalid-reference'])
  const info = await storage.describe(reference, { signal })
  const source = await openContentSource(storage, reference, { signal })
  try {
    const { contentType, size, state = 'complete' } = source
    // Content that still grows would differ from the approved content.
    if (state !== 'complete') throw new Unusable('this content is not complete. Run the original tool again.')
    if (size > maxBytes)
      throw new Unusable(`the content has ${size} bytes, and ${maxBytes} are left. Hand over a smaller part as text.`)
    const value = await valueOf(source, form)
    return {
      value,
      reference: { path: path.join('/'), reference, form, contentType, size, source: info?.metadata['tool'] },
    }
  } finally {
    await source.close()
  }
}

async function valueOf(source: ContentSource, form: ArgumentForm): Promise<unknown> {
  const bytes = await source.whole()
  if (form === 'base64') return encodeBase64(bytes)
  const { contentType } = source
  const isText = mayBeText(contentType) && textEncodingOf(bytes, isTextContentType(contentType)) !== undefined
  const text = isText ? decodeText(bytes) : undefined
  if (text === undefined) throw new Unusable('the content is binary, and this argument takes text.')
  return form === 'text' ? text : parseValue(text)
}

function parseValue(text: string): unknown {
  const value = parseJsonText(text)
  if (typeof value === 'object' && value !== null) return value
  throw new Unusable('the content is not a JSON object or array, which this argument takes.')
}

/** Replaces a value in a copy, because the conversation must keep the reference. */
function replaceAt(value: unknown, [name, ...rest]: readonly string[], replacement: unknown): unknown {
  if (name === undefined) return replacement
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>
  // An assignment to __proto__ would change the prototype.
  const property = {
    value: replaceAt(copy[name], rest, replacement),
    writable: true,
    enumerable: true,
    configurable: true,
  }
  return Object.defineProperty(copy, name, property)
}
