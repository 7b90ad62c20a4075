import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { numbered, spillway, start, BIN, HAS_SCRIPT, temporaryFolder, type Ended } from '../../test/spillway.ts'
import { say, scriptedModel } from '../../test/serve/scripted-model.ts'

// Each runs several processes.
vi.setConfig({ testTimeout: 90_000 })

const LOG = numbered(2_000)
const SNAPSHOT =
  '<state_snapshot>\n<overall_goal>Find the fault</overall_goal>\n<key_knowledge>The logs are fine</key_knowledge>\n</state_snapshot>'

/** A conversation in which two logs were read, as messages of OpenAI's chat API. */
const CHAT = [
  { role: 'user', content: 'Why did it fail?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_log', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: LOG },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_2', type: 'function', function: { name: 'read_log', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_2', content: `second\n${LOG}` },
  { role: 'assistant', content: 'It did not.' },
]

/** The same for Anthropic's API. */
const ANTHROPIC = [
  { role: 'user', content: 'Why did it fail?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_log', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: LOG }] },
  { role: 'assistant', content: [{ type: 'text', text: 'It did not.' }] },
]

const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** A file of each kind, and how it is called. */
const FILES: readonly (readonly [string, string, string])[] = [
  ['OpenAI chat messages', 'chat.json', JSON.stringify(CHAT, undefined, 2)],
  ['OpenAI chat messages', 'chat.jsonl', lines(CHAT)],
  ['OpenAI chat messages', 'request.json', JSON.stringify({ model: 'm', messages: CHAT, stream: false }, undefined, 4)],
  ['Anthropic messages', 'anthropic.json', JSON.stringify({ max_tokens: 9, system: 'Be brief.', messages: ANTHROPIC })],
  ['Anthropic messages', 'list.json', JSON.stringify(ANTHROPIC)],
  [
    'a session of Claude Code',
    'session.jsonl',
    lines([
      { type: 'summary', summary: 'About a fault', leafUuid: 'x' },
      ...ANTHROPIC.map((message, index) => ({ parentUuid: null, type: message.role, message, uuid: `u${index}` })),
    ]),
  ],
  [
    'OpenAI Responses items',
    'responses.json',
    JSON.stringify({
      input: [
        { role: 'user', content: 'Why did it fail?' },
        { type: 'function_call', call_id: 'call_1', name: 'read_log', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: LOG },
        { role: 'assistant', content: 'It did not.' },
      ],
    }),
  ],
  [
    'items of the OpenAI Agents SDK',
    'agents.jsonl',
    lines([
      { role: 'user', content: 'Why did it fail?' },
      { type: 'function_call', callId: 'call_1', name: 'read_log', arguments: '{}' },
      { type: 'function_call_result', callId: 'call_1', name: 'read_log', status: 'completed', output: LOG },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'No.' }] },
    ]),
  ],
  [
    'model messages of the AI SDK',
    'ai-sdk.json',
    JSON.stringify([
      { role: 'user', content: 'Why did it fail?' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read_log', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read_log', output: { type: 'text', value: LOG } }],
      },
      { role: 'assistant', content: 'It did not.' },
    ]),
  ],
  [
    'Gemini contents',
    'gemini.json',
    JSON.stringify({
      contents: [
        { role: 'user', parts: [{ text: 'Why did it fail?' }] },
        { role: 'model', parts: [{ functionCall: { name: 'read_log', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'read_log', response: { output: LOG } } }] },
        { role: 'model', parts: [{ text: 'It did not.' }] },
      ],
    }),
  ],
]

interface Bench {
  readonly cwd: string
  readonly run: (...args: readonly string[]) => Promise<Ended>
  readonly text: (name: string) => string
}

function bench(name: string, text: string): Bench {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), text)
  return {
    cwd,
    run: (command = '', ...args) => spillway(['history', command, ...args], { cwd }),
    text: (file) => readFileSync(join(cwd, file), 'utf8'),
  }
}

