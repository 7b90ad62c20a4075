import { ChatBuilder, type ReadChat } from './chat-builder.ts'

interface Event {
  readonly source: string
  readonly action?: string
  readonly observation?: string
  readonly message?: string
  readonly content?: string
  readonly args?: { readonly content?: string }
  readonly tool_call_metadata?: {
    readonly tool_call_id: string
    readonly model_response: {
      readonly id: string
      readonly choices: readonly {
        readonly message: { readonly content: string | null; readonly tool_calls: readonly Call[] }
      }[]
    }
  }
}
interface Call {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

/**
 * Read a record of OpenHands. Its own search in the workspace (`recall`) never reached the model. An error without a
 * call was sent to the model as a message of the user.
 */
export function readOpenHands(file: string): ReadChat {
  const builder = new ChatBuilder()
  for (const event of (JSON.parse(file) as { readonly history: readonly Event[] }).history) addEvent(builder, event)
  return builder.build()
}

function addEvent(builder: ChatBuilder, event: Event): void {
  const { action, observation, tool_call_metadata: metadata } = event
  if (action === 'recall' || observation === 'recall') builder.skip()
  else if (observation !== undefined) {
    if (metadata === undefined) builder.say('user', event.content ?? '')
    else builder.result(metadata.tool_call_id, event.content ?? '')
  } else if (metadata !== undefined) addCall(builder, metadata)
  else if (action === 'system') builder.say('system', event.args?.content ?? event.message ?? '')
  else if (event.source === 'user') builder.say('user', event.args?.content ?? event.message ?? '')
  else builder.write(event.args?.content ?? event.message ?? '')
}

function addCall(builder: ChatBuilder, metadata: NonNullable<Event['tool_call_metadata']>): void {
  const { tool_call_id: id, model_response: response } = metadata
  const message = response.choices[0]?.message
  const call = message?.tool_calls.find((candidate) => candidate.id === id)
  if (message === undefined || call === undefined) throw new Error(`The response has no call ${id}.`)
  builder.write(message.tool_calls[0] === call ? (message.content ?? '') : '', response.id)
  const input: unknown = JSON.parse(call.function.arguments)
  builder.call({ id, name: call.function.name, input }, response.id, false)
}
