import { choose, instructionOf, type Plan, type PlannedCall, type PlannedStep, type PlannedTurn } from './plan.ts'

const PNG = 'iVBORw0KGgo='
const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])
const options = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
const textPart = (text: string): object => ({ type: 'text', text })

/** Write a plan as model messages of the AI SDK. */
export function aiSdkHistory({ system, turns }: Plan): object[] {
  const prompts = system.map((content, at) => ({ role: 'system', content, ...(at === 0 ? options : {}) }))
  return [...prompts, ...turns.flatMap((turn) => [...instructionOf(turn), ...writeTurn(turn)])]
}

function writeTurn({ texts, hasImage, steps, answer, form }: PlannedTurn): object[] {
  const forms: [object, ...object[]] = [
    { type: 'image', image: PNG, mediaType: 'image/png' },
    { type: 'image', image: bytes(), mediaType: 'image/png' },
    { type: 'file', data: bytes().buffer, mediaType: 'image/png', filename: 'a.png' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
    { type: 'image', image: new URL('https://example.com/a.png') },
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
  ]
  const image = choose(form, 0, ...forms)
  const more = [{ type: 'file', mediaType: 'image/png', data: { openai: 'file_1' } }]
  const parts = [...texts.map(textPart), ...(hasImage ? [image, ...more] : [])]
  const isText = texts.length === 1 && !hasImage && choose(form, 3, true, false)
  const user = { role: 'user', content: isText ? texts[0] : parts, ...choose<object>(form, 4, {}, options) }
  const last = { role: 'assistant', content: choose<unknown>(form, 5, answer, [{ ...textPart(answer), ...options }]) }
  return [user, ...steps.flatMap((step) => writeStep(step)), last]
}

function writeStep({ thought, text, calls, form }: PlannedStep): object[] {
  const made = calls.filter(({ isMissing }) => isMissing !== 'call')
  const answered = calls.filter(({ isMissing }) => isMissing !== 'result')
  const parts: object[] = []
  if (choose(form, 0, true, false))
    parts.push({ type: 'reasoning', text: thought, providerOptions: { x: { signature: 'Eq' } } })
  if (text !== '') parts.push(textPart(text))
  if (choose(form, 1, true, false, false)) {
    const search = { toolCallId: `srv_${form}`, toolName: 'web_search' }
    parts.push({ type: 'tool-call', ...search, input: { query: 'x' }, providerExecuted: true })
    parts.push({ type: 'tool-result', ...search, output: { type: 'json', value: [{ url: 'https://example.com' }] } })
  }
  for (const { id, name, args } of made) parts.push({ type: 'tool-call', toolCallId: id, toolName: name, input: args })
  const results: object[] = answered.map((call) => writeResult(call))
  const [approved] = made
  const isApproved = approved !== undefined && choose(form, 3, true, false, false)
  if (isApproved) parts.push({ type: 'tool-approval-request', approvalId: 'approval', toolCallId: approved.id })
  const approval = {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: 'approval', approved: true }],
  }
  // Results may be in one message or in several messages.
  const together = choose(form, 5, true, false)
  const tools = together
    ? [{ role: 'tool', content: results }]
    : results.map((part) => ({ role: 'tool', content: [part] }))
  const said = parts.length === 0 ? [] : [{ role: 'assistant', content: parts }]
  return [...said, ...(isApproved ? [approval] : []), ...(results.length === 0 ? [] : tools)]
}

function writeResult({ id, name, result, form }: PlannedCall): object {
  const { texts, json, hasImage, isError } = result
  const error = isError ? 'error-' : ''
  const media = choose<object>(
    form,
    0,
    { type: 'image-data', data: PNG, mediaType: 'image/png' },
    { type: 'file-url', url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
    { type: 'file', data: { type: 'data', data: bytes() }, mediaType: 'image/png' },
    { type: 'file', data: { type: 'text', text: 'a\nb' }, mediaType: 'text/plain', filename: 'a.txt' },
    { type: 'file-id', fileId: 'f' },
  )
  const parts = [...texts.map((text) => ({ ...textPart(text), ...options })), ...(hasImage ? [media] : [])]
  const outputs: [object, ...object[]] = [{ type: `${error}text`, value: texts.join('\n') }]
  if (json !== undefined) outputs.push({ type: `${error}json`, value: json, ...options })
  if (!isError) outputs.push({ type: 'content', value: parts })
  if (texts.length === 0) outputs.push({ type: 'execution-denied', reason: 'no' })
  const output = choose(form, 3, ...outputs)
  return { type: 'tool-result', toolCallId: id, toolName: name, output, ...choose<object>(form, 6, {}, options) }
}
