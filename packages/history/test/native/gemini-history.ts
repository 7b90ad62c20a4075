import { PNG } from './chat-history.ts'
import { choose, type Plan, type PlannedCall, type PlannedStep, type PlannedTurn } from './plan.ts'

/** Fields of a conversation of the Gemini API. */
export interface GeminiHistory {
  readonly systemInstruction?: unknown
  readonly contents: object[]
}

/** The API rejects empty texts. */
const textPart = (text: string): object => ({ text: text.trim() === '' ? 'ok' : text })
const image = { inlineData: { mimeType: 'image/png', data: PNG } }

/** Write a plan as a conversation of the Gemini API. */
export function geminiHistory({ system, turns }: Plan): GeminiHistory {
  const contents = turns.flatMap((turn) => writeTurn(turn))
  const [prompt] = system
  if (prompt === undefined) return { contents }
  if (system.length === 1)
    return { contents, systemInstruction: choose<unknown>(prompt.length, 0, prompt, textPart(prompt)) }
  return {
    systemInstruction: choose<unknown>(
      prompt.length,
      0,
      { role: 'user', parts: system.map(textPart) },
      system.map(textPart),
    ),
    contents,
  }
}

function writeTurn({ texts, hasImage, steps, answer, form }: PlannedTurn): object[] {
  const more = [{ fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } }]
  const parts = [...texts.map(textPart), ...(hasImage ? [image, ...more] : [])]
  const user = choose<object>(form, 0, { role: 'user', parts }, { parts, role: 'user' })
  return [
    user,
    ...steps.flatMap((step) => writeStep(step)),
    { role: 'model', parts: [{ ...textPart(answer), thoughtSignature: 'Cg' }] },
  ]
}

function writeStep({ thought, text, calls, form }: PlannedStep): object[] {
  const made = calls.filter(({ isMissing }) => isMissing !== 'call')
  const answered = calls.filter(({ isMissing }) => isMissing !== 'result')
  // After a content of the model without calls, a user content would have to follow.
  if (made.length === 0 && answered.length === 0) return []
  const parts: object[] = []
  if (thought !== '' && choose(form, 0, true, false)) parts.push({ text: thought, thought: true })
  if (text !== '') parts.push(textPart(text))
  if (choose(form, 1, true, false, false)) {
    parts.push({ executableCode: { language: 'PYTHON', code: 'print(1)' } })
    parts.push({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } })
  }
  // Either all calls have ids, or no call has an id.
  const hasIds = choose(form, 3, true, false)
  for (const [at, { id, name, args }] of made.entries()) {
    const functionCall = { ...(hasIds ? { id } : {}), name, ...(Object.keys(args).length === 0 ? {} : { args }) }
    parts.push({ functionCall, ...(at === 0 ? { thoughtSignature: 'Cg' } : {}) })
  }
  const said = parts.length === 0 ? [] : [{ role: 'model', parts }]
  const responses = answered.map((call) => writeResponse(call, hasIds))
  return responses.length === 0 ? said : [...said, { role: choose(form, 4, 'user', 'function'), parts: responses }]
}

function writeResponse({ id, name, result, form }: PlannedCall, hasIds: boolean): object {
  const { texts, json, hasImage, isError } = result
  const text = texts.join('\n')
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  const responses: [object, ...object[]] = [
    { output: text },
    { status: 'ok', log: text, took: 3 },
    { stdout: text, stderr: '' },
    {},
  ]
  if (isObject) responses.push(json)
  const response = isError ? { error: text } : choose(form, 0, ...responses)
  const parts = hasImage ? { parts: [{ inlineData: { mimeType: 'image/png', data: PNG, displayName: 'a.png' } }] } : {}
  return { functionResponse: { ...(hasIds ? { id } : {}), name, response, ...parts } }
}
