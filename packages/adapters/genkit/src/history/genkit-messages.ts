import type { HistoryContent, HistoryFormat, HistoryMessage, HistoryPart, HistoryToolResult } from '@spillway/history'
import {
  asRead,
  checkMessages,
  checkRole,
  createNamedCalls,
  fieldError,
  isAsRead,
  isFields,
  jsonText,
  mediaFields,
  nativeIn,
  nativeOf,
  responseTextField,
  urlOf,
  withFields,
  writeBlock,
  writeContent,
  writeMessages,
  type ContentRules,
  type Fields,
  type NamedCalls,
} from '@spillway/history/format'
import type { MessageData } from 'genkit'

/**
 * Read and write messages of Genkit. Unchanged messages and parts stay the same objects.
 *
 * A response is paired with its request by its `ref`. Without a `ref`, the response is paired by name and order.
 * Reading throws a `TypeError` that names the message and field of an invalid message.
 */
export function genkitMessages(): HistoryFormat<MessageData[]> {
  return {
    name: GENKIT_MESSAGES,
    read: readGenkitMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: GENKIT_MESSAGES,
        patch: patchMessage,
        makeSystem: (text) => ({ role: 'system', content: [{ text }] }),
      }) as unknown as MessageData[],
  }
}

const GENKIT_MESSAGES = 'genkit-messages'

const nativeOfPart = nativeIn(GENKIT_MESSAGES)

const ROLES = { system: 'system', user: 'user', model: 'assistant', tool: 'tool' } as const
const DATA_URL = /^data:[^,]{1,200};base64,/i

function readGenkitMessages(conversation: unknown): HistoryMessage[] {
  const messages = checkMessages(conversation)
  const calls = createNamedCalls(() => messages.flatMap(refsOf))
  return messages.map((message, index) => {
    if (!isFields(message)) throw fieldError(`messages[${index}]`, 'an object', message)
    const { role: own, content } = message
    const role = checkRole(ROLES, own, `messages[${index}]`, 'system, user, model or tool')
    if (!Array.isArray(content)) throw fieldError(`messages[${index}].content`, 'an array', content)
    const parts = Array.from(content as readonly unknown[], (part, at) =>
      asRead<HistoryPart>({ ...readPart(part, [index, at], calls), native: nativeOfPart(part) }),
    )
    return asRead({ role, parts, native: nativeOfPart(message) })
  })
}

function readPart(part: unknown, place: readonly [number, number], calls: NamedCalls): HistoryPart {
  if (!isFields(part)) return { type: 'opaque', value: part }
  const { toolRequest, toolResponse, reasoning } = part
  if (isFields(toolRequest) && typeof toolRequest['name'] === 'string') {
    const { name, ref, input } = toolRequest
    return { type: 'tool-call', id: calls.ofCall({ id: ref }, name, place), name, input, inputIsText: false }
  }
  if (isFields(toolResponse)) return readResponse(toolResponse, place, calls)
  return typeof reasoning === 'string' ? { type: 'reasoning', text: reasoning } : readPiece(part)
}

function readResponse(response: Fields, place: readonly [number, number], calls: NamedCalls): HistoryPart {
  const { name, ref, output, content } = response
  const callId = calls.ofResponse({ id: ref, name }, place)
  const pieces: HistoryContent[] = output === undefined ? [] : [readOutput(output)]
  if (Array.isArray(content))
    for (const part of content as readonly unknown[])
      pieces.push(asRead({ ...readPiece(part), native: nativeOfPart({ part }) }))
  const toolName = typeof name === 'string' ? name : calls.nameOf(callId)
  return { type: 'tool-result', callId, toolName, content: pieces, ...(isError(output) ? { isError: true } : {}) }
}

/** Genkit cannot mark errors. Its MCP plugin writes them in this form. */
const isError = (output: unknown): boolean =>
  isFields(output) && typeof output['error'] === 'string' && Object.keys(output).length === 1

