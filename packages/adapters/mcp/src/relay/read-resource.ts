import { StorageError, type ContextOffloader, type RetrievalCall } from '@spillway/core'
import { decodeText, encodeBase64, isTextContentType, orMiss } from '@spillway/core/adapter'
import { ERROR_CODE, errorOf, resultOf, type Fields, type Message, type Request } from './message.ts'

/** Hosts read whole resources into the context, or refuse large messages. */
const MAX_RESOURCE_BYTES = 4_194_304

const SCHEME = 'spillway:'
const PREFIX = `${SCHEME}///`

/** The URI template of stored content (RFC 6570). */
export const RESOURCE_TEMPLATE: string = `${PREFIX}{reference}{?pattern,lines}`

export const resourceTemplate: Fields = {
  uriTemplate: RESOURCE_TEMPLATE,
  name: 'offloaded-content',
  title: 'Offloaded tool result',
  description:
    'What a tool returned, by the reference in its result. pattern: a regular expression or keyword; lines: such as 10-20.',
}

export async function readResource(
  offloader: ContextOffloader,
  request: Request,
  { reference, call }: ResourceRequest,
  signal: AbortSignal,
): Promise<Message> {
  const uri = String(request.params?.['uri'])
  if (call !== undefined) {
    const answer = await offloader.retrievalTool.execute(call, { signal })
    if (answer.isError) return errorOf(request.id, ERROR_CODE.invalidParams, answer.message)
    const texts = answer.content.map((block) => (block.type === 'text' ? block.text : ''))
    return resultOf(request, { contents: [{ uri, mimeType: 'text/plain', text: texts.join('\n') }] })
  }
  const { storage } = offloader.options
  try {
    const size = (await storage.stat?.(reference))?.size ?? 0
    if (size > MAX_RESOURCE_BYTES) return errorOf(request.id, ERROR_CODE.invalidParams, tooLarge(size))
    const { content, contentType } = await orMiss(reference, () => storage.retrieve(reference))
    if (content.byteLength > MAX_RESOURCE_BYTES)
      return errorOf(request.id, ERROR_CODE.invalidParams, tooLarge(content.byteLength))
    const text = isTextContentType(contentType) ? decodeText(content) : undefined
    const contents = text === undefined ? { blob: encodeBase64(content) } : { text }
    return resultOf(request, { contents: [{ uri, mimeType: contentType, ...contents }] })
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    return errorOf(request.id, ERROR_CODE.invalidParams, error.message)
  }
}

const tooLarge = (size: number): string =>
  `This content has ${size} bytes, more than the ${MAX_RESOURCE_BYTES} that one answer may have. ` +
  'Read a part of it: ?lines=1-500, or ?pattern=keyword.'

export const referenceUri = (reference: string): string => `${PREFIX}${encodeURIComponent(reference)}`

interface ResourceRequest {
  readonly reference: string
  /** Absent for the whole content. */
  readonly call: RetrievalCall | undefined
}

/** Returns `undefined` for any other URI. */
export function parseResourceUri(uri: unknown): ResourceRequest | undefined {
  if (typeof uri !== 'string' || !uri.startsWith(PREFIX)) return undefined
  const [path = '', query] = uri.slice(PREFIX.length).split('?', 2)
  const reference = decode(path)
  if (reference === undefined) return undefined
  const parameters = new URLSearchParams(query ?? '')
  const pattern = parameters.get('pattern') ?? undefined
  const lines = /^(\d+)[-:](\d+)$/.exec(parameters.get('lines') ?? '')
  if (pattern === undefined && lines === null) return { reference, call: undefined }
  const line_range = lines === null ? undefined : { start: Number(lines[1]), end: Number(lines[2]) }
  return { reference, call: { reference, pattern, line_range } }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return undefined
  }
}
