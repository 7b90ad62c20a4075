import {
  choose,
  instructionOf,
  type Plan,
  type PlannedCall,
  type PlannedResult,
  type PlannedStep,
  type PlannedTurn,
} from './plan.ts'

/** A PNG that has only the signature. */
export const PNG = 'iVBORw0KGgo='

const textPart = (text: string): object => ({ type: 'text', text })

/** Write a plan as messages of Chat Completions. */
export function chatHistory({ system, turns }: Plan): object[] {
  const prompts = system.map((text, at) => ({
    role: at % 2 === 0 ? 'system' : 'developer',
    content: at % 2 === 0 ? text : [{ ...textPart(text), prompt_cache_breakpoint: { mode: 'explicit' } }],
  }))
  return [...prompts, ...turns.flatMap((turn) => [...instructionOf(turn), ...writeTurn(turn)])]
}

function writeTurn(turn: PlannedTurn): object[] {
  const { texts, hasImage, steps, answer, form } = turn
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } }
  const more = [
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', file: { file_id: 'f' } },
  ]
  const parts = [...texts.map(textPart), ...(hasImage ? [image, ...more] : [])]
  const isText = texts.length === 1 && !hasImage && choose(form, 0, true, false)
  const user = { role: 'user', ...choose(form, 1, {}, { name: 'ann' }), content: isText ? texts[0] : parts }
  const last = choose<object>(
    form,
    2,
    { role: 'assistant', content: answer },
    { role: 'assistant', content: [textPart(answer)], annotations: [] },
    { content: answer, refusal: null, role: 'assistant', unknown: { retained: [1, null] } },
    { role: 'assistant', content: null, refusal: 'No.' },
  )
  return [user, ...steps.flatMap((step) => writeStep(step)), last]
}

function writeStep({ thought, text, calls, form }: PlannedStep): object[] {
  const made = calls.filter(({ isMissing }) => isMissing !== 'call')
  const answered = calls.filter(({ isMissing }) => isMissing !== 'result')
  const [only] = calls
  const isOld =
    calls.length === 1 &&
    only !== undefined &&
    only.isMissing === undefined &&
    choose(form, 0, true, false, false, false)
  const reasoning = choose(form, 2, {}, { reasoning_content: thought })
  if (isOld) {
    const call = { name: only.name, arguments: JSON.stringify(only.args) }
    const content = only.result.texts.join('')
    return [
      { role: 'assistant', content: text === '' ? null : text, ...reasoning, function_call: call },
      { role: 'function', name: only.name, content },
    ]
  }
  if (made.length === 0)
    return text === '' ? [] : [{ role: 'assistant', content: text, ...reasoning }, ...answered.map(writeResult)]
  const content = choose<unknown>(form, 4, text, text === '' ? null : [textPart(text)])
  const toolCalls = made.map((call) => writeCall(call))
  return [{ role: 'assistant', ...reasoning, content, tool_calls: toolCalls }, ...answered.map(writeResult)]
}

function writeCall({ id, name, args, form }: PlannedCall): object {
  const text = choose(form, 0, JSON.stringify(args), JSON.stringify(args, null, 2))
  if (choose(form, 2, true, false, false)) return { id, type: 'custom', custom: { name, input: text } }
  return { id, type: 'function', function: { name, arguments: text }, ...choose(form, 4, {}, { index: 0 }) }
}

/** The texts of a result, with its JSON as one more text. */
export const textsOf = ({ texts, json }: PlannedResult): readonly string[] =>
  json === undefined ? texts : [...texts, JSON.stringify(json)]

function writeResult({ id, name, result, form }: PlannedCall): object {
  const texts = textsOf(result)
  const parts = texts.map((text, at) => ({
    ...textPart(text),
    ...(at === 0 ? { cache_control: { type: 'ephemeral' } } : {}),
  }))
  const content = texts.length === 0 || choose(form, 0, true, false) ? texts.join('') : parts
  return choose<object>(
    form,
    1,
    { role: 'tool', tool_call_id: id, content },
    { content, name, tool_call_id: id, role: 'tool' },
  )
}
