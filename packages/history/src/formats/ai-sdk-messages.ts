import type { HistoryFormat } from '../history-format.ts'
import {
  asRead,
  type HistoryContent,
  type HistoryMessage,
  type HistoryPart,
  type HistoryRole,
  type HistoryToolCall,
  type HistoryToolResult,
} from '../history-message.ts'
import {
  checkObjects,
  checkRole,
  checkString,
  isFields,
  withFields,
  writeMessages,
  type Fields,
} from './check-fields.ts'
import { readAs, readContent, resultText, writeBlock, writeContent, type ContentRules } from './content-list.ts'
import { base64Of, mediaFields, type MediaSource } from './media-source.ts'

/**
 * Create the format for model messages of the AI SDK, versions 6 and 7.
 *
 * Provider-executed tools, approvals, denials and unknown parts do not change.
 *
 * Reading an invalid message throws a `TypeError` that names the message and the field.
 *
 * @example
 * ```ts
 * import { aiSdkMessages } from '@spillway/history'
 *
 * const format = aiSdkMessages<{ role: string; content: string }>()
 * const messages = [{ role: 'user', content: 'Why did the build fail?' }]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function aiSdkMessages<Message extends object>(): HistoryFormat<Message[]> {
  return {
    name: AI_SDK_MESSAGES,
    read: readAiSdkMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: AI_SDK_MESSAGES,
        patch: patchAiSdkMessage,
        makeSystem: (text) => ({ role: 'system', content: text }),
      }) as Message[],
  }
}

const AI_SDK_MESSAGES = 'ai-sdk-messages'

const ROLES = { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' } as const
const URL_SCHEME = /^(?:https?|data|gs|s3|file):/i

function readAiSdkMessages(conversation: unknown): HistoryMessage[] {
  const executed = new Set<string>()
  return checkObjects(conversation).map((message, index) => {
    const role = checkRole(ROLES, message['role'], `messages[${index}]`, 'a role of the SDK')
    const place = `messages[${index}].content`
    const parts = readContent<HistoryPart>(AI_SDK_MESSAGES, message['content'], place, (part, at) =>
      readPart(part, role, `${place}[${at}]`, executed),
    )
    return asRead({ role, parts, native: { format: AI_SDK_MESSAGES, value: message } })
  })
}

function readPart(part: Fields, role: HistoryRole, place: string, executed: Set<string>): HistoryPart | undefined {
  switch (part['type']) {
    case 'reasoning':
      return typeof part['text'] === 'string' ? { type: 'reasoning', text: part['text'] } : undefined
    case 'tool-call':
      return readCall(part, place, executed)
    case 'tool-result':
      return role === 'tool' ? readResult(part, place, executed) : undefined
    default:
      return readAiSdkPiece(part) as HistoryPart | undefined
  }
}

function readCall(part: Fields, place: string, executed: Set<string>): HistoryToolCall | undefined {
  const id = checkString(part['toolCallId'], `${place}.toolCallId`)
  const name = checkString(part['toolName'], `${place}.toolName`)
  if (part['providerExecuted'] === true) {
    executed.add(id)
    return undefined
  }
  executed.delete(id)
  return { type: 'tool-call', id, name, input: part['input'], inputIsText: false }
}

function readResult(part: Fields, place: string, executed: ReadonlySet<string>): HistoryPart | undefined {
  const callId = checkString(part['toolCallId'], `${place}.toolCallId`)
  const toolName = checkString(part['toolName'], `${place}.toolName`)
  const { output } = part
  if (executed.has(callId) || !isFields(output)) return undefined
  const { type } = output
  const isError = type === 'error-text' || type === 'error-json'
  return { type: 'tool-result', callId, toolName, content: readOutput(output), ...(isError ? { isError } : {}) }
}

/** The native value of text or JSON is the whole output, because the output may have other fields. */
function readOutput(output: Fields): HistoryContent[] {
  const { type, value } = output
  if (type === 'content' && Array.isArray(value)) return readContent(AI_SDK_MESSAGES, value, '', readAiSdkPiece)
  const isText = (type === 'text' || type === 'error-text') && typeof value === 'string'
  if (isText) return [readAs(AI_SDK_MESSAGES, output, { type: 'text', text: value })]
  return [
    readAs(AI_SDK_MESSAGES, output, type === 'json' || type === 'error-json' ? { type: 'json', value } : undefined),
  ]
}

function aiSdkText({ type, text, data }: Fields): string | undefined {
  if (type === 'text') return typeof text === 'string' ? text : undefined
  if (type !== 'file' || !isFields(data) || data['type'] !== 'text') return undefined
  return typeof data['text'] === 'string' ? data['text'] : undefined
}

