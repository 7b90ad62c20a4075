import type { ToolResponsePart } from 'genkit'
import { expect, it } from 'vitest'
import { offloadReplies } from './offload-replies.ts'

type Turn = Parameters<typeof offloadReplies>[0]

const call = (ref: string, input: unknown) => ({ toolRequest: { name: 'ask', ref, input } })
const reply = (ref: string, output: string): ToolResponsePart => ({ toolResponse: { name: 'ask', ref, output } })

function turnWith(resume: Turn['request']['resume']): Turn {
  const content = [{ text: 'I ask.' }, call('call_1', { of: 'one' }), call('call_2', { of: 'two' })]
  return { request: { messages: [{ role: 'model', content }], resume }, currentTurn: 0, messageIndex: 3 }
}

const upperCase = async (part: ToolResponsePart, input: unknown): Promise<ToolResponsePart> => ({
  ...part,
  toolResponse: {
    ...part.toolResponse,
    output: `${String(part.toolResponse.output).toUpperCase()} ${JSON.stringify(input)}`,
  },
})

it('replaces each reply, with the input of the call that it answers', async () => {
  const respond = [reply('call_2', 'b'), reply('call_1', 'a'), reply('call_9', 'none')]
  const restart = [call('call_3', {})]
  const turn = turnWith({ respond, restart, metadata: { by: 'user' } })
  const replied = await offloadReplies(turn, upperCase)
  expect(replied).toEqual({
    ...turn,
    request: {
      ...turn.request,
      resume: {
        restart,
        metadata: { by: 'user' },
        respond: [
          reply('call_2', 'B {"of":"two"}'),
          reply('call_1', 'A {"of":"one"}'),
          reply('call_9', 'NONE undefined'),
        ],
      },
    },
  })
  expect(turn.request.resume?.respond).toBe(respond)
})

it.each<Turn>([turnWith(undefined), turnWith({}), turnWith({ restart: [call('call_1', {})] })])(
  'returns the very turn where nothing is replied',
  async (turn) => {
    expect(await offloadReplies(turn, () => Promise.reject(new Error('not needed')))).toBe(turn)
  },
)
