import { describe, expect, test } from 'vitest'
import { bench, CHAT, lines, SESSION } from '../../test/history/bench.ts'
import { say, scriptedModel } from '../../test/serve/scripted-model.ts'

const SNAPSHOT =
  '<state_snapshot>\n<overall_goal>Find the fault</overall_goal>\n<key_knowledge>The logs are fine</key_knowledge>\n</state_snapshot>'

describe('compact with a model', () => {
  const system = { role: 'system', content: 'Be brief.' }
  /** A conversation without large results. Compacting saves nothing, so only a summary makes it smaller. */
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
  ])('puts a summary into the system prompt of %s, and can remove it again', async (name, text, prompt) => {
    const model = await scriptedModel(say(SNAPSHOT))
    const { run, text: textOf } = bench(name, text)
    const format = name === 'request.json' ? ['--format', 'anthropic'] : []
    const ask = ['--model', 'm', '--model-base-url', model.baseUrl, '--instructions', 'Keep all numbers.']
    const ended = await run('compact', name, '--max-total-tokens', '2000', ...format, ...ask, '--output', 'out')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('It fits the limit of 2,000.')
    expect(model.asked).toHaveLength(1)
    expect(model.asked[0]?.body.messages[0]?.content).toContain('Keep all numbers.')
    const written = textOf('out')
    expect(written).toContain('Find the fault')
    expect(written).not.toContain('Answer 3.')
    if (prompt !== '') expect(written).toContain(`${prompt}\\n\\n<state_snapshot>`)

    expect(await run('expand', 'out', ...format, '--output', 'back')).toMatchObject({ code: 0, stderr: '' })
    expect(textOf('back')).toBe(text)
  })

  test('keeps the compacted history if the model gives any other answer', async () => {
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

  test('says that the model failed, in one sentence', async () => {
    const model = await scriptedModel((response) => response.writeHead(401).end())
    const { run } = bench('chat.jsonl', lines(TALK))
    const ask = ['--model', 'm', '--model-base-url', model.baseUrl, '--mode', 'compress']
    const { stderr } = await run('compact', 'chat.jsonl', '--max-total-tokens', '2000', ...ask)
    expect(stderr).toBe('spillway: message 1 has no summary (model-failed): The model answered with status 401.\n')
  })

  test('says why a summary is impossible', async () => {
    const { run } = bench('chat.json', JSON.stringify(TALK))
    const noModel = await run('compact', 'chat.json', '--mode', 'compress')
    expect(noModel).toMatchObject({ code: 2, stderr: expect.stringContaining('--mode compress needs --model') })
    const ask = ['--model', 'm', '--model-base-url', 'http://127.0.0.1:1']
    const session = bench('session.jsonl', SESSION)
    const noPlace = await session.run('compact', 'session.jsonl', '--mode', 'compress', ...ask)
    expect(noPlace).toMatchObject({ code: 2, stderr: expect.stringContaining('has no system prompt') })
    const small = { type: 'user', message: { role: 'user', content: 'a word '.repeat(500) } }
    const talk = bench('talk.jsonl', lines([...Array.from({ length: 9 }, () => small), small]))
    const tight = await talk.run('compact', 'talk.jsonl', '--max-total-tokens', '1000', ...ask)
    expect(tight.code).toBe(1)
    expect(tight.stdout).toContain(
      'The history cannot be summarized, because a session of Claude Code has no system prompt that could hold a summary.',
    )
    expect(tight.stdout).not.toContain('--model')
  })
})