describe('compact', () => {
  test.each(FILES)(
    '%s in %s become smaller, and come back byte by byte',
    { timeout: 60_000 },
    async (title, name, text) => {
      const { run, text: textOf } = bench(name, text)
      const compacted = await run('compact', name, '--max-total-tokens', '5000', '--output', 'out')
      expect(compacted).toMatchObject({ code: 0, stderr: '' })
      expect(compacted.stdout).toContain(`${name}: ${title}, `)
      expect(compacted.stdout).toMatch(/ {2}read_log +1\d,\d{3} +1?\d\d {2}reference\n/)
      expect(compacted.stdout).toMatch(
        /\d tokens became [\d,]+, \d %\. It fits the limit of 5,000\.\nStored [12] originals? of/,
      )
      const smaller = textOf('out')
      expect(smaller.length).toBeLessThan(3_000)
      expect(smaller).toMatch(
        name === 'session.jsonl' ? /: spillway get \w+ reads it/ : /retrieve_offloaded_content reads it/,
      )
      expect(await run('expand', 'out', '--output', 'back')).toMatchObject({ code: 0, stderr: '' })
      expect(textOf('back')).toBe(text)
    },
  )

  test('without --output says what would come out, and writes nothing at all', async () => {
    const { cwd, run, text } = bench('chat.jsonl', lines(CHAT))
    const { code, stdout } = await run('compact', 'chat.jsonl', '--keep-recent', '0')
    expect(code).toBe(0)
    expect(stdout).toContain(
      'Nothing is written. --output FILE stores 2 originals of 85.8 kB and writes the transcript.',
    )
    expect(text('chat.jsonl')).toBe(lines(CHAT))
    expect(existsSync(join(cwd, '.spillway'))).toBe(false)
    // What it says is what happens.
    const written = await run('compact', 'chat.jsonl', '--keep-recent', '0', '--output', 'out')
    const total = /[\d,]+ tokens became .*/
    expect(total.exec(written.stdout)?.[0]).toBe(total.exec(stdout)?.[0])
  })

  test('keeps what JavaScript cannot hold of a message that becomes smaller, and the escapes of Python', async () => {
    const python = (text: string): string =>
      text.replaceAll('":', '": ').replaceAll(',"', ', "').replaceAll('ö', '\\u00f6')
    const made = lines(CHAT.map((message) => ({ ...message, id: 1, note: 'schön' })))
    const text = python(made).replaceAll('"id": 1,', '"id": 12345678901234567890, "cost": 1.0,')
    const { run, text: textOf } = bench('chat.jsonl', text)
    await run('compact', 'chat.jsonl', '--max-total-tokens', '3000', '--output', 'out')
    expect(textOf('out').match(/"id": 12345678901234567890, "cost": 1\.0/g)).toHaveLength(CHAT.length)
    expect(textOf('out').length).toBeLessThan(4_000)
    await run('expand', 'out', '--output', 'back')
    expect(textOf('back')).toBe(text)
  })

  test('never writes over a file unasked, and in place where it is asked', async () => {
    const { cwd, run, text } = bench('chat.json', JSON.stringify(CHAT))
    for (const output of ['chat.json', './chat.json']) {
      const refused = await run('compact', 'chat.json', '-o', output)
      expect(refused).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).toContain('is there already. To replace it, add --force.')
    }
    expect(existsSync(join(cwd, '.spillway'))).toBe(false)
    expect(text('chat.json')).toBe(JSON.stringify(CHAT))
    chmodSync(join(cwd, 'chat.json'), 0o640)
    const mode = statSync(join(cwd, 'chat.json')).mode
    expect(await run('compact', 'chat.json', '-o', 'chat.json', '--force')).toMatchObject({ code: 0 })
    expect(text('chat.json').length).toBeLessThan(3_000)
    expect(statSync(join(cwd, 'chat.json')).mode).toBe(mode)
    expect(await run('expand', 'chat.json', '-o', 'chat.json', '--force')).toMatchObject({ code: 0 })
    expect(text('chat.json')).toBe(JSON.stringify(CHAT))
  })

  test('writes to standard output, and its report beside it', async () => {
    const { run } = bench('chat.json', JSON.stringify(CHAT))
    const { code, stdout, stderr } = await run('compact', 'chat.json', '--output', '-')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(CHAT.length)
    expect(stderr).toContain('It fits the limit of 20,000.')
  })

  test('exits with 1 where it does not fit, and says which messages are in the way', async () => {
    const { run } = bench('chat.jsonl', lines([...CHAT, { role: 'user', content: 'a word '.repeat(9_000) }]))
    const { code, stdout } = await run('compact', 'chat.jsonl', '--max-total-tokens', '1000', '--mode', 'compact')
    expect(code).toBe(1)
    expect(stdout).toContain('It does not fit the limit of 1,000.')
    expect(stdout).toMatch(
      /Message 7 on line 7 \([\d,]+ tokens\): It is one of the last messages, which stay\. Lower --keep-recent, or raise --max-total-tokens\./,
    )
    const nowhere = await run('compact', 'chat.jsonl', '--output', 'chat.jsonl/below')
    expect(nowhere).toMatchObject({ code: 1, stderr: 'spillway: chat.jsonl/below: cannot be read (ENOTDIR).\n' })
    const within = await run('compact', 'chat.jsonl', '--max-total-tokens', '100000')
    expect(within.code).toBe(0)
    expect(within.stdout).toContain('within the limit of 100,000. Nothing was to be done.')
  })

  test('says what would happen by an estimate, and asks neither the store nor the model', async () => {
    const { run } = bench('chat.jsonl', lines(CHAT))
    const nowhere = ['--store', 'redis://127.0.0.1:1', '--model', 'm', '--model-base-url', 'http://127.0.0.1:1']
    const { code, stdout, stderr } = await run('compact', 'chat.jsonl', '--plan', ...nowhere)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/tool +read_log +1\d,\d{3} +\? {2}reference\n/)
    expect(stdout).toMatch(/[\d,]+ tokens would become about [\d,]+; the limit is 20,000\. Nothing has been done\./)
  })

  test('prints JSON for scripts', async () => {
    const { run } = bench('session.jsonl', FILES[5]![2])
    const { code, stdout } = await run('compact', 'session.jsonl', '--json', '--max-total-tokens', '9000', '-o', 'out')
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as { readonly messages: readonly unknown[] }
    expect(report).toMatchObject({
      file: 'session.jsonl',
      format: 'claude-code',
      layout: 'session',
      applied: ['compact'],
      fits: true,
      obstacles: [],
      unchanged: 2,
      stored: [{ kind: 'text', size: LOG.length, number: 3 }],
      failures: [],
      output: 'out',
    })
    expect(report.messages[2]).toMatchObject({
      number: 3,
      line: 4,
      role: 'tool',
      tool: 'read_log',
      reason: 'compacted',
    })
    const planned = await run('compact', 'session.jsonl', '--json', '--plan', '--max-total-tokens', '9000')
    expect(JSON.parse(planned.stdout)).toMatchObject({ plan: true, isOver: true, messages: { 2: { after: null } } })
  })

  test('writes a plot', async () => {
    const { run, text } = bench('chat.json', JSON.stringify(CHAT))
    expect(await run('compact', 'chat.json', '--plot', 'tokens.svg')).toMatchObject({ code: 0, stderr: '' })
    const svg = text('tokens.svg')
    expect(svg).toMatch(/^<svg /)
    expect(svg).toContain('Tokens of each message: chat.json')
    expect(svg.match(/<g><title>Message /g)).toHaveLength(CHAT.length)
    expect(await run('compact', 'chat.json', '--plot', 'tokens.svg')).toMatchObject({ code: 2 })
    expect(await run('compact', 'chat.json', '--plot', 'nowhere/tokens.svg')).toMatchObject({ code: 1 })
    for (const args of [['-'], ['out', '--output', './out'], ['./chat.json', '--force']])
      expect(await run('compact', 'chat.json', '--plot', ...args), args.join(' ')).toMatchObject({ code: 2 })
    expect(text('chat.json')).toBe(JSON.stringify(CHAT))
  })

  test('names options as the command line has them', async () => {
    const { run } = bench('chat.json', JSON.stringify(CHAT))
    for (const [args, message] of [
      [['--ratio', '2'], '--ratio'],
      [['--plan', '--output', 'x'], '--plan writes nothing'],
      [['--output', '-', '--json'], '--output - and --json'],
      [['--model-base-url', 'http://127.0.0.1:1'], '--model-base-url needs --model'],
    ] as const) {
      const refused = await run('compact', 'chat.json', ...args)
      expect(refused.code).toBe(2)
      expect(refused.stderr + refused.stdout).toContain(message)
    }
  })

  test.each([
    ['bad.jsonl', '{"role":"user","content":"a"}\n{"role":\n', /^spillway: bad\.jsonl:2: the line is no JSON/, 2],
    [
      'bad.json',
      '[\n{"role":"user","content":"a"},\n{"role":"human","content":"a"}]',
      /^spillway: bad\.json:3: .*messages\[1\]\.role/,
      2,
    ],
    ['bad.json', '{\n"a":1}', /^spillway: bad\.json: the document has no list/, 2],
    ['bad.json', '{"a":1}', /^spillway: bad\.json:1: messages of an unknown format/, 2],
    ['other.json', '[]', /^spillway: bad\.json: no such file\.\n$/, 1, 'bad.json'],
    ['other.json', '[]', /^spillway: A transcript is read from a file/, 2, '-'],
  ])('refuses %s with %j', async (name, text, message, code, read = name) => {
    const { run } = bench(name, text)
    const ended = await run('compact', read)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(message)
  })

  test('what a store cannot take stays in the transcript', async () => {
    const { cwd, run, text } = bench('chat.json', JSON.stringify(CHAT))
    writeFileSync(join(cwd, 'file'), '')
    const ended = await run('compact', 'chat.json', '--store', 'file:./file/below', '--output', 'out')
    expect(ended.code).toBe(3)
    expect(ended.stderr).toContain('spillway: message 3 could not be stored: ')
    expect(text('out')).toBe(JSON.stringify(CHAT))
  })

  test.skipIf(!HAS_SCRIPT)('uses the colours and the width of a terminal', async () => {
    const { cwd } = bench('chat.json', JSON.stringify(CHAT))
    const command = `stty cols 60; ${process.execPath} ${BIN} history compact chat.json`
    const env = { NO_COLOR: '', TERM: 'xterm-256color' }
    const { stdout } = await start('script', ['-qec', command, '/dev/null'], { cwd, env }).end
    expect(stdout).toContain('\u001B[36m█')
    const axis = stdout.split('\n').find((line) => line.includes('┼'))
    expect(axis?.replaceAll(/\u001B\[\d+m|\r/g, '').length).toBeLessThanOrEqual(60)
  })
})

