import assert from 'node:assert/strict'
import type { ReferenceArguments } from '@spillway/core'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, CaseTool, ConversationResult, ModelTurn } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench, SESSION, type Bench } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { assertDone } from '../support/run-pair.ts'
import { LOG, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

/** References in arguments of tools, which are replaced by the content. */
export const referenceCases: readonly AdapterCase[] = [
  {
    id: 'references/resolved',
    title: 'gives a tool the content of a reference, and keeps the reference in the conversation',
    async run(harness) {
      const bench = benchWith()
      const sent: unknown[] = []
      const result = await harness.run({
        offloader: bench.offloader,
        session: SESSION,
        tools: [returning('read_log', text(LOG)), sending(sent)],
        model: scripted(calling('read_log'), (prompt) =>
          send({ text: `spill:${referenceIn(lastResult(prompt))}`, to: 'ops' }),
        ),
      })
      assertDone(result, 'The run does not reach the end')
      const [input] = sent as readonly { readonly text?: string; readonly to?: string }[]
      assertSameText(input?.text ?? '', LOG, 'The text that the tool gets')
      assert.equal(input?.to, 'ops')
      const { messages } = lastPrompt(result)
      const [reference] = await bench.references()
      assert.ok(messages.includes(`spill:${reference}`), 'The conversation must keep the reference')
      assert.ok(!messages.includes('line 75 of main'), 'The conversation must not contain the content')
      assert.match(textOf(lastResult(lastPrompt(result), 'send_1')), /sent/)
    },
  },
  {
    id: 'references/refused',
    title: 'does not call a tool if a reference is unknown or of another session, and tells the model why',
    async run(harness) {
      const bench = benchWith()
      const foreign = await store(bench, 'of another session', 'session-2')
      for (const reference of ['call_9_0_aaaaaaaaaaaaaaaaaaaa', foreign, '../secrets']) {
        const { sent, result } = await runSending(harness, bench, { text: `spill:${reference}` })
        assert.deepEqual(sent, [], 'The tool was called')
        const seen = lastResult(lastPrompt(result), 'send_1')
        assert.match(textOf(seen), /send was not called, because of its argument text: /)
        assert.notEqual(seen.isError, false, 'The answer must be an error')
        assert.ok(!textOf(seen).includes('of another session'))
      }
    },
  },
  {
    id: 'references/schema',
    title: 'validates the content of a reference against the schema of the tool',
    async run(harness) {
      const bench = benchWith()
      const rows = await store(bench, '[{"id":1},{"id":2}]')
      const good = await runSending(harness, bench, { rows: `spill:${rows}` })
      assert.deepEqual(good.sent, [{ rows: [{ id: 1 }, { id: 2 }] }])
      const others = await store(bench, '[{"id":"one"}]')
      const bad = await runSending(harness, bench, { rows: `spill:${others}` })
      assert.deepEqual(bad.sent, [], 'The tool was called with arguments that do not fit its schema')
    },
  },
  {
    id: 'references/not-opted-in',
    title: 'passes a reference as text in other arguments and to other tools',
    async run(harness) {
      const bench = benchWith()
      const reference = `spill:${await store(bench, 'content')}`
      const { sent } = await runSending(harness, bench, { to: reference })
      assert.deepEqual(sent, [{ to: reference }])
    },
  },
  {
    id: 'references/allowed',
    title: 'shows the application the arguments with the reference and with the content, and lets it refuse the call',
    async run(harness) {
      const asked: unknown[] = []
      const bench = benchWith({
        allow: ({ toolName, input, resolved, references }) => {
          asked.push({ toolName, input, resolved, sources: references.map(({ source }) => source) })
          return false
        },
      })
      const reference = await store(bench, 'from the web')
      const { sent, result } = await runSending(harness, bench, { text: `spill:${reference}` })
      assert.deepEqual(sent, [])
      assert.deepEqual(asked, [
        {
          toolName: 'send',
          input: { text: `spill:${reference}` },
          resolved: { text: 'from the web' },
          sources: ['read_web'],
        },
      ])
      assert.match(textOf(lastResult(lastPrompt(result), 'send_1')), /the application does not allow/)
    },
  },
  {
    id: 'references/approval',
    title: 'requests approval for a call with a reference, and then calls the tool with the content',
    async run(harness) {
      const bench = benchWith()
      const reference = await store(bench, 'content')
      const order: unknown[] = []
      const result = await harness.run({
        offloader: bench.offloader,
        session: SESSION,
        tools: [{ ...sending(order), needsApproval: true }],
        model: scripted(send({ text: `spill:${reference}` })),
        approve: () => order.push('asked') > 0,
      })
      assertDone(result, 'The run does not reach the end')
      assert.deepEqual(order, ['asked', { text: 'content' }])
    },
  },
]

const ARGUMENTS: ReferenceArguments = { tools: { send: { text: 'text', rows: 'json' } } }

const benchWith = (settings: Partial<ReferenceArguments> = {}): Bench =>
  createBench({ resolveReferences: { ...ARGUMENTS, ...settings } })

const send = (input: unknown): ModelTurn => calling('send', input, 'send_1')

const store = async ({ offloader }: Bench, content: string, session = SESSION): Promise<string> =>
  offloader.forScope(session).options.storage.store('call_0', new TextEncoder().encode(content), 'text/plain', {
    metadata: { tool: 'read_web' },
  })

const ROWS = {
  type: 'array',
  items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}

function sending(sent: unknown[]): CaseTool {
  return {
    name: 'send',
    inputSchema: { type: 'object', properties: { text: { type: 'string' }, to: { type: 'string' }, rows: ROWS } },
    call(input) {
      sent.push(input)
      return { type: 'returns', content: [text('sent')] }
    },
  }
}

async function runSending(
  harness: AdapterHarness,
  { offloader }: Bench,
  input: unknown,
): Promise<{ readonly sent: readonly unknown[]; readonly result: ConversationResult }> {
  const sent: unknown[] = []
  const model = scripted(send(input))
  const result = await harness.run({ offloader, session: SESSION, tools: [sending(sent)], model })
  assertDone(result, 'The run does not reach the end')
  return { sent, result }
}
