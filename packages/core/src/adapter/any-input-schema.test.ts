import { expect, it, onTestFinished, vi } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader, tellHiddenTool } from '../offload/context-offloader.ts'
import { RETRIEVAL_TOOL_NAME } from '../retrieval/retrieval-tool.ts'
import { anyInputSchema } from './any-input-schema.ts'

const SCHEMA = { type: 'object', properties: { reference: { type: 'string' } }, required: ['reference'] }

it('anyInputSchema shows its schema to models', () => {
  const { jsonSchema } = anyInputSchema(SCHEMA)['~standard']
  expect(jsonSchema.input()).toEqual(SCHEMA)
  expect(jsonSchema.output()).toEqual(SCHEMA)
})

it('anyInputSchema gives each reader its own copy', () => {
  const { jsonSchema } = anyInputSchema(Object.freeze(SCHEMA))['~standard']
  const first = jsonSchema.input()
  first['additionalProperties'] = false
  expect(jsonSchema.input()).toEqual(SCHEMA)
})

it.each([[undefined], [null], ['text'], [{ unknown: 1 }]])('anyInputSchema accepts %o', (value) => {
  expect(anyInputSchema(SCHEMA)['~standard'].validate(value)).toEqual({ value })
})

const hidden = (toolName: string): object => ({ type: 'retrieval-tool-hidden', toolName })

async function setUp(includeRetrievalTool = true): Promise<{ offloader: ContextOffloader; events: object[] }> {
  const events: object[] = []
  const storage = Object.assign(tinyStorage(), { locate: () => ({ command: 'cat a' }) })
  const onEvent = (event: object): void => void events.push(event)
  const offloader = new ContextOffloader({ storage, includeRetrievalTool, onEvent })
  tellHiddenTool(offloader, [])
  const content = [{ type: 'text', text: 'a line\n'.repeat(5_000) }] as const
  await offloader.offload({ toolName: 'read', toolCallId: '1', content })
  return { offloader, events }
}

it('an event is emitted once if a model does not get the tool that previews name', async () => {
  const { offloader, events } = await setUp()
  tellHiddenTool(offloader, [{ name: 'read' }, { name: RETRIEVAL_TOOL_NAME }])
  expect(events).toMatchObject([{ type: 'offload' }])
  tellHiddenTool(offloader, [{ name: 'read' }, {}])
  tellHiddenTool(offloader, [])
  expect(events.slice(1)).toEqual([hidden(RETRIEVAL_TOOL_NAME)])
})

it('a process warning replaces the event if there is no listener', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => emitWarning.mockRestore())
  const offloader = new ContextOffloader({ storage: tinyStorage() })
  await offloader.offload({ toolName: 'read', toolCallId: '1', content: [{ type: 'text', text: 'a\n'.repeat(9_000) }] })
  tellHiddenTool(offloader, [])
  tellHiddenTool(offloader, [])
  expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
    'The model is not offered the tool retrieve_offloaded_content. Add it to the tools of the model.',
  ])
})

it('the check for a missing tool uses the tool name that previews use', async () => {
  const { offloader, events } = await setUp()
  const named = offloader.withRetrievalToolName('read_stored')
  tellHiddenTool(named, [{ name: 'read_stored' }])
  tellHiddenTool(named, [{ name: RETRIEVAL_TOOL_NAME }])
  expect(events.slice(1)).toEqual([hidden('read_stored')])
})

it('no event is emitted for an offloader without a retrieval tool', async () => {
  const { offloader, events } = await setUp(false)
  tellHiddenTool(offloader, [])
  expect(events).toMatchObject([{ type: 'offload' }])
})
