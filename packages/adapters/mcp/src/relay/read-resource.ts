import type { ContextOffloader } from '@spillway/core'
import { decodeText, encodeBase64, isTextContentType, orMiss, writeMcpPart } from '@spillway/core/adapter'
import { StorageError } from '@spillway/core'
import { ERROR_CODE, errorOf, resultOf, type Fields, type Message, type Request } from './message.ts'
import { RESOURCE_TEMPLATE, type ResourceRequest } from './resource-uri.ts'

/** More bytes are not returned at once: hosts read whole resources into the context or refuse large messages. */
const MAX_RESOURCE_BYTES = 4_194_304

/** The resources behind links, as `resources/templates/list` shows them. */
export const resourceTemplate: Fields = {
  uriTemplate: RESOURCE_TEMPLATE,
  name: 'offloaded-content',
  title: 'Offloaded tool result',
  description:
    'What a tool returned, by the reference in its result. pattern: a regular expression or keyword; lines: such as 10-20.',
}

/** Answer `resources/read` of stored content. */
export async function readResource(
  offloader: ContextOffloader,
  request: Request,
  { reference, call }: ResourceRequest,
  signal: AbortSignal,
): Promise<Message> {
  const uri = String(request.params?.['uri'])
  if (call !== undefined) {
    const { content, isError } = await offloader.retrievalTool.execute(call, { signal })
    const [part] = content.map(writeMcpPart)
    const text = part?.type === 'text' ? part.text : ''
    if (isError) return errorOf(request.id, ERROR_CODE.invalidParams, text)
    return resultOf(request, { contents: [{ uri, mimeType: 'text/plain', text }] })
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
