import { fieldsOf, listOf, type Fields } from './fields.ts'

const OUTPUTS = ['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied']

/** Return the problems for which the AI SDK rejects model messages: invalid fields, and calls without results. */
export function validateAiSdk(messages: readonly unknown[]): string[] {
  const problems: string[] = []
  let open = new Set<unknown>()
  const close = (index: number): void => {
    // Rule of `MissingToolResultsError` in `convertToLanguageModelPrompt`.
    for (const id of open) problems.push(`${index}: call ${String(id)} has no result`)
    open = new Set()
  }
  const called = new Set<unknown>()
  for (const [index, value] of messages.entries()) {
    const { role, content } = fieldsOf(value)
    problems.push(...contentProblems(role, content).map((problem) => `${index}: ${problem}`))
    if (role === 'user' || role === 'system') close(index)
    for (const { type, toolCallId, providerExecuted } of listOf(content)) {
      if (type === 'tool-call' && providerExecuted !== true) open.add(toolCallId)
      if (type === 'tool-call') called.add(toolCallId)
      if (type !== 'tool-result' || role !== 'tool') continue
      // Providers reject a result without its call.
      if (!called.has(toolCallId)) problems.push(`${index}: result of no call ${String(toolCallId)}`)
      open.delete(toolCallId)
    }
  }
  close(messages.length)
  return problems
}

/** Rules of `modelMessageSchema`. */
function contentProblems(role: unknown, content: unknown): string[] {
  if (role === 'system') return typeof content === 'string' ? [] : ['a system message that is no text']
  if (role === 'tool') return Array.isArray(content) ? listOf(content).flatMap(partProblems) : ['a tool message']
  if (role !== 'user' && role !== 'assistant') return [`role ${String(role)}`]
  if (typeof content === 'string') return []
  return Array.isArray(content) ? listOf(content).flatMap(partProblems) : ['content']
}

function partProblems({ type, text, toolCallId, toolName, output }: Fields): string[] {
  if (type === 'text' || type === 'reasoning') return typeof text === 'string' ? [] : ['a text']
  if (type !== 'tool-call' && type !== 'tool-result') return []
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return ['a call or result without id or name']
  if (type === 'tool-call') return []
  const { type: kind, value } = fieldsOf(output)
  if (!OUTPUTS.includes(String(kind))) return [`an output ${String(kind)}`]
  if (String(kind).endsWith('text') && typeof value !== 'string') return ['a text of an output']
  return kind === 'content' && !Array.isArray(value) ? ['the content of an output'] : []
}
