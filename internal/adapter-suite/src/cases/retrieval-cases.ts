import assert from 'node:assert/strict'
import { type ContentBlock, estimateTokens, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, ConversationResult, SeenPrompt } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { SESSION, type Bench } from '../support/bench.ts'
import { calling, callingAll, returning } from '../support/case-tools.ts'
import { assertTaken } from '../support/provider-rules.ts'
import { assertAnswer, retrieving } from '../support/retrieval-answers.ts'
import { assertSamePrompts, runOffloaded, runPair } from '../support/run-pair.ts'
import { json, LARGE_BYTES, LOG, media, MEDIA_LIMIT, text, USERS } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import {
  fencedJsonOf,
  lastPrompt,
  lastResult,
  OFFLOADED,
  referenceIn,
  referencesIn,
  textOf,
} from '../support/seen-results.ts'
import { withDirectory } from '../support/with-directory.ts'

/** Creates the input of a retrieval call for a reference. */
type Ask = (reference: string) => unknown

const ANSWERED: readonly (readonly [name: string, title: string, ask: Ask, expected: RegExp])[] = [
  [
    'pattern',
    'a pattern',
    (reference) => ({ reference, pattern: 'status=FAILED' }),
    /^> 57\| line 57 of main: status=FAILED/m,
  ],
  [
    'line-range',
    'a range of lines',
    (reference) => ({ reference, line_range: { start: 3, end: 5 } }),
    /\b3\| line 3 of main: [^]*\b5\| line 5 of main: /,
  ],
  ['bare-reference', 'a reference alone', (reference) => ({ reference }), /\b1\| line 1 of main: /],
  ['head', 'context_lines alone', (reference) => ({ reference, context_lines: 7 }), /\b7\| line 7 of main: /],
  [
    'search-all',
    'a pattern without a reference',
    () => ({ pattern: 'status=FAILED' }),
    /line 57 of main: status=FAILED/,
  ],
  [
    'nothing-found',
    'a pattern that matches nothing',
    (reference) => ({ reference, pattern: 'no such thing' }),
    /0 matches \(searched/,
  ],
  [
    'not-an-expression',
    'a pattern that is not a regular expression',
    (reference) => ({ reference, pattern: '(' }),
    /\(/,
  ],
]

const REFUSED: readonly (readonly [name: string, title: string, asks: readonly Ask[]])[] = [
  ['unknown-reference', 'a reference that was never given', [() => ({ reference: 'call_1_0_aaaaaaaaaaaaaaaaaaaa' })]],
  ['text-as-reference', 'text of another tool instead of a reference', [() => ({ reference: LOG.slice(0, 2_000) })]],
  [
    'path-as-reference',
    'a path or an address in place of a reference',
    [() => ({ reference: '../../etc/passwd' }), () => ({ reference: 'file:///etc/passwd' })],
  ],
  [
    'missing-arguments',
    'no arguments',
    [() => ({}), () => ({ reference: null, pattern: null }), () => ({ reference: '' })],
  ],
  [
    'wrong-types',
    'arguments of the wrong type',
    [
      () => ({ reference: 5 }),
      (reference) => ({ reference, line_range: 'all' }),
      (reference) => ({ reference, line_range: { start: 1, end: {} } }),
      (reference) => ({ reference, line_range: { start: 'one', end: 'nine' } }),
      (reference) => ({ reference, context_lines: 'five' }),
      (reference) => ({ reference: [reference], pattern: { a: 1 } }),
    ],
  ],
  ['unknown-arguments', 'an argument that there is not', [(reference) => ({ reference, patern: 'x' })]],
  [
    'wrong-range',
    'a range that there is not',
    [
      (reference) => ({ reference, line_range: { start: 9, end: 2 } }),
      (reference) => ({ reference, line_range: { start: 90_000, end: 90_001 } }),
    ],
  ],
]

/** Answers of the retrieval tool that the model gets. */
export const retrievalCases: readonly AdapterCase[] = [
  ...ANSWERED.map(([name, title, ask, expected]): AdapterCase => ({
    id: `retrieval/${name}`,
    title: `answers ${title} in the next turn`,
    async run(harness) {
      const { seen, bench, input } = await readThenRetrieve(harness, text(LOG), ask)
      await assertAnswer(seen, bench, input)
      assert.match(textOf(seen), expected)
    },
  })),
  ...REFUSED.map(([name, title, asks]): AdapterCase => ({
    id: `retrieval/${name}`,
    title: `answers ${title} with the next step, and the run continues`,
    async run(harness) {
      for (const ask of asks) {
        const { seen, bench, input } = await readThenRetrieve(harness, text(LOG), ask)
        const answer = await assertAnswer(seen, bench, input)
        assert.ok(answer.isError)
      }
    },
  })),
  {
    id: 'retrieval/json',
    title: 'returns JSON as JSON if it fits into an answer',
    async run(harness) {
      const value = USERS.slice(0, 200)
      const options = { maxRetrievalTokens: 20_000 }
      const { seen, bench, input } = await readThenRetrieve(
        harness,
        json(value),
        (reference) => ({ reference }),
        options,
      )
      await assertAnswer(seen, bench, input)
      assert.deepEqual(fencedJsonOf(seen), value)
    },
  },
  ...(['image', 'document'] as const).map((type): AdapterCase => ({
    id: `retrieval/${type}`,
    title: `returns an ${type} as a native ${type}, with the same bytes`.replace('an document', 'a document'),
    async run(harness) {
      const block = media(type, LARGE_BYTES[type])
      const { seen } = await readThenRetrieve(harness, block, (reference) => ({ reference }), MEDIA_LIMIT)
      const found = seen.content.find((one) => one.type === type)
      assert.ok(found !== undefined && 'data' in found && found.data !== undefined, `The model sees no ${type}`)
      assert.ok(Buffer.from(block.data).equals(found.data), `The ${type} has other bytes than that of the tool`)
      assert.equal(found.mediaType, block.mediaType)
      assert.notEqual(seen.isError, true)
    },
  })),
  {
    id: 'retrieval/never-offloaded',
    title: 'never offloads an answer, even if the answer exceeds the limit of results',
    async run(harness) {
      const ask: Ask = (reference) => ({ reference, line_range: { start: 1, end: 64 } })
      const options = { maxResultTokens: 1_000, maxRetrievalTokens: 20_000 }
      const { seen, bench, input } = await readThenRetrieve(harness, text(LOG), ask, options)
      await assertAnswer(seen, bench, input)
      assert.ok(estimateTokens(textOf(seen)) > 3_000, 'The answer is not as long as it should be')
      assert.equal(bench.events.filter(({ type }) => type === 'offload').length, 1, 'An answer was offloaded')
      assert.equal((await bench.references()).length, 1, 'An answer was stored')
    },
  },
  {
    id: 'retrieval/by-another-tool',
    title: 'leaves stored content unchanged if another tool returns it, and stores nothing again',
    async run(harness) {
      const part = LOG.split('\n').slice(10, 50).join('\n')
      const { result, bench } = await runOffloaded(
        harness,
        {
          tools: [returning('read_log', text(LOG)), returning('shell', text(part))],
          model: scripted(calling('read_log'), (prompt) =>
            calling('shell', { command: `sed -n 11,50p /store/${referenceIn(lastResult(prompt))}.txt` }, 'call_2'),
          ),
        },
        { maxResultTokens: 1_000, maxRetrievalTokens: 20_000 },
      )
      assertSameText(textOf(lastResult(lastPrompt(result), 'call_2')), part, 'The result must stay as it is')
      assert.equal((await bench.references()).length, 1, 'Stored content was stored again')
    },
  },
  {
    id: 'retrieval/within-limit',
    title: 'keeps every answer within maxRetrievalTokens',
    async run(harness) {
      const asks: readonly Ask[] = [
        (reference) => ({ reference }),
        (reference) => ({ reference, pattern: 'line' }),
        (reference) => ({ reference, line_range: { start: 1, end: 5_000 } }),
        (reference) => ({ reference, pattern: 'status', context_lines: 100 }),
      ]
      for (const ask of asks) {
        const { seen, bench, input } = await readThenRetrieve(harness, text(LOG), ask, { maxRetrievalTokens: 400 })
        await assertAnswer(seen, bench, input)
        const tokens = estimateTokens(textOf(seen))
        assert.ok(tokens <= 400, `The answer to ${JSON.stringify(input)} has ${tokens} tokens, at most 400 are allowed`)
      }
    },
  },
  {
    id: 'retrieval/parallel',
    title: 'gives each of several parallel retrievals its own answer, next to other tools',
    async run(harness) {
      const inputs = (reference: string): readonly unknown[] =>
        [1, 2, 3].map((start) => ({ reference, line_range: { start, end: start } }))
      const { result, bench } = await runOffloaded(harness, {
        tools: [returning('read_log', text(LOG)), returning('read_status', text('all is well'))],
        model: scripted(calling('read_log'), (prompt) => {
          const retrievals = inputs(referenceIn(lastResult(prompt))).map((input, index) => ({
            id: `r_${index}`,
            name: RETRIEVAL_TOOL_NAME,
            input,
          }))
          return callingAll({ id: 'call_2', name: 'read_status', input: {} }, ...retrievals)
        }),
      })
      const prompt = lastPrompt(result)
      const reference = referenceIn(lastResult(prompt, 'call_1'))
      for (const [index, input] of inputs(reference).entries())
        await assertAnswer(lastResult(prompt, `r_${index}`), bench, input)
      assert.equal(textOf(lastResult(prompt, 'call_2')), 'all is well')
    },
  },
  {
    id: 'retrieval/offered-once',
    title: 'offers the retrieval tool once in every prompt, next to the other tools',
    async run(harness) {
      const { plain, offloaded } = await runPair(harness, twoTools())
      for (const [index, prompt] of offloaded.prompts.entries()) {
        const own = plain.prompts[index]?.toolNames ?? []
        assert.deepEqual(
          prompt.toolNames.toSorted(),
          [...own, RETRIEVAL_TOOL_NAME].toSorted(),
          `The tools of prompt ${index}`,
        )
      }
    },
  },
  {
    id: 'retrieval/same-tools',
    title: 'offers the same tools in the same order in every prompt and run, because prompt caches start with them',
    async run(harness) {
      const runs = [await runOffloaded(harness, twoTools()), await runOffloaded(harness, twoTools())]
      const [first, ...others] = runs
        .flatMap(({ result }) => result.prompts)
        .map(({ toolNames, toolSchemas }) => JSON.stringify({ toolNames, toolSchemas }))
      for (const other of others) assertSameText(other, first ?? '', 'The tools have changed')
    },
  },
  {
    id: 'retrieval/its-schema',
    title: 'offers the retrieval tool with all its parameters and descriptions, in a schema that its provider accepts',
    async run(harness) {
      const { result, bench } = await runOffloaded(harness, twoTools())
      const { toolSchemas } = lastPrompt(result)
      if (toolSchemas === undefined) return
      const seen = toolSchemas[RETRIEVAL_TOOL_NAME] as
        | { readonly properties?: Readonly<Record<string, { readonly description?: unknown }>> }
        | undefined
      const { properties } = bench.offloader.forScope(SESSION).retrievalTool.inputSchema
      assert.deepEqual(Object.keys(seen?.properties ?? {}).toSorted(), Object.keys(properties).toSorted())
      for (const [name, { description }] of Object.entries(properties))
        assert.equal(seen?.properties?.[name]?.description, description, `The description of ${name}`)
      assertTaken(seen, harness.provider)
    },
  },
  {
    id: 'retrieval/not-offered',
    title: 'offers no retrieval tool with includeRetrievalTool: false, but names the path of the stored file',
    async run(harness) {
      await withDirectory(async (directory) => {
        const storage = new FileStorage(directory)
        const options = { storage, includeRetrievalTool: false, showLocation: true }
        const { plain, offloaded } = await runPair(harness, twoTools(), options)
        for (const [index, prompt] of offloaded.prompts.entries())
          assert.deepEqual(prompt.toolNames, plain.prompts[index]?.toolNames, `The tools of prompt ${index}`)
        const seen = textOf(lastResult(lastPrompt(offloaded), 'call_1'))
        assert.ok(
          seen.includes(OFFLOADED) && seen.includes(directory),
          'The replacement does not say where the content is',
        )
        assert.ok(!seen.includes(RETRIEVAL_TOOL_NAME), 'The replacement speaks of a tool that there is not')
      })
    },
  },
  {
    id: 'retrieval/only-small-results',
    title: 'changes only the offered tools if all results of a conversation are small',
    async run(harness) {
      const tools = [returning('read_status', text('all is well'))]
      const model = scripted(calling('read_status'), calling('read_status', {}, 'call_2'))
      assertSamePrompts(await runPair(harness, { tools, model, userMessage: 'How is it? "\n👩‍👩‍👧' }))
    },
  },
]

function twoTools(): Parameters<typeof runPair>[1] {
  return {
    tools: [returning('read_log', text(LOG)), returning('read_status', text('all is well'))],
    model: scripted(calling('read_log'), calling('read_status', {}, 'call_2')),
  }
}

/** Run a tool whose result is offloaded, and then retrieve from it. Returns the answer that the model sees. */
async function readThenRetrieve(
  harness: AdapterHarness,
  content: ContentBlock,
  ask: Ask,
  options: Parameters<typeof runOffloaded>[2] = {},
): Promise<{ seen: ReturnType<typeof lastResult>; bench: Bench; input: unknown; result: ConversationResult }> {
  const inputFor = (prompt: SeenPrompt): unknown => ask(referencesIn(lastResult(prompt, 'call_1'))[0] ?? '')
  const { result, bench } = await runOffloaded(
    harness,
    {
      tools: [returning('read_log', content)],
      model: scripted(calling('read_log'), (prompt) => retrieving(inputFor(prompt))),
    },
    options,
  )
  const prompt = lastPrompt(result)
  assert.ok(textOf(lastResult(prompt, 'call_1')).includes(OFFLOADED), 'The large result was not offloaded')
  return { seen: lastResult(prompt, 'retrieval_1'), bench, input: inputFor(prompt), result }
}
