/**
 * A deep agent that finds out why a build failed. The build's log is far too large for a prompt, so it is stored in
 * files in `.spillway`, and the agent searches it with its own file tools.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With ANTHROPIC_API_KEY or OPENAI_API_KEY set, and
 * `npm install @langchain/anthropic` or `@langchain/openai`, a real model does the work.
 */
import { AIMessage } from '@langchain/core/messages'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { fakeModel } from '@langchain/core/testing'
import { ContextOffloader, type Storage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { deepAgentBackend, deepAgentMiddleware } from '@spillway/langchain/deepagents'
import { createDeepAgent, GENERAL_PURPOSE_SUBAGENT } from 'deepagents'
import { initChatModel, tool } from 'langchain'
import { z } from 'zod'

/** Build the project, and print a very long log. */
const runBuild = tool(
  () =>
    Array.from({ length: 20_000 }, (_, step) =>
      step === 13_579
        ? `[${step}] src/cart.ts(42,7): error TS2322: Type 'string' is not assignable to type 'number'.`
        : `[${step}] compiled src/module-${step}.ts in ${step % 40} ms`,
    ).join('\n'),
  { name: 'run_build', description: 'Build the project and return the log.', schema: z.object({}) },
)

/** The result of a run. */
export interface Diagnosis {
  /** The final answer of the agent. */
  readonly answer: string
  /** The file that the agent wrote. */
  readonly notes: string
  /** Characters of all messages of the conversation. */
  readonly promptLength: number
}

/** Run the agent in a thread whose results and files are stored in `storage`. */
export async function diagnose(storage: Storage, model: BaseChatModel, thread: string): Promise<Diagnosis> {
  const offloader = new ContextOffloader({ storage })
  const middleware = [deepAgentMiddleware(offloader)]
  const backend = deepAgentBackend(offloader)
  const agent = createDeepAgent({
    model,
    tools: [runBuild],
    middleware,
    backend,
    // Subagents need the middleware, too.
    subagents: [{ ...GENERAL_PURPOSE_SUBAGENT, tools: [runBuild], middleware }],
    systemPrompt:
      'Run the build. Find the error by grep in /large_tool_results/, and write what you found to /notes.md.',
  })
  const { messages } = await agent.invoke(
    { messages: 'Why does the build fail?' },
    { configurable: { thread_id: thread } },
  )
  const files = deepAgentBackend(offloader, { scope: () => [thread] })
  const { content = '' } = await files.read('/notes.md')
  const promptLength = messages.reduce((length, { content: one }) => length + JSON.stringify(one).length, 0)
  return { answer: messages.at(-1)?.text ?? '', notes: String(content), promptLength }
}

/** Return the model of the key that is set, otherwise a model that follows a script. */
export async function chooseModel(environment: NodeJS.ProcessEnv): Promise<BaseChatModel> {
  if (environment['ANTHROPIC_API_KEY']) return await initChatModel('anthropic:claude-sonnet-4-6')
  if (environment['OPENAI_API_KEY']) return await initChatModel('openai:gpt-5')
  const notes = 'src/cart.ts line 42 assigns a string to a number (TS2322).'
  return fakeModel()
    .respondWithTools([{ name: 'run_build', args: {}, id: 'call_1' }])
    .respondWithTools([{ name: 'grep', args: { pattern: 'error TS', path: '/large_tool_results/' }, id: 'call_2' }])
    .respondWithTools([{ name: 'write_file', args: { file_path: '/notes.md', content: notes }, id: 'call_3' }])
    .respond(new AIMessage(`The build fails: ${notes}`))
}

if (process.argv[1] === import.meta.filename) {
  const thread = new Date().toISOString()
  const { answer, notes, promptLength } = await diagnose(
    new FileStorage('.spillway'),
    await chooseModel(process.env),
    thread,
  )
  console.log(`${answer}\n\n/notes.md: ${notes}\n\nAll messages together have ${promptLength} characters.`)
}
