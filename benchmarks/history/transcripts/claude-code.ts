import { ChatBuilder, type ReadChat } from './chat-builder.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly content?: string | readonly (string | Block)[]
  readonly source?: { readonly media_type?: string; readonly data?: string }
}

interface Row {
  readonly type?: string
  readonly message?: { readonly id?: string; readonly content: string | readonly Block[] }
}

/**
 * Read a session file of Claude Code. Separate rows of one message of the model become one message. Thinking becomes
 * text of its message, because it is in the context of later calls.
 */
export function readClaudeCode(file: string): ReadChat {
  const builder = new ChatBuilder()
  for (const line of file.split('\n')) {
    if (line.trim() === '') continue
    const { type, message } = JSON.parse(line) as Row
    if ((type !== 'user' && type !== 'assistant') || typeof message !== 'object') continue
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of blocks) addBlock(builder, type, block, message.id)
  }
  return builder.build()
}

function addBlock(builder: ChatBuilder, role: 'user' | 'assistant', block: Block, turnId: string | undefined): void {
  if (block.type === 'tool_use')
    builder.call({ id: block.id ?? '', name: block.name ?? '', input: block.input ?? {} }, turnId)
  else if (block.type === 'tool_result') addResult(builder, block)
  else if (block.type !== 'text' && block.type !== 'thinking') throw new Error(`A block of the type ${block.type}.`)
  else if (role === 'user') builder.say('user', block.text ?? '')
  else builder.write(block.text ?? block.thinking ?? '', turnId)
}

function addResult(builder: ChatBuilder, { tool_use_id: id, content = '' }: Block): void {
  const parts = typeof content === 'string' ? [content] : content
  const texts = parts.map((part) => (typeof part === 'string' ? part : part.text))
  const isText = texts.every((text) => text !== undefined)
  const written = parts.map((part, index) => texts[index] ?? describe(part as Block)).join('\n')
  builder.result(id ?? '', written, isText ? written : null)
}

/** Describe an image by a line of text, because chat results contain only text. */
const describe = ({ type, source }: Block): string =>
  `[${type}: ${source?.media_type ?? 'unknown'}, ${source?.data?.length ?? 0} characters of base64]`