describe('compact with a model', () => {
  const system = { role: 'system', content: 'Be brief.' }
  /** What summaries stand for: much talk, of which compacting takes nothing. */
  const TALK = [
    ...Array.from({ length: 6 }, (_, turn) => [
      { role: 'user', content: `Question ${turn}?` },
      { role: 'assistant', content: `Answer ${turn}. `.repeat(200) },
    ]).flat(),
    { role: 'user', content: 'Last question?' },
    { role: 'assistant', content: 'Last answer.' },
  ]

  test.each([
    ['chat.jsonl', lines([system, ...TALK]), 'Be brief.'],
    ['chat.json', JSON.stringify(TALK, undefined, 2), ''],
    ['request.json', JSON.stringify({ system: 'Be brief.', messages: TALK, model: 'm' }, undefined, 2), 'Be brief.'],
    [
      'request.json',
      JSON.stringify({
        model: 'm',
        messages: TALK.map((one) => ({ ...one, content: [{ type: 'text', text: one.content }] })),
      }),
      '',
    ],
  ])(
    'puts a summary into the system prompt of %s, and takes it out again',
    { timeout: 60_000 },
    async (name, text, prompt) => {
      const model = await scriptedModel(say(SNAPSHOT))
      const { run, text: textOf } = bench(name, text)
      const format = name === 'request.json' ? ['--format', 'anthropic'] : []
      const ask = ['--model', 'm', '--model-base-url', model.baseUrl, '--instructions', 'Keep all numbers.']
      const ended = await run('compact', name, '--max-total-tokens', '2000', ...format, ...ask, '--output', 'out')
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(ended.stdout).toContain('in the summary')
      expect(ended.stdout).toContain('It fits the limit of 2,000.')
      expect(model.asked).toHaveLength(1)
      expect(model.asked[0]?.body.messages[0]?.content).toContain('Keep all numbers.')
      const written = textOf('out')
      expect(written).toContain('Find the fault')
      expect(written).not.toContain('Answer 3.')
      if (prompt !== '') expect(written).toContain(`${prompt}\\n\\n<state_snapshot>`)

      const listed = await run('references', 'out', ...format)
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\t\d*\t\tmessages\t\d+\tyes\t/) })
      expect(await run('expand', 'out', ...format, '--output', 'back')).toMatchObject({ code: 0, stderr: '' })
      expect(textOf('back')).toBe(text)
    },
  )

  test('keeps the compaction where the model answers with anything else', async () => {
    const model = await scriptedModel(say('I would rather not.'))
    const { run, text } = bench('chat.jsonl', lines([...TALK, ...CHAT]))
    const ask = ['--model', 'm', '--model-base-url', model.baseUrl]
    const ended = await run('compact', 'chat.jsonl', '--max-total-tokens', '2000', ...ask, '--output', 'out')
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('spillway: message 1 has no summary (no-snapshot).\n')
    expect(ended.stdout).toContain('does not fit')
    expect(text('out')).toContain('Answer 3.')
    expect(text('out').length).toBeLessThan(30_000)
  })

  test('says why there can be no summary', async () => {
    const { run } = bench('chat.json', JSON.stringify(TALK))
    const noModel = await run('compact', 'chat.json', '--mode', 'compress')
    expect(noModel).toMatchObject({ code: 2, stderr: expect.stringContaining('--mode compress needs --model') })
    const session = bench('session.jsonl', FILES[5]![2])
    const noPlace = await session.run('compact', 'session.jsonl', '--mode', 'compress', '--model', 'm')
    expect(noPlace).toMatchObject({ code: 2, stderr: expect.stringContaining('has no system prompt') })
    const small = { type: 'user', message: { role: 'user', content: 'a word '.repeat(500) } }
    const talk = bench('talk.jsonl', lines([...Array.from({ length: 9 }, () => small), small]))
    const tight = await talk.run('compact', 'talk.jsonl', '--max-total-tokens', '1000', '--model', 'm')
    expect(tight.code).toBe(1)
    expect(tight.stdout).toContain(
      'It cannot be summarised, as a session of Claude Code has no system prompt to put a summary in.',
    )
    expect(tight.stdout).not.toContain('--model')
  })
})

