import type { MessageData } from 'genkit'
import type { GenkitBeta } from 'genkit/beta'
import type { Round, RoundResult, RunOptions, Send } from './round.ts'
import { hasAgents } from './version.ts'

/** An agent of Genkit 1.39 and newer, whose program keeps the state. */
interface AgentMaker {
  defineAgent(options: RunOptions & { readonly name: string }): {
    chat(init: { readonly state: { readonly sessionId: string; readonly messages: readonly MessageData[] } }): {
      send(input: object, options: { readonly abortSignal?: AbortSignal }): Promise<RoundResult>
    }
  }
}

/** A session of Genkit before 1.39, in which chats run. */
interface SessionMaker {
  loadSession(
    id: string,
    options: { readonly store: object },
  ): Promise<{ chat(options: RunOptions): { send(round: Round): Promise<RoundResult> } }>
}

/** Open the session with this id, in the way of the installed version. */
export function openSession(ai: GenkitBeta, options: RunOptions, id: string, messages: readonly MessageData[]): Send {
  // The types of each version contain only one of the two.
  return hasAgents
    ? openAgent(ai as unknown as AgentMaker, options, id, messages)
    : openChat(ai as unknown as SessionMaker, options, id, messages)
}

function openAgent(ai: AgentMaker, options: RunOptions, sessionId: string, messages: readonly MessageData[]): Send {
  const chat = ai.defineAgent({ ...options, name: 'agent' }).chat({ state: { sessionId, messages } })
  return async ({ prompt, resume, abortSignal }) => {
    const input = prompt === undefined ? { resume } : { message: { role: 'user', content: [{ text: prompt }] } }
    return chat.send(input, abortSignal === undefined ? {} : { abortSignal })
  }
}

function openChat(ai: SessionMaker, options: RunOptions, id: string, messages: readonly MessageData[]): Send {
  const store = { get: async () => ({ id, threads: { main: messages } }), save: async () => {} }
  const opened = ai.loadSession(id, { store }).then((session) => session.chat(options))
  return async (round) => (await opened).send(round)
}
