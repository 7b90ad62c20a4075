import type { ContextOffloader } from '@spillway/core'
import { offloadAsRecord, readMcpPart, type RecordRequest } from '@spillway/core/adapter'

interface McpPart {
  readonly type: string
  readonly text?: string
}

/** Offload a tool result. Returns the text that replaces the result; `undefined` if it stays unchanged. */
export async function offloadOutput(session: ContextOffloader, request: RecordRequest): Promise<string | undefined> {
  const record = await offloadAsRecord(session, { ...request, value: withMediaAsText(request.value) })
  if (record === undefined) return undefined
  const fields = Object.entries(record).map(([name, value]) => ({ name, text: textOf(value) }))
  return fields.length === 1 ? fields[0]?.text : fields.map(({ name, text }) => `${name}: ${text}`).join('\n')
}

/** Convert media of an MCP server to Base64 text: LlamaIndex shows a model this text, so its tokens count. */
function withMediaAsText(value: unknown): unknown {
  const { content } = Object(value) as { readonly content?: unknown }
  if (!Array.isArray(content)) return value
  const types = content.map((part) => readMcpPart(part).type)
  if (types.includes('unknown')) return value
  const texts = content.map((part: McpPart, index) =>
    types[index] === 'text' ? part : { type: 'text', text: JSON.stringify(part) },
  )
  return { ...(value as object), content: texts }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.map((part: McpPart) => part.text ?? JSON.stringify(part)).join('\n')
}