function readOutput(output: unknown): HistoryContent {
  const native = nativeOfPart({ output })
  if (typeof output === 'string')
    return asRead(
      DATA_URL.test(output)
        ? { ...mediaFields('application/octet-stream', { url: output }), native }
        : { type: 'text', text: output, native },
    )
  const field = isFields(output) ? responseTextField(output) : undefined
  const text = field === undefined ? undefined : (output as Fields)[field]
  return asRead(typeof text === 'string' ? { type: 'text', text, native } : { type: 'json', value: output, native })
}

function readPiece(part: unknown): Exclude<HistoryContent, { type: 'json' }> {
  const { text, media } = Object(part ?? {}) as Fields
  if (typeof text === 'string') return { type: 'text', text }
  const { url, contentType } = Object(media ?? {}) as Fields
  if (typeof url !== 'string') return { type: 'opaque', value: part }
  return mediaFields(typeof contentType === 'string' ? contentType : 'application/octet-stream', { url })
}

function refsOf(message: unknown): readonly unknown[] {
  const { content } = Object(message ?? {}) as Fields
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts.flatMap((part) => {
    const { toolRequest, toolResponse } = Object(part ?? {}) as Fields
    return [toolRequest, toolResponse].map((one) => (Object(one ?? {}) as Fields)['ref'])
  })
}

const patchMessage = (native: Fields, { parts }: HistoryMessage, index: number): Fields =>
  withFields(native, { content: writeContent(native['content'], parts, '\n\n', `messages[${index}]`, CONTENT) })

const CONTENT: ContentRules = {
  format: GENKIT_MESSAGES,
  place: ['a message of Genkit', ''],
  toPart: (text) => ({ text }),
  marks: [],
  withText: (part, text) => withFields(part, { text }),
  writeMedia: (media) => {
    const url = urlOf(media)
    return url === undefined ? undefined : { media: { url, contentType: media.mediaType } }
  },
  patchTool: (native, part, place) => {
    const { toolRequest, toolResponse } = native
    if (part.type === 'tool-call' && isFields(toolRequest))
      return withFields(native, { toolRequest: withFields(toolRequest, { input: part.input }) })
    if (part.type !== 'tool-result' || !isFields(toolResponse)) return native
    return withFields(native, { toolResponse: patchResponse(toolResponse, part, place) })
  },
}

/** The output of a response and its other parts are in different fields. */
function patchResponse(native: Fields, part: HistoryToolResult, place: string): Fields {
  const outputs: HistoryContent[] = []
  const parts: unknown[] = []
  for (const piece of part.content) {
    const own = nativeOf(GENKIT_MESSAGES, piece)
    if (own !== undefined && Object.hasOwn(own, 'part')) parts.push(own['part'])
    else if (own !== undefined || piece.type === 'text' || piece.type === 'json') outputs.push(piece)
    else parts.push(writeBlock(piece, place, CONTENT))
  }
  const before: readonly unknown[] = Array.isArray(native['content']) ? native['content'] : []
  const isSame = parts.length === before.length && parts.every((one, at) => one === before[at])
  const output = patchOutput(native['output'], outputs, part.isError === true, place)
  return withFields(native, { output, ...(isSame ? {} : { content: parts.length === 0 ? undefined : parts }) })
}

function patchOutput(original: unknown, pieces: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = pieces
  if (only === undefined) return undefined
  const own = pieces.length === 1 ? nativeOf(GENKIT_MESSAGES, only) : undefined
  if (own !== undefined && (isAsRead(only) || only.type !== 'text'))
    return only.type === 'json' ? only.value : own['output']
  const output = own === undefined ? original : own['output']
  const field = isFields(output) ? responseTextField(output) : undefined
  if (pieces.length === 1 && only.type === 'text' && field !== undefined)
    return withFields(output as Fields, { [field]: only.text })
  return writeOutput(pieces, isError, place)
}

function writeOutput(pieces: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = pieces
  const texts = pieces.map((piece) => (piece.type === 'text' ? piece.text : jsonText(valueOf(piece), place)))
  const output = pieces.length === 1 && only?.type === 'json' ? only.value : texts.join('\n')
  return isError ? { error: typeof output === 'string' ? output : jsonText(output, place) } : output
}

const valueOf = (piece: HistoryContent): unknown => ('value' in piece ? piece.value : piece)
