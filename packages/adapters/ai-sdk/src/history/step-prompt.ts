import type { ModelMessage, SystemModelMessage } from 'ai'

/** A system prompt, in any of the forms that the SDK takes. */
export type SystemPrompt = string | SystemModelMessage | SystemModelMessage[]

/** Return what a model is asked with as one list of messages, the system prompt first. */
export function joinPrompt(prompt: SystemPrompt | undefined, messages: readonly ModelMessage[]): ModelMessage[] {
  return [...systemMessages(prompt), ...messages]
}

/**
 * Take such a list apart again, once it is smaller. The system prompt keeps its form, and is the very same where it has not
 * changed; where there was none, a system message that was made is one.
 */
export function splitPrompt(
  prompt: SystemPrompt | undefined,
  before: readonly ModelMessage[],
  after: readonly ModelMessage[],
): { readonly prompt: SystemPrompt | undefined; readonly messages: ModelMessage[] } {
  const count = systemMessages(prompt).length
  const isMade = count === 0 && countSystem(after) > countSystem(before)
  const end = isMade ? 1 : count
  const systems = after.slice(0, end) as SystemModelMessage[]
  const messages = after.slice(end)
  const [first] = systems
  if (first === undefined || systems.every((message, index) => message === before[index])) return { prompt, messages }
  if (Array.isArray(prompt)) return { prompt: systems, messages }
  return { prompt: typeof prompt === 'object' ? first : first.content, messages }
}

function systemMessages(prompt: SystemPrompt | undefined): readonly SystemModelMessage[] {
  if (prompt === undefined) return []
  if (typeof prompt === 'string') return [{ role: 'system', content: prompt }]
  return Array.isArray(prompt) ? prompt : [prompt]
}

/** Count the system messages that a list begins with. */
function countSystem(messages: readonly ModelMessage[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system')
  return end < 0 ? messages.length : end
}
