import type { GenerateMiddlewareDef, ToolResponsePart } from 'genkit'

/** What a turn of the loop is about to do, as Genkit shows it to a middleware. */
type Turn = Parameters<NonNullable<GenerateMiddlewareDef['generate']>>[0]

/**
 * Offload what the program replies to interrupted tool calls: so come the results of tools that it, or a client, runs
 * itself. Returns the very turn where there is none.
 */
export async function offloadReplies(
  turn: Turn,
  offload: (part: ToolResponsePart, input: unknown) => Promise<ToolResponsePart>,
): Promise<Turn> {
  const { messages, resume } = turn.request
  if (resume?.respond === undefined) return turn
  const calls = messages.at(-1)?.content.map(({ toolRequest }) => toolRequest) ?? []
  const replies = resume.respond.map(async (part) => {
    const { name, ref } = part.toolResponse
    return offload(part, calls.find((call) => call?.name === name && call.ref === ref)?.input)
  })
  return { ...turn, request: { ...turn.request, resume: { ...resume, respond: await Promise.all(replies) } } }
}
