/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With GEMINI_API_KEY set, a real model does the work.
 * GEMINI_MODEL names another model than the default.
 */
import { googleAI } from '@genkit-ai/google-genai'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { offloadMiddleware } from '@spillway/genkit'
import { InMemoryStorage } from '@spillway/memory'
import { generateMiddleware, genkit, z, type Genkit, type MessageData, type Part } from 'genkit'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

/** A message of a prompt, and its tokens. */
export interface SeenMessage {
  readonly role: string
  readonly tokens: number
  readonly text: string
}

/** The result of a run. */
export interface Report {
  /** The final answer of the agent. */
  readonly answer: string
  /** Each prompt that the model got. */
  readonly prompts: readonly (readonly SeenMessage[])[]
  /** Tokens that the log would cost in each prompt. */
  readonly logTokens: number
}

/** Ask the agent why the deployment failed, in a separate chat. */
export async function investigate(ai: Genkit, chat: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const offload = offloadMiddleware(offloader)
  const prompts: SeenMessage[][] = []
  const observe = generateMiddleware({ name: 'observe' }, () => ({
    model: (request, context, next) => {
      prompts.push(request.messages.map(describe))
      return next(request, context)
    },
  }))
  const readDeployLog = ai.defineTool(
    { name: 'read_deploy_log', description: 'Read the log of the last deployment.', inputSchema: z.object({}) },
    async () => LOG,
  )
  const { text } = await ai.generate({
    system: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
    prompt: 'Why did the last deployment fail?',
    tools: [readDeployLog],
    // The offloader comes first, so that it gets results that the others have changed.
    use: [offload({ scope: [chat] }), observe()],
    // Searches need model calls, too. By default, Genkit stops after 5.
    maxTurns: 20,
  })
  return { answer: text, prompts, logTokens: estimateTokens(LOG) }
}

/** Create Genkit with Google's model if a key is set, otherwise with a model that follows a script. */
export function chooseGenkit(environment: NodeJS.ProcessEnv): Genkit {
  const { GEMINI_API_KEY: apiKey, GEMINI_MODEL: name = 'gemini-2.5-flash' } = environment
  if (apiKey) return genkit({ plugins: [googleAI({ apiKey })], model: googleAI.model(name) })
  const ai = genkit({ model: 'script' })
  ai.defineModel({ name: 'script', supports: { tools: true, systemRole: true } }, async ({ messages }) => ({
    message: { role: 'model', content: [nextPart(messages)] },
    finishReason: 'stop',
  }))
  return ai
}

/** Return the next action: read the log, then search it, then answer. */
function nextPart(messages: readonly MessageData[]): Part {
  const results = messages.flatMap(({ content }) => content.flatMap(({ toolResponse }) => toolResponse ?? []))
  const last = String(results.at(-1)?.output)
  const ref = `call_${results.length + 1}`
  if (results.length === 0) return { toolRequest: { name: 'read_deploy_log', ref, input: {} } }
  if (results.length === 1) {
    const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(last) ?? []
    const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
    return { toolRequest: { name: 'retrieve_offloaded_content', ref, input } }
  }
  const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(last) ?? []
  return { text: `The deployment failed as a disk was full: "${line}".` }
}

function describe({ role, content }: MessageData): SeenMessage {
  const text = content.map(textOf).join('\n')
  return { role, tokens: estimateTokens(text), text }
}

function textOf({ text, toolRequest, toolResponse }: Part): string {
  if (toolRequest !== undefined) return `${toolRequest.name} ${JSON.stringify(toolRequest.input)}`
  if (toolResponse === undefined) return text ?? ''
  return typeof toolResponse.output === 'string' ? toolResponse.output : JSON.stringify(toolResponse.output)
}

if (process.argv[1] === import.meta.filename) {
  const { answer, prompts, logTokens } = await investigate(chooseGenkit(process.env), new Date().toISOString())
  let known = 0
  for (const [index, prompt] of prompts.entries()) {
    const tokens = prompt.reduce((sum, message) => sum + message.tokens, 0)
    console.log(`\n=== Model call ${index + 1}: ${tokens} tokens; the log alone has ${logTokens} ===`)
    for (const message of prompt.slice(known))
      console.log(`\n[${message.role}, ${message.tokens} tokens]\n${message.text}`)
    known = prompt.length
  }
  console.log(`\n=== The answer ===\n\n${answer}`)
}
