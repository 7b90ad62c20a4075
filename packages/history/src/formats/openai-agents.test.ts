import { expect, it } from 'vitest'
import type { HistoryContent, HistoryMessage, HistoryPart } from '../history-message.ts'
import { openAIAgents } from './openai-agents.ts'

const format = openAIAgents()

const withContent =
  (content: readonly HistoryContent[]) =>
  (message: HistoryMessage): HistoryMessage => ({
    ...message,
    parts: message.parts.map((part): HistoryPart => (part.type === 'tool-result' ? { ...part, content } : part)),
  })

it('keeps the form of an output: a text, one part alone, or parts', () => {
  const item = { type: 'function_call_result', name: 'read', callId: 'c', status: 'completed' }
  const items = [
    { ...item, output: 'long' },
    { ...item, output: { type: 'text', text: 'long', providerData: { kept: true } } },
    { ...item, output: { type: 'image', image: { data: 'iVBORw0KGgo=', mediaType: 'image/png' } } },
    { ...item, output: [{ type: 'input_text', text: 'long' }] },
  ]
  const messages = format.read(items)
  expect(messages.map(({ parts: [part] }) => part?.type === 'tool-result' && part.content[0]?.type)).toEqual([
    'text',
    'text',
    'image',
    'text',
  ])
  expect(
    format
      .write(messages.map(withContent([{ type: 'text', text: 'short' }])))
      .map((one) => (one as (typeof items)[0]).output),
  ).toEqual([
    'short',
    { type: 'text', text: 'short' },
    { type: 'text', text: 'short' },
    [{ type: 'input_text', text: 'short' }],
  ])
})

it('reads images, sounds and files by what they have, and keeps those by id', () => {
  const content = [
    { type: 'input_image', image: 'data:image/png;base64,iVBORw0KGgo=' },
    { type: 'input_image', image: { id: 'f' } },
    { type: 'input_file', file: { url: 'https://example.com/a.pdf' }, filename: 'a.pdf' },
    { type: 'input_file', file: 'JVBERi0=' },
    { type: 'audio', audio: 'AAAA', format: 'mp3' },
  ]
  expect(format.read([{ role: 'user', content }])[0]?.parts).toMatchObject([
    { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
    { type: 'opaque' },
    { type: 'document', url: 'https://example.com/a.pdf', name: 'a.pdf' },
    { type: 'document', base64: 'JVBERi0=' },
    { type: 'audio', mediaType: 'audio/mp3', base64: 'AAAA' },
  ])
})
