/** Agents for unit tests, with a fake model that follows a script, and a tool that reads a log. */
import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import {
  Agent,
  NullConversationManager,
  SessionManager,
  tool,
  type AgentConfig,
  type ToolResultBlock,
} from '@strands-agents/sdk'
import { FakeModel } from './fake-model.ts'

/** A log of about 60 KB, in which only line 1,321 has `FAILED`. */
export const LOG: string = Array.from(
  { length: 1_500 },
  (_, index) => `line ${index + 1}: status=${index === 1_320 ? 'FAILED' : 'done'} in ${index % 97} ms`,
).join('\n')

/** Reads the log. */
export const readLog: ReturnType<typeof tool> = tool({
  name: 'read_log',
  description: 'Read the log.',
  callback: () => LOG,
})

/** A turn of the model: the name of a tool to call without input, or a function of the prompt. */
export type Turn = string | ((prompt: SeenPrompt) => ModelTurn)

/** A model that takes these turns in each run, and then says that it is done. */
export function scriptedModel(...turns: readonly Turn[]): FakeModel {
  let call = 0
  return new FakeModel((prompt) => {
    const turn = turns[call]
    call = turn === undefined ? 0 : call + 1
    if (turn === undefined) return { text: 'done' }
    return typeof turn === 'string' ? { toolCalls: [{ id: `call_${call}`, name: turn, input: {} }] } : turn(prompt)
  })
}

/** Make an agent that prints nothing and keeps all its messages. */
export function agentWith(config: AgentConfig): Agent {
  return new Agent({ printer: false, conversationManager: new NullConversationManager(), ...config })
}

/** List the results of tools in an agent's messages. */
export function resultsOf({ messages }: Agent): ToolResultBlock[] {
  return messages.flatMap(({ content }) => content.filter((block) => block.type === 'toolResultBlock'))
}

/** Return the text of a result. */
export function textOf(result: ToolResultBlock | undefined): string {
  return (result?.content ?? []).map((content) => (content.type === 'textBlock' ? content.text : '')).join('\n')
}

/** Return the first reference in a result. */
export function referenceIn(text: string): string {
  return /^ {2}(\S+) \(/m.exec(text.slice(text.lastIndexOf('[Stored references:]')))?.[1] ?? ''
}

/** Make a model turn that retrieves by the given reference, or by the first reference of the last result. */
export function retrieving(input: object, reference?: string): Turn {
  return ({ results }) => {
    const [block] = results.at(-1)?.content ?? []
    const found = reference ?? referenceIn(block?.type === 'text' ? block.text : '')
    return {
      toolCalls: [{ id: 'retrieval_1', name: 'retrieve_offloaded_content', input: { reference: found, ...input } }],
    }
  }
}

/** Make a model turn that searches everything. */
export function searching(pattern: string): Turn {
  return () => ({ toolCalls: [{ id: 'retrieval_2', name: 'retrieve_offloaded_content', input: { pattern } }] })
}

/** Make a session manager that has a session id and saves nothing. */
export function sessionManager(sessionId: string): SessionManager {
  const snapshot = {
    saveSnapshot: async () => undefined,
    loadSnapshot: async () => null,
    listSnapshotIds: async () => [],
    deleteSession: async () => undefined,
    loadManifest: () => Promise.reject(new Error('There is none.')),
    saveManifest: async () => undefined,
  }
  return new SessionManager({ sessionId, storage: { snapshot } })
}
