import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/spillway.ts'
import { readTranscript } from './read-transcript.ts'
import { conversationOf, lineOf, type Transcript } from './transcript.ts'
import { assertOutput, writeTranscript } from './write-transcript.ts'

interface ChatMessage {
  readonly role: string
  readonly content: string
}

const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief: "ja", \\ und ö.' },
  { role: 'user', content: 'One, two, [three] {four}?' },
  { role: 'assistant', content: 'Five.' },
]

/** Layouts of a file with these messages: title, file name, and a function that writes the messages. */
const LAYOUTS: readonly (readonly [string, string, (messages: readonly unknown[]) => string])[] = [
  ['a list on one line', 'a.json', (messages) => JSON.stringify(messages)],
  ['an indented list', 'a.json', (messages) => `${JSON.stringify(messages, undefined, 2)}\n`],
  ['a list indented by tabs', 'a.json', (messages) => JSON.stringify(messages, undefined, '\t')],
  [
    'a document',
    'a.json',
    (messages) =>
      `${JSON.stringify({ model: 'm', tools: [{ name: 'messages' }], messages, stream: true }, undefined, 2)}\n`,
  ],
  ['a document on one line', 'a.json', (messages) => JSON.stringify({ messages, model: 'm' })],
  ['a document of a log', 'a.traj', (messages) => JSON.stringify({ info: {}, history: messages })],
  ['lines', 'a.jsonl', (messages) => messages.map((message) => `${JSON.stringify(message)}\n`).join('')],
  [
    'lines without an end, in a file of any name',
    'a.log',
    (messages) => messages.map((message) => JSON.stringify(message)).join('\n'),
  ],
  [
    'lines with blank ones between, and those of Windows',
    'a.ndjson',
    (messages) => messages.map((message) => `${JSON.stringify(message)} \r\n\r\n`).join(''),
  ],
  [
    'lines behind a byte order mark',
    'a.jsonl',
    (messages) => `\uFEFF${messages.map((message) => JSON.stringify(message)).join('\n')}`,
  ],
]

async function read(name: string, text: string): Promise<Transcript> {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, text)
  return await readTranscript(path)
}

async function rewrite(transcript: Transcript, messages: readonly unknown[], system?: unknown): Promise<string> {
  const path = join(temporaryFolder(), 'out')
  await writeTranscript(transcript, { messages, system }, { path, overwrites: false })
  return readFileSync(path, 'utf8')
}

describe.each(LAYOUTS)('%s', (_, name, layout) => {
  test('is read with the line of each message', async () => {
    const text = layout(MESSAGES)
    const transcript = await read(name, text)
    expect(conversationOf(transcript)).toEqual(MESSAGES)
    expect(transcript.format.name).toBe('openai-chat')
    for (const [index, { line }] of transcript.messages.entries()) {
      expect(lineOf(transcript, index)).toBe(line)
      if (line !== undefined) expect(text.split('\n')[line - 1]).toContain(JSON.stringify(MESSAGES[index]))
    }
  })

  test('is restored byte for byte if nothing has changed', async () => {
    const text = layout(MESSAGES)
    const transcript = await read(name, text)
    expect(
      await rewrite(
        transcript,
        transcript.messages.map(({ value }) => value),
      ),
    ).toBe(text)
  })

  test('keeps the JSON style of a changed message, and every byte of the others', async () => {
    const text = layout(MESSAGES)
    const transcript = await read(name, text)
    const changed = { ...MESSAGES[1]!, content: 'Changed.' }
    const messages = transcript.messages.map(({ value }, index) => (index === 1 ? changed : value))
    expect(await rewrite(transcript, messages)).toBe(layout([MESSAGES[0], changed, MESSAGES[2]]))
  })

  test('can have other messages before, between and after its own messages, or fewer messages', async () => {
    const known = fc.constantFrom(0, 1, 2)
    const added = fc.string({ unit: 'grapheme' }).map((content): ChatMessage => ({ role: 'user', content }))
    const transcript = await read(name, layout(MESSAGES))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(known),
        fc.array(fc.tuple(fc.nat(3), added), { maxLength: 3 }),
        async (retained, more) => {
          const messages: unknown[] = retained
            .toSorted((a, b) => a - b)
            .map((index) => transcript.messages[index]!.value)
          for (const [at, message] of more) messages.splice(at, 0, message)
          if (messages.length === 0) return
          const written = await read(name, await rewrite(transcript, messages))
          expect(conversationOf(written)).toEqual(messages)
        },
      ),
      { numRuns: 25 },
    )
  })
})

test('a separate system prompt is read, changed, added and removed', async () => {
  const messages = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'b' }] }]
  for (const indent of [undefined, 2]) {
    const text = JSON.stringify({ model: 'm', system: 'Be brief.', messages }, undefined, indent)
    const without = JSON.stringify({ model: 'm', messages }, undefined, indent)
    const transcript = await read('a.json', text)
    expect(conversationOf(transcript)).toEqual({ system: 'Be brief.', messages })
    const values = transcript.messages.map(({ value }) => value)
    expect(await rewrite(transcript, values, 'Be long.')).toBe(text.replace('brief', 'long'))
    expect(await rewrite(transcript, values)).toBe(without)
    const bare = await read('a.json', without)
    const withSystem = await rewrite(
      bare,
      bare.messages.map(({ value }) => value),
      'Be brief.',
    )
    expect(JSON.parse(withSystem)).toEqual(JSON.parse(text))
  }
  const nothing = await read('a.json', JSON.stringify({ messages, system: null }))
  expect(conversationOf(nothing)).toEqual({ messages })
  expect(
    JSON.parse(
      await rewrite(
        nothing,
        nothing.messages.map(({ value }) => value),
        'New.',
      ),
    ),
  ).toMatchObject({
    system: 'New.',
  })
})

