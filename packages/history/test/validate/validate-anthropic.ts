import { duplicatesOf, fieldsOf, listOf, type Fields } from './fields.ts'

interface Turn {
  readonly role: unknown
  readonly blocks: Fields[]
}

/** Return the problems for which the Messages API rejects a conversation. */
export function validateAnthropic(conversation: unknown): string[] {
  const { system, messages } = fieldsOf(conversation)
  const all = listOf(messages)
  const problems = [
    ...all.flatMap((message, index) =>
      messageProblems(message, index === all.length - 1).map((one) => `${index}: ${one}`),
    ),
  ]
  // "consecutive user or assistant turns in your request will be combined into a single turn"
  const turns: Turn[] = []
  for (const { role, content } of all) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const last = turns.at(-1)
    if (last?.role === role) last?.blocks.push(...blocks)
    else turns.push({ role, blocks: [...blocks] })
  }
  // "messages: first message must use the user role"
  if (turns.length > 0 && turns[0]?.role !== 'user') problems.push('the first message is not of the user')
  for (const [index, turn] of turns.entries())
    problems.push(
      ...turnProblems(turn, turns[index + 1]).map((one) => `turn ${index}: ${one}`),
      ...resultProblems(turn, turns[index - 1]),
    )
  const uses = turns.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_use'))
  // "messages: `tool_use` ids must be unique"
  if (duplicatesOf(uses.map(({ id }) => id)).length > 0) problems.push('an id of tool_use twice')
  // "system: text content blocks must be non-empty"
  if (Array.isArray(system) && listOf(system).some(({ text }) => text === ''))
    problems.push('an empty block of the system')
  const marks = [
    ...listOf(system),
    ...turns.flatMap(({ blocks }) => blocks.flatMap((block) => [block, ...listOf(block['content'])])),
  ]
  // "A maximum of 4 blocks with cache_control may be provided."
  if (marks.filter(({ cache_control: mark }) => mark != null).length > 4) problems.push('more than 4 of cache_control')
  return problems
}

function messageProblems({ role, content }: Fields, isLast: boolean): string[] {
  if (role !== 'user' && role !== 'assistant') return [`role ${String(role)}`]
  // "messages: all messages must have non-empty content except for the optional final assistant message"
  if (content === '' || (Array.isArray(content) && content.length === 0))
    return isLast && role === 'assistant' ? [] : ['empty content']
  if (typeof content === 'string') return content.trim() === '' ? ['a text of nothing but white space'] : []
  return Array.isArray(content) ? listOf(content).flatMap(blockProblems) : ['content']
}

function blockProblems({ type, text, id, input, content }: Fields): string[] {
  // "messages: text content blocks must be non-empty", "… must contain non-whitespace text"
  if (type === 'text') return typeof text === 'string' && text.trim() !== '' ? [] : ['an empty text']
  // "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "tool_use.input: Input should be a valid dictionary"
  if (type === 'tool_use') {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    return isObject && /^[\w-]+$/.test(String(id)) ? [] : ['a tool_use']
  }
  if (type !== 'tool_result' || !Array.isArray(content)) return []
  return listOf(content).some((part) => part['type'] === 'text' && part['text'] === '')
    ? ['an empty text in a result']
    : []
}

function turnProblems({ role, blocks }: Turn, next: Turn | undefined): string[] {
  if (role !== 'assistant') return []
  const uses = blocks.filter(({ type }) => type === 'tool_use')
  const answered = new Set(
    (next?.blocks ?? []).filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']),
  )
  const isOpen = uses.some(({ id }) => !answered.has(id))
  const first = blocks.findIndex(({ type }) => type === 'tool_use')
  const isAfter = first !== -1 && blocks.slice(first).some(({ type }) => type === 'text')
  return [
    // "`tool_use` ids were found without `tool_result` blocks immediately after", even if there is a text between them.
    ...(isOpen ? ['a tool_use without its result'] : []),
    ...(isAfter ? ['a text after a tool_use'] : []),
  ]
}

function resultProblems({ role, blocks }: Turn, before: Turn | undefined): string[] {
  const uses = new Set((before?.blocks ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id))
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const ids = results.map(({ tool_use_id: id }) => id)
  const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
  const isLate = firstOther !== -1 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result')
  return [
    ...(results.length > 0 && role !== 'user' ? ['results that are not of the user'] : []),
    // "unexpected `tool_use_id` found in `tool_result` blocks: … must have a corresponding `tool_use` block in the previous message"
    ...(ids.some((id) => !uses.has(id)) ? ['a result of no tool_use in the message before'] : []),
    // "each tool_use must have a single result"
    ...(duplicatesOf(ids).length > 0 ? ['a tool_use with two results'] : []),
    // "the tool_result blocks must come first in the content array"
    ...(isLate ? ['a result after other blocks'] : []),
  ]
}