function readAiSdkPiece(part: Fields): HistoryContent | undefined {
  const text = aiSdkText(part)
  if (text !== undefined) return { type: 'text', text }
  const { type, mediaType, filename } = part
  const name = typeof filename === 'string' ? filename : undefined
  const isImage = type === 'image' || type === 'image-data' || type === 'image-url'
  const kind = typeof mediaType === 'string' ? mediaType : isImage ? 'image/*' : 'application/octet-stream'
  const source = readSource(SOURCE_FIELDS.get(type), part)
  return source && mediaFields(kind, source, name)
}

const SOURCE_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image'],
  ['file', 'data'],
  ['reasoning-file', 'data'],
  ['media', 'data'],
  ['image-data', 'data'],
  ['file-data', 'data'],
  ['image-url', 'url'],
  ['file-url', 'url'],
])

function readSource(field: string | undefined, part: Fields): MediaSource | undefined {
  const content = field === undefined ? undefined : part[field]
  if (!isFields(content) || content instanceof URL) return readData(content)
  if (content['type'] === 'data') return readData(content['data'])
  if (content['type'] === 'url') return readData(content['url'])
  return readData(content)
}

function readData(data: unknown): MediaSource | undefined {
  if (data instanceof Uint8Array) return { data }
  if (data instanceof ArrayBuffer) return { data: new Uint8Array(data) }
  if (data instanceof URL) return { url: data.href }
  if (typeof data !== 'string') return undefined
  return URL_SCHEME.test(data.slice(0, 16)) ? { url: data } : { base64: data }
}

function patchAiSdkMessage(native: Fields, { role, parts }: HistoryMessage, index: number): Fields {
  // In every version of the SDK, the system prompt is text.
  const content = role === 'system' ? String(native['content']) : native['content']
  return withFields(native, { content: writeContent(content, parts, '\n\n', `messages[${index}]`, CONTENT) })
}

const CONTENT: ContentRules = {
  format: AI_SDK_MESSAGES,
  place: ['a message of the AI SDK', ''],
  toPart: (text) => ({ type: 'text', text }),
  marks: ['providerOptions'],
  blockOf: (native) => (isOutput(native) ? undefined : native),
  withText: (part, text) => {
    if (aiSdkText(part) === text) return part
    return isFields(part['data']) ? { ...part, data: { ...part['data'], text } } : { ...part, text }
  },
  writeMedia: ({ type, mediaType, data: bytes, base64, url, name }) => {
    const data = bytes ?? base64Of({ base64, url }) ?? url
    if (data === undefined) return undefined
    if (type === 'image') return { type: 'image', image: data, ...(mediaType.endsWith('/*') ? {} : { mediaType }) }
    return { type: 'file', data, mediaType, ...(name === undefined ? {} : { filename: name }) }
  },
  patchTool: (native, part, place) => {
    if (part.type === 'tool-call') return withFields(native, { input: part.input })
    const { output } = native
    return isFields(output) ? withFields(native, { output: patchOutput(output, part, place) }) : native
  },
}

/** Rules for tool outputs, which name types of media differently than messages do. */
const OUTPUT_CONTENT: ContentRules = {
  ...CONTENT,
  writeMedia: (media) => {
    const { type, mediaType, url, name } = media
    const data = base64Of(media)
    const kind = type === 'image' ? 'image' : 'file'
    if (data === undefined) return url === undefined ? undefined : { type: `${kind}-url`, url }
    const filename = name === undefined || kind === 'image' ? {} : { filename: name }
    return { type: `${kind}-data`, data, mediaType, ...filename }
  },
}

/** Whether a value is a whole output, not one part of an output. */
const isOutput = (native: unknown): native is Fields =>
  isFields(native) && (Object.hasOwn(native, 'value') || native['type'] === 'execution-denied')

function patchOutput(output: Fields, { content, isError }: HistoryToolResult, place: string): Fields {
  const [only] = content
  const own = only?.native?.format === AI_SDK_MESSAGES ? only.native.value : undefined
  if (only !== undefined && content.length === 1 && isOutput(own)) {
    if (only.type === 'text') return withFields(own, { value: only.text })
    return only.type === 'json' ? withFields(own, { value: only.value }) : own
  }
  if (output['type'] === 'content' || content.some(({ native }) => native?.format === AI_SDK_MESSAGES)) {
    const original = Array.isArray(output['value']) ? output['value'] : []
    const value = writeContent(original, content, '\n', place, OUTPUT_CONTENT)
    return withFields(output, { type: 'content', value })
  }
  return withFields(output, { reason: undefined, ...writeOutput(content, isError === true, place) })
}

function writeOutput(content: readonly HistoryContent[], isError: boolean, place: string): Fields {
  const [only] = content
  if (content.length === 1 && only?.type === 'json') return { type: isError ? 'error-json' : 'json', value: only.value }
  const text = resultText(content, place)
  if (text !== undefined) return { type: isError ? 'error-text' : 'text', value: text }
  return { type: 'content', value: content.map((block) => writeBlock(block, place, OUTPUT_CONTENT)) }
}
