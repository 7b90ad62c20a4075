import type { AnswerCase } from './answer-case.ts'
import { MAX_CALLS } from './play.ts'
import type { Session, System, ToolCall } from './systems/system.ts'

const SYSTEM_TEXT =
  'Answer from the tool results; call tools if you need more of them. End with a line that starts with ANSWER: and holds the answer alone.'

/** A model at any endpoint with OpenAI's chat completions. */
export interface ModelEndpoint {
  /** The URL before `/chat/completions`. */
  readonly baseUrl: string
  readonly model: string
  readonly apiKey?: string | undefined
}

/** The answer of a model to a question, and the cost. */
export interface ModelOutcome {
  readonly case: string
  readonly system: string
  /** The text after `ANSWER:`, or the whole last message. */
  readonly answer: string
  readonly right: boolean
  readonly calls: number
  /** Tokens of all requests, as counted by the endpoint. */
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly ChatToolCall[]
}

interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

interface Completion {
  readonly choices: readonly { readonly message: ChatMessage }[]
  readonly usage?: {
    readonly prompt_tokens?: number
    readonly completion_tokens?: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
  }
}

/**
 * Ask a model a question about stored tool results. It can call the tools of the system at most 12 times.
 *
 * Throws an `Error` with the status and the start of the body if the endpoint refuses.
 */
export async function askModel(question: AnswerCase, system: System, endpoint: ModelEndpoint): Promise<ModelOutcome> {
  const sessions = await Promise.all(question.results.map((result) => system.open(result, question.question)))
  try {
    return await converse(question, system.name, sessions, endpoint)
  } finally {
    for (const session of sessions) session.close()
  }
}

async function converse(
  question: AnswerCase,
  system: string,
  sessions: readonly Session[],
  endpoint: ModelEndpoint,
): Promise<ModelOutcome> {
  const messages: ChatMessage[] = [
    { role: 'system', content: SYSTEM_TEXT },
    { role: 'user', content: question.question },
    ...sessions.flatMap(({ shown }, index) => toolResult(question, shown, index)),
  ]
  const tools = [...new Map(sessions.flatMap((session) => session.tools).map((tool) => [tool.name, tool])).values()]
  const usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 }
  let calls = 0
  for (;;) {
    const isLast = calls >= MAX_CALLS
    const { message, used } = await complete(endpoint, messages, isLast ? [] : tools)
    usage.promptTokens += used?.prompt_tokens ?? 0
    usage.cachedTokens += used?.prompt_tokens_details?.cached_tokens ?? 0
    usage.completionTokens += used?.completion_tokens ?? 0
    const wanted = isLast ? [] : (message.tool_calls ?? [])
    if (wanted.length === 0) {
      const answer = (message.content ?? '').split('ANSWER:').at(-1)?.trim() ?? ''
      return { case: question.id, system, answer, right: isRightAnswer(question, answer), calls, ...usage }
    }
    messages.push(message)
    for (const call of wanted) {
      calls += 1
      messages.push({ role: 'tool', tool_call_id: call.id, content: await runCall(sessions, call) })
    }
  }
}

/** Compare an exact answer with the correct one, or find its lines with the rules of the policies. */
function isRightAnswer({ answer, recall }: AnswerCase, said: string): boolean {
  if (answer === undefined) return recall({ shown: said, counts: [] }) >= 0.8
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s,"'`.]/g, '')
  return plain(said) === plain(answer)
}

function toolResult({ results }: AnswerCase, shown: string, index: number): readonly ChatMessage[] {
  const { toolName, toolInput } = results[index] ?? { toolName: 'tool' }
  const call = { name: toolName, arguments: JSON.stringify(toolInput ?? {}) }
  const id = `call_${index}`
  return [
    { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] },
    { role: 'tool', tool_call_id: id, content: shown },
  ]
}

async function runCall(
  sessions: readonly Session[],
  { function: { name, arguments: written } }: ChatToolCall,
): Promise<string> {
  const input = parseObject(written)
  if (input === undefined) return 'Error: the arguments are no JSON object.'
  const call: ToolCall = { tool: name, input }
  // A reference belongs to one session. If all sessions have the same tool, they are tried in turn.
  const owners = sessions.filter((session) => session.tools.some((tool) => tool.name === name))
  const owner = owners.find(({ shown }) => typeof input['reference'] === 'string' && shown.includes(input['reference']))
  const session = owner ?? owners[0]
  if (session === undefined) return `Error: there is no tool ${name}.`
  // As in an agent loop, the model gets the reason for the failure, and can call again.
  return await session.run(call).catch((error: unknown) => `Error: ${String(error)}`)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function complete(
  { baseUrl, model, apiKey }: ModelEndpoint,
  messages: readonly ChatMessage[],
  tools: Session['tools'],
): Promise<{ message: ChatMessage; used: Completion['usage'] }> {
  const response = await fetch(`${baseUrl.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({
      model,
      temperature: 0,
      messages,
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          type: 'function',
          function: { name, description, parameters: inputSchema },
        })),
      }),
    }),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`The model's endpoint answered ${response.status}: ${body.slice(0, 300)}`)
  const { choices, usage } = JSON.parse(body) as Completion
  const [choice] = choices
  if (choice === undefined) throw new Error(`The model's endpoint gave no choice: ${body.slice(0, 300)}`)
  return { message: choice.message, used: usage }
}
