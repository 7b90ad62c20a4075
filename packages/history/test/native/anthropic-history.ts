import { PNG } from './chat-history.ts'
import { choose, type Plan, type PlannedCall, type PlannedStep, type PlannedTurn } from './plan.ts'

/** Fields of a conversation of the Messages API. */
export interface AnthropicHistory {
  readonly system?: string | object[]
  readonly messages: object[]
}

/** The API rejects texts that have only white space. */
const filled = (text: string): string => (text.trim() === '' ? 'ok' : text)
const textBlock = (text: string): object => ({ type: 'text', text: filled(text) })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }

/** Write a plan as a conversation of the Messages API. */
export function anthropicHistory({ system, turns }: Plan): AnthropicHistory {
  let number = 0
  // Ids are unique, and only the end of the prompt has a cache mark.
  const unique = (call: PlannedCall): PlannedCall => ({ ...call, id: `toolu_${(number += 1)}` })
  const messages = turns.flatMap((turn) => writeTurn(turn, unique))
  const [prompt] = system
  if (prompt === undefined) return { messages }
  if (system.length === 1) return { system: prompt, messages }
  const blocks = system.map((text, at) => ({
    ...textBlock(text),
    ...(at === 1 ? { cache_control: { type: 'ephemeral' } } : {}),
  }))
  return { messages, system: blocks }
}

function writeTurn(turn: PlannedTurn, unique: (call: PlannedCall) => PlannedCall): object[] {
  const { texts, hasImage, steps, answer, form } = turn
  const document = {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'a\nb' },
    title: 'notes',
    context: null,
  }
  const more = [document, { type: 'container_upload', file_id: 'f' }]
  const isText = texts.length === 1 && !hasImage && choose(form, 0, true, false)
  const parts = [...texts.map(textBlock), ...(hasImage ? [image, ...more] : [])]
  const messages: { role: string; content: unknown }[] = [
    { role: 'user', content: isText ? filled(texts[0] ?? '') : parts },
  ]
  for (const step of steps) {
    const planned = { ...step, calls: step.calls.map(unique) }
    for (const message of writeStep(planned)) messages.push(message)
  }
  messages.push({
    role: 'assistant',
    content: choose<unknown>(form, 1, filled(answer).trimEnd(), [textBlock(answer.trimEnd())]),
  })
  return messages
}

function writeStep({ thought, text, calls, form }: PlannedStep): { role: string; content: unknown }[] {
  const made = calls.filter(({ isMissing }) => isMissing !== 'call')
  const answered = calls.filter(({ isMissing }) => isMissing !== 'result')
  const blocks: object[] = []
  if (choose(form, 0, true, false)) blocks.push({ type: 'thinking', thinking: thought, signature: 'EqQB' })
  if (choose(form, 1, false, false, true)) blocks.push({ type: 'redacted_thinking', data: 'Em' })
  if (text !== '') blocks.push({ ...textBlock(text), ...choose(form, 3, {}, { citations: null }) })
  if (choose(form, 4, true, false, false)) {
    const found = [{ type: 'web_search_result', url: 'https://example.com', title: 'x', encrypted_content: 'gA' }]
    blocks.push({ type: 'server_tool_use', id: `srvtoolu_${form}`, name: 'web_search', input: { query: 'x' } })
    blocks.push({ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${form}`, content: found })
  }
  for (const { id, name, args, form: bits } of made)
    blocks.push({ type: 'tool_use', id, name, input: args, ...choose(bits, 0, {}, { caller: { type: 'direct' } }) })
  const said = blocks.length === 0 ? [] : [{ role: 'assistant', content: blocks }]
  if (answered.length === 0) return said
  const content: object[] = answered.map((call) => writeResult(call))
  // A user message may contain text next to results.
  if (choose(form, 6, false, false, true)) content.push(textBlock('go on'))
  return [...said, { role: 'user', content }]
}

function writeResult({ id, result, form }: PlannedCall): object {
  const { texts, json, hasImage, isError } = result
  const all = json === undefined ? texts : [...texts, JSON.stringify(json)]
  const blocks: object[] = all.filter((text) => text !== '').map((text) => ({ type: 'text', text }))
  if (hasImage) blocks.push(image)
  if (choose(form, 0, false, false, true))
    blocks.push({ type: 'search_result', source: 'https://example.com', title: 'x', content: [textBlock('found')] })
  const error = isError ? { is_error: true } : choose(form, 2, {}, { is_error: false })
  const isText = choose(form, 3, true, false) && !hasImage && blocks.length === all.length
  const content =
    blocks.length === 0 ? choose<object>(form, 4, {}, { content: '' }) : { content: isText ? all.join('\n') : blocks }
  return { type: 'tool_result', tool_use_id: id, ...content, ...error }
}
