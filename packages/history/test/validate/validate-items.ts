import { duplicatesOf, fieldsOf, type Fields } from './fields.ts'

/** The type of the result for each type of call. */
const RESPONSES: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  computer_call: 'computer_call_output',
}
const AGENTS: Readonly<Record<string, string>> = {
  function_call: 'function_call_result',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  computer_call: 'computer_call_result',
}
/** Items that a model creates. Reasoning is followed by such an item. */
const MADE = /_call$|^(?:message|reasoning|program|compaction)$/

/** Return the problems for which the Responses API rejects items. */
export const validateResponses = (items: readonly unknown[]): string[] =>
  validateItems(items, 'call_id', RESPONSES, (item) => item['call_id'] ?? item['id'])

/** Return the problems for which the Agents SDK or its API rejects items. */
export const validateAgents = (items: readonly unknown[]): string[] => [
  ...validateItems(items, 'callId', AGENTS, (item) => item['callId']),
  ...items.flatMap((item, index) => agentsProblems(fieldsOf(item)).map((problem) => `${index}: ${problem}`)),
]

function validateItems(
  items: readonly unknown[],
  idField: string,
  results: Readonly<Record<string, string>>,
  answeredBy: (item: Fields) => unknown,
): string[] {
  const problems: string[] = []
  const calls = new Map<string, number>()
  const resultTypes = new Set(Object.values(results))
  for (const [index, value] of items.entries()) {
    const item = fieldsOf(value)
    const { role, type: given = role === undefined ? 'item_reference' : 'message' } = item
    const type = String(given)
    if (Object.hasOwn(results, type)) {
      const key = `${results[type]} ${String(item[idField])}`
      calls.set(key, (calls.get(key) ?? 0) + 1)
      // "string too long. Expected a string with maximum length 64"
      if (typeof item[idField] !== 'string' || item[idField].length > 64) problems.push(`${index}: id of a call`)
      if (type === 'function_call' && typeof item['arguments'] !== 'string') problems.push(`${index}: arguments`)
    } else if (resultTypes.has(type)) {
      const key = `${type} ${String(answeredBy(item))}`
      const left = calls.get(key)
      // "No tool call found for function call output with call_id …"
      if (left === undefined || left < 1) problems.push(`${index}: result of no open call`)
      else calls.set(key, left - 1)
      if (item['output'] === undefined && type !== 'apply_patch_call_output') problems.push(`${index}: no output`)
    } else if (type === 'reasoning') {
      const next = fieldsOf(items[index + 1])
      const { type: nextType = 'message' } = next
      const isMade = MADE.test(String(nextType)) && (nextType !== 'message' || next['role'] === 'assistant')
      // "Item 'rs_…' of type 'reasoning' was provided without its required following item."
      if (!isMade) problems.push(`${index}: reasoning without the item that follows it`)
    } else if (type === 'message' && item['content'] == null) problems.push(`${index}: no content`)
  }
  // "No tool output found for function call …"
  for (const [key, left] of calls) if (left > 0) problems.push(`no ${key}`)
  const ids = items.map(fieldsOf).filter(({ type, role }) => (type ?? role) !== undefined && type !== 'item_reference')
  // "Duplicate item found with id …"
  for (const id of duplicatesOf(
    ids.flatMap(({ id: own, type }) => (own == null || type === 'local_shell_call_output' ? [] : own)),
  ))
    problems.push(`id ${String(id)} twice`)
  return problems
}

/** Rules of the schema of the SDK. */
function agentsProblems({ type, role, content, status, name, output }: Fields): string[] {
  if (role === 'system') return typeof content === 'string' ? [] : ['a system message that is no text']
  if (role === 'assistant') return Array.isArray(content) && typeof status === 'string' ? [] : ['an assistant message']
  if (type !== 'function_call_result') return []
  const isKnown = typeof name === 'string' && typeof status === 'string'
  if (!Array.isArray(output)) return isKnown ? [] : ['a result without name or status']
  return output.every((part) => String(fieldsOf(part)['type']).startsWith('input_')) ? [] : ['parts of a result']
}
