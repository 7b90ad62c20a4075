import { ChatBuilder, type ReadChat } from './chat-builder.ts'

interface Message {
  readonly role: string
  readonly content: string | null
  readonly tool_call_id?: string
  readonly tool_calls?:
    | readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
    | null
}

/** Read a trajectory of tau-bench, which already has messages of OpenAI's API. */
export function readTauBench(file: string): ReadChat {
  const builder = new ChatBuilder()
  for (const [index, message] of (JSON.parse(file) as { readonly traj: readonly Message[] }).traj.entries()) {
    const { role, content, tool_call_id: callId, tool_calls: calls } = message
    if (role === 'tool') builder.result(callId ?? '', content ?? '')
    else if (role === 'assistant') {
      if (content !== null && content !== '') builder.write(content, String(index))
      for (const { id, function: called } of calls ?? [])
        builder.call({ id, name: called.name, input: JSON.parse(called.arguments) }, String(index))
    } else builder.say(role === 'system' ? 'system' : 'user', content ?? '')
  }
  return builder.build()
}