describe('expand and references', () => {
  async function compacted(): Promise<Bench & { readonly references: readonly string[] }> {
    const made = bench('chat.jsonl', lines(CHAT))
    await made.run('compact', 'chat.jsonl', '--max-total-tokens', '5000', '--keep-recent', '0', '--output', 'out.jsonl')
    const { stdout } = await made.run('references', 'out.jsonl')
    return { ...made, references: Array.from(stdout.matchAll(/call_\w+/g), ([name]) => name) }
  }

  test('list what a transcript names, and whether it is there', async () => {
    const { cwd, run, references } = await compacted()
    const [first = ''] = references
    const listed = await run('references', 'out.jsonl')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toBe(
      `3\t3\tread_log\ttext\t${LOG.length}\tyes\t${first}\t\n5\t5\tread_log\ttext\t${LOG.length + 7}\tyes\t${references[1]}\t\n`,
    )
    await spillway(['rm', first], { cwd })
    const gone = await run('references', 'out.jsonl', '--json')
    expect(gone.code).toBe(1)
    expect(JSON.parse(gone.stdout)).toMatchObject([
      { number: 3, line: 3, tool: 'read_log', callId: 'call_1', stored: false, reference: first },
      { number: 5, line: 5, tool: 'read_log', callId: 'call_2', stored: true },
    ])
    expect(await run('references', 'chat.jsonl')).toMatchObject({ code: 1, stdout: '' })
  })

  test('put back one thing alone', async () => {
    const { run, text, references } = await compacted()
    const ended = await run('expand', 'out.jsonl', '--only', references[1]!, '--output', 'back')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const [was, is, whole] = ['out.jsonl', 'back', 'chat.jsonl'].map((name) => text(name).split('\n'))
    expect(is).toEqual(was!.with(4, whole![4]!))
    const unknown = await run('expand', 'out.jsonl', '--only', 'call_9')
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('does not name call_9') })
  })

  test('leave what is gone as it is, and exit with 1', async () => {
    const { cwd, run, text, references } = await compacted()
    await spillway(['rm', references[0]!], { cwd })
    const ended = await run('expand', 'out.jsonl', '--output', 'back')
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`spillway: ${references[0]}: `) })
    expect(ended.stdout).toContain('2 references, 1 of them missing.')
    const [was, is, whole] = ['out.jsonl', 'back', 'chat.jsonl'].map((name) => text(name).split('\n'))
    expect(is).toEqual(was!.with(4, whole![4]!))
    const shown = await run('expand', 'out.jsonl', '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({ missing: [{ reference: references[0], code: 'not-found' }] })
  })

  test('stay behind the wall of a scope', async () => {
    const { run } = bench('chat.jsonl', lines(CHAT))
    const scope = ['--scope', 'tenant-1/session-9']
    await run('compact', 'chat.jsonl', '--output', 'out.jsonl', ...scope)
    expect(await run('expand', 'out.jsonl', ...scope)).toMatchObject({ code: 0 })
    expect(await run('expand', 'out.jsonl', '--scope', 'tenant-2')).toMatchObject({ code: 1 })
  })
})
