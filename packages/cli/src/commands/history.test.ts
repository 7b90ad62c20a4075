import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bench, CHAT, FILES, lines, LOG, SESSION } from '../../test/history/bench.ts'

describe('compact', () => {
  test.each(FILES)('%s in %s become smaller, and are restored byte for byte', async (title, name, text) => {
    const { run, text: textOf } = bench(name, text)
    const compacted = await run('compact', name, '--max-total-tokens', '5000', '--output', 'out')
    expect(compacted).toMatchObject({ code: 0, stderr: '' })
    expect(compacted.stdout).toContain(`${name}: ${title}, `)
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
  })

  test('prints what it would write if --output is missing, and writes nothing', async () => {
    const { cwd, run, text } = bench('chat.jsonl', lines(CHAT))
    const { code, stdout } = await run('compact', 'chat.jsonl', '--keep-recent', '0')
    expect(code).toBe(0)
    expect(stdout).toContain(
      'Nothing is written. --output FILE stores 2 originals of 85.8 kB and writes the transcript.',
    )
    expect(text('chat.jsonl')).toBe(lines(CHAT))
    expect(existsSync(join(cwd, '.spillway'))).toBe(false)
    // The run with --output does what the run without it announced.
    const written = await run('compact', 'chat.jsonl', '--keep-recent', '0', '--output', 'out')
    const total = /[\d,]+ tokens became .*/
    expect(total.exec(written.stdout)?.[0]).toBe(total.exec(stdout)?.[0])
  })

  test('keeps numbers that JavaScript cannot represent in a message that it shortened', async () => {
    const made = lines(CHAT.map((message) => ({ ...message, id: 1, note: 'schön' })))
    const text = made.replaceAll('"id":1,', '"id":12345678901234567890,"cost":1.0,')
    const { run, text: textOf } = bench('chat.jsonl', text)
    await run('compact', 'chat.jsonl', '--max-total-tokens', '3000', '--output', 'out')
    expect(textOf('out').match(/"id":12345678901234567890,"cost":1\.0/g)).toHaveLength(CHAT.length)
    expect(textOf('out').length).toBeLessThan(4_000)
    await run('expand', 'out', '--output', 'back')
    expect(textOf('back')).toBe(text)
  })

  test('overwrites another file or the transcript itself only with --force', async () => {
    const { cwd, run, text } = bench('chat.json', JSON.stringify(CHAT))
    for (const output of ['chat.json', './chat.json']) {
      const refused = await run('compact', 'chat.json', '-o', output)
      expect(refused).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).toContain('already exists. To replace it, add --force.')
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

  test('writes to standard output, and writes its report to standard error', async () => {
    const { run } = bench('chat.json', JSON.stringify(CHAT))
    const { code, stdout, stderr } = await run('compact', 'chat.json', '--output', '-')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(CHAT.length)
    expect(stderr).toContain('It fits the limit of 20,000.')
  })

  test('exits with 1 if the history does not fit, and names the messages that prevent it', async () => {
    const { run } = bench('chat.jsonl', lines([...CHAT, { role: 'user', content: 'a word '.repeat(9_000) }]))
    const { code, stdout } = await run('compact', 'chat.jsonl', '--max-total-tokens', '1000', '--mode', 'compact')
    expect(code).toBe(1)
    expect(stdout).toContain('It does not fit the limit of 1,000.')
    expect(stdout).toMatch(
      /Message 7 on line 7 \([\d,]+ tokens\): It is one of the last messages, which stay\. Lower --keep-recent, or raise --max-total-tokens\./,
    )
    const one = bench('one.json', JSON.stringify([{ role: 'user', content: 'a word '.repeat(9_000) }]))
    const alone = await one.run('compact', 'one.json', '--max-total-tokens', '1000', '--mode', 'compact')
    expect(alone.stdout).toMatch(/Message 1 \([\d,]+ tokens\): /)
    const nowhere = await run('compact', 'chat.jsonl', '--output', 'chat.jsonl/below')
    expect(nowhere).toMatchObject({ code: 1, stderr: 'spillway: chat.jsonl/below: cannot be read (ENOTDIR).\n' })
    const within = await run('compact', 'chat.jsonl', '--max-total-tokens', '100000')
    expect(within.code).toBe(0)
    expect(within.stdout).toContain('within the limit of 100,000. Nothing needs to be done.')
  })

  test('prints JSON for scripts', async () => {
    const { run } = bench('session.jsonl', SESSION)
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
  })

  test('names options by their command line names', async () => {
    const { run } = bench('chat.json', JSON.stringify(CHAT))
    for (const [args, message] of [
      [['--ratio', '2'], '--ratio'],
      [['--output', '-', '--json'], '--output - and --json'],
      [['--model-base-url', 'http://127.0.0.1:1'], '--model-base-url needs --model'],
    ] as const) {
      const refused = await run('compact', 'chat.json', ...args)
      expect(refused.code).toBe(2)
      expect(refused.stderr + refused.stdout).toContain(message)
    }
  })

  test.each([
    ['bad.jsonl', '{"role":"user","content":"a"}\n{"role":\n', /^spillway: bad\.jsonl:2: the line is not JSON/, 2],
    [
      'bad.json',
      '[\n{"role":"user","content":"a"},\n{"role":"human","content":"a"}]',
      /^spillway: bad\.json: .*messages\[1\]\.role/,
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

  test('leaves results in the transcript if they cannot be stored', async () => {
    const { cwd, run, text } = bench('chat.json', JSON.stringify(CHAT))
    writeFileSync(join(cwd, 'file'), '')
    const ended = await run('compact', 'chat.json', '--store', 'file:./file/below', '--output', 'out')
    expect(ended.code).toBe(3)
    expect(ended.stderr).toContain('spillway: message 3 could not be stored: ')
    expect(text('out')).toBe(JSON.stringify(CHAT))
  })
})
