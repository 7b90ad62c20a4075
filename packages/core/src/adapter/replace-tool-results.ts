/** A message of the AI SDK, as far as it is read. */
export interface ModelMessageLike {
  readonly role: string
  readonly content: unknown
}

/** A result in a message of a tool. */
export interface ToolResultPart {
  readonly toolName: string
  readonly toolCallId: string
  readonly output: unknown
}

type Part = { readonly type?: unknown; readonly input?: unknown } & ToolResultPart

/**
 * Replace outputs of tool results in the messages of a conversation, in the form of the AI SDK.
 *
 * Messages and parts that stay come back as the very objects. Results that providers made, which stand in messages of the
 * model, stay. Rejects as `replace` does.
 *
 * @param replace - Called for each result with the input of the last call before it that has its id, `undefined` where there
 *   is none; returns the output that takes its place, or the same object. Outputs are replaced at the same time.
 *
 * @example
 * ```ts
 * import { replaceToolResults } from '@spillway/core/adapter'
 *
 * const call = { toolCallId: 'call_1', toolName: 'read' }
 * const messages = [
 *   { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: 'app.log' } }] },
 *   { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'a long text' } }] },
 * ]
 * const replaced = await replaceToolResults(messages, (_result, input) => ({ type: 'json', value: input }))
 * console.assert(JSON.stringify(replaced[1]).includes('app.log') && replaced[0] === messages[0])
 * ```
 */
export async function replaceToolResults<Message extends ModelMessageLike>(
  messages: readonly Message[],
  replace: (result: ToolResultPart, input: unknown) => unknown,
): Promise<Message[]> {
  const inputs = new Map<string, unknown>()
  const replaced = [...messages]
  const replacing: Promise<void>[] = []
  for (const [index, message] of messages.entries()) {
    const { role, content } = message
    if (!Array.isArray(content)) continue
    const parts = content as readonly Part[]
    if (role === 'assistant')
      for (const { type, toolCallId, input } of parts) if (type === 'tool-call') inputs.set(toolCallId, input)
    if (role !== 'tool') continue
    const outputs = parts.map((part) =>
      part.type === 'tool-result' ? replace(part, inputs.get(part.toolCallId)) : part.output,
    )
    // A long history is mostly of results that stay: nothing more is allocated for them.
    if (outputs.some((output, at) => output !== parts[at]?.output))
      replacing.push(
        Promise.all(outputs).then((settled) => {
          const isKept = settled.every((output, at) => output === parts[at]?.output)
          if (!isKept) replaced[index] = { ...message, content: parts.map((part, at) => withOutput(part, settled[at])) }
        }),
      )
  }
  await Promise.all(replacing)
  return replaced
}

function withOutput(part: Part, output: unknown): Part {
  return output === part.output ? part : { ...part, output }
}
