import { fieldsOf, listOf, type Fields } from './fields.ts'

/** Return the problems for which the Gemini API rejects a conversation. */
export function validateGemini(conversation: unknown): string[] {
  const contents = listOf(fieldsOf(conversation)['contents'])
  const problems: string[] = []
  const isCall = (part: Fields): boolean => part['functionCall'] !== undefined
  const isResponse = (part: Fields): boolean => part['functionResponse'] !== undefined
  // The contents of a request begin with a user content.
  if (contents.length > 0 && contents[0]?.['role'] === 'model') problems.push('the first content is not of the user')
  for (const [index, { role, parts: list }] of contents.entries()) {
    const parts = listOf(list)
    const before = contents[index - 1]
    const previous = listOf(before?.['parts'])
    if (![undefined, 'user', 'model', 'function'].includes(role as string | undefined))
      problems.push(`${index}: role ${String(role)}`)
    // "contents.parts must not be empty"
    if (parts.length === 0) problems.push(`${index}: no parts`)
    // "Unable to submit request because it has an empty text parameter."
    if (parts.some(({ text }) => text === '')) problems.push(`${index}: an empty text`)
    const calls = parts.filter(isCall)
    const responses = parts.filter(isResponse)
    // "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
    if (calls.length > 0 && (role !== 'model' || before === undefined || before['role'] === 'model'))
      problems.push(`${index}: a call that follows neither the user nor a response`)
    const expected = previous.filter(isCall)
    // "Please ensure that function response turn comes immediately after a function call turn."
    if (responses.length > 0 && expected.length === 0) problems.push(`${index}: a response that follows no call`)
    // "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
    else if (responses.length !== expected.length)
      problems.push(`${index}: ${expected.length} calls, ${responses.length} responses`)
    problems.push(
      ...responses.flatMap((part) => responseProblems(part, expected)).map((problem) => `${index}: ${problem}`),
    )
  }
  if (listOf(contents.at(-1)?.['parts']).some(isCall)) problems.push('calls without responses')
  return problems
}

function responseProblems(part: Fields, calls: readonly Fields[]): string[] {
  const { id, name, response } = fieldsOf(part['functionResponse'])
  const known = calls.map((call) => fieldsOf(call['functionCall']))
  // "response: Required. The function response in JSON object format."
  const isObject = typeof response === 'object' && response !== null && !Array.isArray(response)
  const isAnswer = known.some((call) =>
    call['id'] === undefined || id === undefined ? call['name'] === name : call['id'] === id,
  )
  return [...(isObject ? [] : ['a response that is no object']), ...(isAnswer ? [] : ['a response of no call'])]
}