test('a transcript that changed since it was read is not written', async () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  const line = `${JSON.stringify(MESSAGES[1])}\n`
  writeFileSync(path, line)
  const transcript = await readTranscript(path)
  writeFileSync(path, line + line)
  const messages = transcript.messages.map(({ value }) => value)
  const written = writeTranscript(
    transcript,
    { messages, system: undefined },
    { path: `${path}.out`, overwrites: false },
  )
  await expect(written).rejects.toThrow('was changed by another program')
})

describe('a session of Claude Code', () => {
  const entry = (type: string, content: unknown, more: object = {}): string =>
    JSON.stringify({ parentUuid: null, type, message: { role: type, content }, uuid: 'u', ...more })

  test('is recognized by its first message, and keeps every other line', async () => {
    const lines = [
      '{"type":"summary","summary":"Something","leafUuid":"x"}',
      '{"type":"progress", "data":{"message":{"role":"user"}}}',
      entry('user', 'One?'),
      entry('assistant', [{ type: 'text', text: 'Two.' }], { toolUseResult: { message: 'no' } }),
      '{"type":"system","subtype":"turn_duration"}',
      '',
    ]
    const transcript = await read('a.jsonl', lines.join('\n'))
    expect(transcript.format.name).toBe('claude-code')
    expect(transcript.messages.map(({ line }) => line)).toEqual([3, 4])
    const [first, second] = transcript.messages.map(({ value }) => value as Record<string, unknown>)
    const changed = await rewrite(transcript, [{ ...first, content: 'Three?' }, second])
    expect(changed).toBe(lines.join('\n').replace('One?', 'Three?'))
    await expect(rewrite(transcript, [first])).rejects.toThrow(
      'The number of messages in a session transcript cannot change',
    )
    await expect(rewrite(transcript, [first, second], 'Be brief.')).rejects.toThrow('cannot contain a system prompt')
  })

  test('has only the messages that its model sees: messages after the last compaction, without sub-agents', async () => {
    const transcript = await read(
      'a.jsonl',
      [
        entry('user', 'Old.'),
        entry('assistant', 'Old.'),
        '{"type":"system","subtype":"compact_boundary"}',
        entry('user', 'New.'),
        entry('user', 'Of a sub-agent.', { isSidechain: true }),
      ].join('\n'),
    )
    expect(transcript.messages.map(({ value }) => value)).toEqual([{ role: 'user', content: 'New.' }])
    expect(transcript.notes).toEqual([
      'Unchanged: 2 messages before the last compaction, because no model sees them.',
      'Unchanged: 1 message of sub-agents.',
    ])
  })

  test('of a sub-agent has the messages of that sub-agent', async () => {
    const transcript = await read('a.jsonl', entry('user', 'Of a sub-agent.', { isSidechain: true }))
    expect(transcript.messages).toHaveLength(1)
    expect(transcript.notes).toEqual([])
  })
})

test.skipIf(process.platform === 'win32')(
  'a transcript is written into a pipe, which is not replaced by a file',
  async () => {
    const text = `${JSON.stringify(MESSAGES[1])}\n`
    const transcript = await read('a.jsonl', text)
    const path = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    const messages = transcript.messages.map(({ value }) => value)
    for (const overwrites of [false, true]) {
      await assertOutput({ path, overwrites })
      const arrived = readFile(path, 'utf8')
      await writeTranscript(transcript, { messages, system: undefined }, { path, overwrites })
      expect(await arrived).toBe(text)
      expect(statSync(path).isFIFO()).toBe(true)
    }
  },
)

test.each([
  ['a.jsonl', '{"role":"user","content":"a"}\n{"role":"user"\n', ':2: the line is not JSON.'],
  ['a.jsonl', '{"role":"user","content":"a"}\n[1]\n', ':2: the line is not a JSON object'],
  ['a.jsonl', '{"messages":[]}\n{"messages":[]}\n', ':1: the line has a whole conversation.'],
  ['a.json', '[\n  {"role":"user"},\n  {"role":user}\n]', ': the file is not JSON.'],
  ['a.json', '[\n  {"role":"user"}\n  {"role":"user"}\n]', ':3: the file is not JSON.'],
  ['a.json', '[\n  {"role":"user"},\n', ': the file is not JSON.'],
  ['a.json', '{\n  "messages": [{"role":"user"}],\n  "model": m\n}', ': the file is not JSON.'],
  ['a.json', '{\n  "model": "m"\n}', ': the document has no list of messages under messages, contents, input'],
  ['a.json', '[]', ': has no messages.'],
  ['a.json', '', ': has no messages.'],
  ['a.txt', '\n# Title\n', ':2: is not JSON.'],
  ['a.json', '[\n {"speaker":"user","text":"a"}]', ': messages of an unknown format.'],
])(
  'a transcript with %s and %j is refused, and the error has the line number if possible',
  async (name, text, message) => {
    const reading = read(name, text)
    await expect(reading).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(name + message) })
  },
)

test('bytes that are not UTF-8 are refused', async () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  writeFileSync(
    path,
    Buffer.concat([Buffer.from('{"role":"user","content":"a'), Buffer.from([0xff]), Buffer.from('"}')]),
  )
  await expect(readTranscript(path)).rejects.toThrow(': the file is not UTF-8 text.')
})
