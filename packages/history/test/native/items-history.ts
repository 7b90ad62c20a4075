import { PNG, textsOf } from './chat-history.ts'
import { choose, instructionOf, type Plan, type PlannedCall, type PlannedStep, type PlannedTurn } from './plan.ts'

/** Differences between items of the Responses API and items of the Agents SDK. */
interface Kind {
  readonly isAgents: boolean
  /** Ids of items are unique. */
  nextId(prefix: string): string
}

/** Write a plan as items of the Responses API. */
export const responsesHistory = (plan: Plan): object[] => writeItems(plan, false)

/** Write a plan as items of the Agents SDK. */
export const agentsHistory = (plan: Plan): object[] => writeItems(plan, true)

function writeItems({ system, turns }: Plan, isAgents: boolean): object[] {
  let number = 0
  const kind: Kind = { isAgents, nextId: (prefix) => `${prefix}_${(number += 1)}` }
  const prompts = system.map((content, at) => {
    if (at % 2 === 0 || isAgents) return { role: 'system', content }
    return { type: 'message', role: 'developer', content: [{ type: 'input_text', text: content }], status: 'completed' }
  })
  return [...prompts, ...turns.flatMap((turn) => [...instructionOf(turn), ...writeTurn(turn, kind)])]
}

function writeTurn({ texts, hasImage, steps, answer, form }: PlannedTurn, kind: Kind): object[] {
  const url = `data:image/png;base64,${PNG}`
  const image = kind.isAgents
    ? { type: 'input_image', image: url }
    : { type: 'input_image', detail: 'auto', image_url: url }
  const more = [{ type: 'input_file', ...(kind.isAgents ? { file: { id: 'f' } } : { file_id: 'f' }) }]
  const parts = [...texts.map((text) => ({ type: 'input_text', text })), ...(hasImage ? [image, ...more] : [])]
  const isText = texts.length === 1 && !hasImage && choose(form, 0, true, false)
  const user = { ...choose(form, 1, {}, { type: 'message' }), role: 'user', content: isText ? texts[0] : parts }
  return [user, ...steps.flatMap((step) => writeStep(step, kind)), said(answer, choose(form, 3, true, false), kind)]
}

function said(text: string, isWhole: boolean, { isAgents, nextId }: Kind): object {
  const content = [{ type: 'output_text', text, ...(isAgents ? {} : { annotations: [], logprobs: [] }) }]
  const whole = { id: nextId('msg'), type: 'message', role: 'assistant', status: 'completed', content }
  return isWhole || isAgents ? whole : { role: 'assistant', content: text, phase: 'final_answer' }
}

function writeStep({ thought, text, calls, form }: PlannedStep, kind: Kind): object[] {
  const made = calls.filter(({ isMissing }) => isMissing !== 'call')
  const answered = calls.filter(({ isMissing }) => isMissing !== 'result')
  const items: object[] = []
  if (choose(form, 0, true, false, false)) items.push(hosted(kind))
  if (text !== '') items.push(said(text, choose(form, 2, true, false), kind))
  for (const call of made) items.push(writeCall(call, kind))
  if (items.length > 0 && choose(form, 4, true, false)) items.unshift(reasoning(thought, kind))
  return [...items, ...answered.map((call) => writeResult(call, kind))]
}

function reasoning(text: string, { isAgents, nextId }: Kind): object {
  const id = nextId('rs')
  if (isAgents)
    return { type: 'reasoning', id, content: [{ type: 'input_text', text }], providerData: { encrypted_content: 'gA' } }
  return { type: 'reasoning', id, summary: [{ type: 'summary_text', text }], encrypted_content: 'gA' }
}

function hosted({ isAgents, nextId }: Kind): object {
  const id = nextId('ws')
  if (isAgents)
    return { type: 'hosted_tool_call', id, name: 'web_search_call', status: 'completed', providerData: { q: 1 } }
  return { type: 'web_search_call', id, status: 'completed', action: { type: 'search', query: 'x' } }
}

