import { duplicatesOf, fieldsOf, listOf, type Fields } from './fields.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

/** Return the problems for which the Chat Completions API rejects messages. */
export function validateChat(messages: readonly unknown[]): string[] {
  const problems: string[] = []
  /** Ids to which tool messages may respond now, and whether each id has a response. */
  let open = new Map<unknown, boolean>()
  const close = (index: number): void => {
    // "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    for (const [id, isAnswered] of open) if (!isAnswered) problems.push(`${index}: call ${String(id)} has no result`)
    open = new Map()
  }
  for (const [index, value] of messages.entries()) {
    const message = fieldsOf(value)
    const { role, tool_calls: calls, tool_call_id: answered } = message
    if (!ROLES.includes(String(role))) problems.push(`${index}: role ${String(role)}`)
    problems.push(...contentProblems(message).map((problem) => `${index}: ${problem}`))
    if (role === 'tool') {
      // "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
      if (open.get(answered) !== false) problems.push(`${index}: result of no open call ${String(answered)}`)
      open.set(answered, true)
      continue
    }
    close(index)
    if (role !== 'assistant' || calls == null) continue
    // "[] is too short - 'messages.1.tool_calls'"
    if (!Array.isArray(calls) || calls.length === 0) problems.push(`${index}: no calls in tool_calls`)
    problems.push(
      ...listOf(calls)
        .flatMap(callProblems)
        .map((problem) => `${index}: ${problem}`),
    )
    const ids = listOf(calls).map(({ id }) => id)
    if (duplicatesOf(ids).length > 0) problems.push(`${index}: an id twice in tool_calls`)
    for (const id of ids) open.set(id, false)
  }
  close(messages.length)
  return problems
}

function callProblems({ id, type, function: called, custom }: Fields): string[] {
  const { name, arguments: text, input = text } = fieldsOf(type === 'custom' ? custom : called)
  const isWhole = typeof id === 'string' && typeof name === 'string' && typeof input === 'string'
  if (!isWhole) return ['a call without id, name or arguments']
  // "string too long. Expected a string with maximum length 40"
  return id.length > 40 ? [`an id of ${id.length} characters`] : []
}

function contentProblems({ role, content, tool_calls: calls, function_call: call, refusal, audio }: Fields): string[] {
  if (typeof content === 'string') return []
  if (Array.isArray(content)) {
    // "[] is too short - 'messages.0.content'"
    if (content.length === 0) return ['empty content']
    const types = listOf(content).map(({ type }) => type)
    // "content?: string | Array<ChatCompletionContentPartText>" in system messages and tool messages.
    const isTextAlone = ['system', 'developer', 'tool'].includes(String(role))
    return isTextAlone && types.some((type) => type !== 'text') ? ['content that is not text'] : []
  }
  // "The contents of the assistant message. Required unless `tool_calls` or `function_call` is specified."
  return role === 'assistant' && [calls, call, refusal, audio].some((one) => one != null) ? [] : ['no content']
}
