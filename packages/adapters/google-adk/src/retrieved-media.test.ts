import { createEvent, InMemorySessionService, type Event } from '@google/adk'
import type { ModelTurn, SeenPrompt } from '@spillway-internal/adapter-suite'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'
import { expect, it } from 'vitest'
import {
  agentOf,
  calling,
  chatWith,
  newOffloader,
  referenceIn,
  scriptedModel,
  textOf,
  toolReturning,
  type Chat,
} from '../test/run-agent.ts'
import { offloadPlugin } from './offload-plugin.ts'

const PNG = pngOf('a')
const PDF = encodeBase64(new TextEncoder().encode('%PDF-1.7\n'.padEnd(300_000, 'x')))
const ZIP = encodeBase64(new TextEncoder().encode('PK'.padEnd(300_000, 'x')))

function pngOf(filling: string): string {
  return btoa('\x89PNG\r\n\x1a\n'.padEnd(1_200_000, filling))
}

const draw = toolReturning('draw', { content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })
const print = toolReturning('print', {
  content: [{ type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: PDF } }],
})
const pack = toolReturning('pack', {
  content: [{ type: 'resource', resource: { uri: 'file:///a.zip', mimeType: 'application/zip', blob: ZIP } }],
})

/** A turn of the model that retrieves the stored result of the call with this id. */
const retrieving =
  (callId: string, id: string): ((prompt: SeenPrompt) => ModelTurn) =>
  ({ results }) => {
    const reference = referenceIn(textOf(results.find(({ toolCallId }) => toolCallId === callId)))
    return calling(RETRIEVAL_TOOL_NAME, { reference }, id)
  }

const contentsOf = (prompt: SeenPrompt | undefined): { role: string; parts: Record<string, unknown>[] }[] =>
  JSON.parse(prompt?.messages ?? '[]') as never

async function chat(tools: (typeof draw)[], model: ReturnType<typeof scriptedModel>): Promise<Chat> {
  return await chatWith(agentOf({ model, tools }), [offloadPlugin(newOffloader())])
}

it("a retrieved image is shown like a user's image, after the answer, in every later prompt", async () => {
  const model = scriptedModel(calling('draw'), retrieving('call_1', 'r_1'), calling('draw', {}, 'call_2'))
  const session = await chat([draw], model)
  await session.say()
  const [answer, shown] = contentsOf(model.prompts[2]).slice(-2)
  expect(answer).toEqual({
    role: 'user',
    parts: [
      {
        functionResponse: {
          id: 'r_1',
          name: RETRIEVAL_TOOL_NAME,
          response: { result: '[image: image/png, 1,200,000 bytes]' },
        },
      },
    ],
  })
  expect(shown).toEqual({
    role: 'user',
    parts: [{ text: `Content from ${RETRIEVAL_TOOL_NAME}:` }, { inlineData: { mimeType: 'image/png', data: PNG } }],
  })
  const before = model.prompts[2]?.messages.slice(0, -1) ?? ''
  expect(model.prompts[3]?.messages.startsWith(before)).toBe(true)
})

it('a retrieved image is saved with the answer as JSON, and gives the same bytes in a later run', async () => {
  const offloader = newOffloader()
  const first = scriptedModel(calling('draw'), retrieving('call_1', 'r_1'))
  const agent = (model: typeof first): ReturnType<typeof agentOf> => agentOf({ model, tools: [draw] })
  const session = await chatWith(agent(first), [offloadPlugin(offloader)])
  await session.say()
  const saved = JSON.parse(JSON.stringify(await session.saved())) as Event[]
  const sessionService = new InMemorySessionService()
  const ids = { appName: 'app', userId: 'user', sessionId: 'session' }
  const later = await sessionService.createSession(ids)
  for (const event of saved) await sessionService.appendEvent({ session: later, event: createEvent(event) })
  const second = scriptedModel()
  await (await chatWith(agent(second), [offloadPlugin(offloader)], { sessionService })).say()
  expect(second.prompts[0]?.messages.startsWith(first.prompts[2]?.messages.slice(0, -1) ?? 'none')).toBe(true)
})

it('several media follow all answers of one message, in order', async () => {
  const model = scriptedModel(
    { toolCalls: ['draw', 'print'].map((name) => ({ id: name, name, input: {} })) },
    (prompt) => ({
      toolCalls: ['print', 'draw'].flatMap((name) => {
        const turn = retrieving(name, `r_${name}`)(prompt)
        return 'toolCalls' in turn ? turn.toolCalls : []
      }),
    }),
  )
  await (await chat([draw, print], model)).say()
  const [answers, shown] = contentsOf(model.prompts[2]).slice(-2)
  expect(answers?.parts.map((part) => Object.keys(part))).toEqual([['functionResponse'], ['functionResponse']])
  expect(
    shown?.parts.flatMap(({ inlineData }) => (inlineData as { mimeType: string } | undefined)?.mimeType ?? []),
  ).toEqual(['application/pdf', 'image/png'])
})

it('media of a type that no model accepts are described and not shown', async () => {
  const model = scriptedModel(calling('pack'), retrieving('call_1', 'r_1'))
  await (await chat([pack], model)).say()
  const last = contentsOf(model.prompts[2]).at(-1)
  expect(last?.parts).toMatchObject([
    { functionResponse: { response: { result: '[document: application/zip, 300,000 bytes]' } } },
  ])
})

it('media of other tools are unchanged', async () => {
  const small = { content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] }
  const model = scriptedModel(calling('look'))
  await (await chat([toolReturning('look', small)], model)).say()
  expect(contentsOf(model.prompts[1]).at(-1)?.parts).toMatchObject([{ functionResponse: { response: small } }])
})