/** Return the kind of a call. The Agents SDK has no custom tools and local shells. */
const kindOf = ({ form }: PlannedCall, { isAgents }: Kind): string => {
  const kind = choose(
    form,
    6,
    'function',
    'function',
    'function',
    'shell',
    'apply_patch',
    'computer',
    'custom',
    'local_shell',
  )
  return isAgents && (kind === 'custom' || kind === 'local_shell') ? 'function' : kind
}

function writeCall(call: PlannedCall, kind: Kind): object {
  const { id, name, args, form } = call
  const pair = kind.isAgents ? { callId: id } : { call_id: id }
  const status = { status: 'completed' }
  const text = choose(form, 0, JSON.stringify(args), JSON.stringify(args, null, 2))
  switch (kindOf(call, kind)) {
    case 'shell':
      return { type: 'shell_call', ...pair, action: { commands: [text, 'ls'] }, ...status }
    case 'apply_patch':
      return {
        type: 'apply_patch_call',
        ...pair,
        ...status,
        operation: { type: 'update_file', path: 'a.ts', diff: text },
      }
    case 'computer':
      return {
        type: 'computer_call',
        id: kind.nextId('cu'),
        ...pair,
        ...status,
        action: { type: 'screenshot' },
        pending_safety_checks: [],
      }
    case 'custom':
      return { type: 'custom_tool_call', ...pair, name, input: text }
    case 'local_shell':
      return {
        type: 'local_shell_call',
        id: kind.nextId('ls'),
        ...pair,
        ...status,
        action: { type: 'exec', command: ['sh', '-c', text], env: {} },
      }
    default:
      return {
        type: 'function_call',
        ...choose(form, 2, {}, { id: kind.nextId('fc') }),
        ...pair,
        name,
        arguments: text,
        ...choose<object>(form, 4, {}, status),
      }
  }
}

function writeResult(call: PlannedCall, kind: Kind): object {
  const { id, name, result, form } = call
  const pair = kind.isAgents ? { callId: id } : { call_id: id }
  const texts = textsOf(result)
  const text = texts.join('')
  const url = `data:image/png;base64,${PNG}`
  switch (kindOf(call, kind)) {
    case 'shell': {
      const outcome = { type: 'exit', [kind.isAgents ? 'exitCode' : 'exit_code']: 0 }
      const output = texts.map((stdout, at) => ({ stdout, stderr: at === 0 ? '' : 'a warning\n', outcome }))
      return { type: 'shell_call_output', ...pair, output, max_output_length: 10 }
    }
    case 'apply_patch':
      return {
        type: 'apply_patch_call_output',
        ...pair,
        status: result.isError ? 'failed' : 'completed',
        ...choose(form, 0, { output: text }, {}),
      }
    case 'computer': {
      if (kind.isAgents)
        return { type: 'computer_call_result', ...pair, output: { type: 'computer_screenshot', data: url } }
      return { type: 'computer_call_output', ...pair, output: { type: 'computer_screenshot', image_url: url } }
    }
    case 'custom':
      return { type: 'custom_tool_call_output', ...pair, output: text }
    case 'local_shell':
      return { type: 'local_shell_call_output', ...pair, output: text }
    default:
      break
  }
  const image = kind.isAgents ? { type: 'input_image', image: url } : { type: 'input_image', image_url: url }
  const parts = [...texts.map((one) => ({ type: 'input_text', text: one })), ...(result.hasImage ? [image] : [])]
  const isText = !result.hasImage && choose(form, 0, true, false)
  const object =
    kind.isAgents && choose(form, 1, true, false) ? { type: 'text', text, providerData: { retained: true } } : text
  const output = isText || parts.length === 0 ? object : parts
  const type = kind.isAgents ? 'function_call_result' : 'function_call_output'
  return {
    type,
    ...(kind.isAgents ? { name, status: 'completed' } : {}),
    ...pair,
    output,
    ...choose(form, 5, {}, { unknown: null }),
  }
}
