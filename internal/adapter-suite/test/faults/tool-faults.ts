import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { retrievalTool } from '../tiny-adapter.ts'
import { TinyResult, type TinyTool } from '../tiny-framework.ts'
import { makeTinyAdapter } from '../tiny-harness.ts'
import { answering, changed, type Fault, returningOther, wrapping } from './fault.ts'

/** Adapters that handle the retrieval tool or other tools incorrectly. */
export const toolFaults: readonly Fault[] = [
  {
    name: 'gives tools references instead of their content',
    caughtBy: [
      'references/resolved',
      'references/refused',
      'references/schema',
      'references/allowed',
      'references/approval',
    ],
    create: () => (root, session, tools, compaction) => ({
      ...makeTinyAdapter(root, session, tools, compaction),
      tools: [...tools, retrievalTool(root.forScope(session))],
    }),
  },
  {
    name: 'resolves references in all arguments',
    caughtBy: ['references/not-opted-in'],
    create: () => (root, session, tools, compaction) => {
      const { storage } = root.forScope(session).options
      const content = async (value: unknown): Promise<unknown> =>
        typeof value === 'string' && value.startsWith('spill:')
          ? new TextDecoder().decode((await storage.retrieve(value.slice('spill:'.length))).content)
          : value
      const wrapped = tools.map((tool) => ({
        ...tool,
        execute: async (input: unknown, context: Parameters<TinyTool['execute']>[1]) => {
          const entries = Object.entries(input as object).map(async ([name, value]) => [name, await content(value)])
          return tool.execute(Object.fromEntries((await Promise.all(entries)) as [string, unknown][]), context)
        },
      }))
      return makeTinyAdapter(root, session, wrapped, compaction)
    },
  },
  {
    name: 'creates a separate offloader for a sub-agent',
    caughtBy: ['sub-agents/lent-and-given-back'],
    create: () => (root, session, tools, compaction) =>
      makeTinyAdapter(new ContextOffloader(root.options), session, tools, compaction),
  },
  {
    name: 'ignores all parameters of a retrieval except the reference',
    caughtBy: [
      'retrieval/pattern',
      'retrieval/line-range',
      'retrieval/head',
      'retrieval/search-all',
      'retrieval/nothing-found',
      'retrieval/not-an-expression',
      'sessions/at-once',
    ],
    create: () =>
      answering(({ execute }) => ({
        execute: (input, context) => execute({ reference: (input as { reference?: unknown }).reference }, context),
      })),
  },
  {
    name: 'answers a retrieval with the whole stored content',
    caughtBy: ['retrieval/bare-reference', 'retrieval/within-limit', 'tokens/log-and-two-retrievals'],
    create: () =>
      answering((_tool, { options }) => ({
        async execute(input) {
          const { content } = await options.storage.retrieve((input as { reference: string }).reference)
          return new TextDecoder().decode(content)
        },
      })),
  },
  {
    name: 'fails if a retrieval fails',
    caughtBy: [
      'retrieval/unknown-reference',
      'retrieval/text-as-reference',
      'retrieval/path-as-reference',
      'retrieval/missing-arguments',
      'retrieval/wrong-types',
      'retrieval/unknown-arguments',
      'retrieval/wrong-range',
      'turns/evicted',
      'outages/retrieve',
    ],
    create: () =>
      answering(({ execute }) => ({
        async execute(input, context) {
          const answer = await execute(input, context)
          if (answer instanceof TinyResult && answer.output.type === 'error') throw new Error('The retrieval failed.')
          return answer
        },
      })),
  },
  {
    name: 'does not mark the answer of a failed retrieval as an error',
    caughtBy: [
      'retrieval/unknown-reference',
      'sessions/stolen-reference',
      'turns/evicted',
      'outages/retrieve',
      'retrieval/unknown-arguments',
    ],
    create: () =>
      answering(({ execute }) => ({
        async execute(input, context) {
          const answer = await execute(input, context)
          return answer instanceof TinyResult && answer.output.type === 'error' ? answer.output.value : answer
        },
      })),
  },
  {
    name: 'lets the framework reject arguments of a retrieval',
    caughtBy: ['retrieval/wrong-types'],
    create: () => answering(() => ({ takesAnything: false })),
  },
  {
    name: 'writes JSON answers without their content',
    caughtBy: ['retrieval/json'],
    create: () =>
      answering(({ execute }) => ({
        async execute(input, context) {
          const answer = await execute(input, context)
          if (!(answer instanceof TinyResult) || answer.output.type !== 'parts') return answer
          const [begin, value, end, ...others] = answer.output.value
          if (begin === undefined || value === undefined || end === undefined || others.length > 0) return answer
          return new TinyResult({ type: 'parts', value: [begin, { type: 'text', text: '[object Object]' }, end] })
        },
      })),
  },
  {
    name: 'returns media as text',
    caughtBy: ['retrieval/image', 'retrieval/document'],
    create: () =>
      answering(({ execute }) => ({
        async execute(input, context) {
          const answer = await execute(input, context)
          return answer instanceof TinyResult && answer.output.type === 'parts'
            ? JSON.stringify(answer.output.value)
            : answer
        },
      })),
  },
  {
    name: 'offloads answers of the retrieval tool, too',
    caughtBy: ['retrieval/never-offloaded'],
    create: () =>
      changed(({ afterTool }) => ({
        afterTool: async (output, context) => afterTool(output, { ...context, toolName: 'retrieve', input: {} }),
      })),
  },
  {
    name: 'gives parallel retrievals the same answer',
    caughtBy: ['retrieval/parallel', 'sessions/at-once'],
    create: () => {
      let pending: unknown
      return answering(({ execute }) => ({ execute: (input, context) => (pending ??= execute(input, context)) }))
    },
  },
  {
    name: 'offers the retrieval tool twice',
    caughtBy: ['retrieval/offered-once'],
    create: () => changed(({ tools }, offloader) => ({ tools: [...tools, retrievalTool(offloader)] })),
  },
  {
    name: 'orders tools at random',
    caughtBy: ['retrieval/same-tools'],
    create: () => {
      let runs = 0
      return changed(({ tools }) => ({ tools: (runs += 1) % 2 === 0 ? tools.toReversed() : tools }))
    },
  },
  {
    name: 'describes no parameter of the retrieval tool',
    caughtBy: ['retrieval/its-schema'],
    create: () => answering(() => ({ inputSchema: { type: 'object', properties: { reference: { type: 'string' } } } })),
  },
  {
    name: 'offers a parameter with two types',
    caughtBy: ['retrieval/its-schema'],
    create: () =>
      answering(({ inputSchema }) => {
        const properties = inputSchema['properties'] as Readonly<Record<string, object>>
        const pattern = { ...properties['pattern'], type: ['string', 'null'] }
        return { inputSchema: { ...inputSchema, properties: { ...properties, pattern } } }
      }),
  },
  {
    name: 'always offers the retrieval tool',
    caughtBy: ['retrieval/not-offered'],
    create: () => (root, session, tools, compaction) => {
      const adapter = makeTinyAdapter(root, session, tools, compaction)
      const own = adapter.tools.filter(({ name }) => name !== RETRIEVAL_TOOL_NAME)
      return { ...adapter, tools: [...own, retrievalTool(root.forScope(session))] }
    },
  },
  {
    name: 'adds a message about offloading',
    caughtBy: ['retrieval/only-small-results'],
    create: () =>
      changed(() => ({ rewrite: (messages) => [{ role: 'user', text: 'Large results are offloaded.' }, ...messages] })),
  },
  {
    name: 'waits for the end of generators, and so hides preliminary results',
    caughtBy: ['streaming/preliminary-results', 'streaming/small-results'],
    create: () =>
      returningOther(async (value) => {
        if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value
        let last: unknown
        for await (const each of value as AsyncIterable<unknown>) last = each
        return last
      }),
  },
  {
    name: 'drops the need of a tool for approval',
    caughtBy: ['approval/approved', 'approval/denied'],
    create: () => wrapping(({ name, inputSchema, execute }) => ({ name, inputSchema, execute })),
  },
  {
    name: 'requires approval for retrievals',
    caughtBy: ['approval/not-for-retrieval', 'retrieval/pattern'],
    create: () => answering(() => ({ needsApproval: true })),
  },
  {
    name: 'drops the schemas of tools',
    caughtBy: ['arguments/invalid', 'arguments/schemas'],
    create: () => wrapping((tool) => ({ ...tool, inputSchema: {} })),
  },
  {
    name: 'treats every argument as text',
    caughtBy: ['arguments/valid', 'arguments/schemas', 'arguments/invalid'],
    create: () => wrapping((tool): TinyTool => ({ ...tool, inputSchema: { properties: { n: { type: 'string' } } } })),
  },
  {
    name: 'runs tools that the provider has already run',
    caughtBy: ['provider/results'],
    create: () => wrapping((tool) => ({ ...tool, providerExecuted: false })),
  },
  {
    name: 'does nothing if the provider runs a tool',
    caughtBy: ['provider/beside-large-results'],
    create: () => (root, session, tools, compaction) => {
      const adapter = makeTinyAdapter(root, session, tools, compaction)
      const standsBack = tools.some(({ providerExecuted }) => providerExecuted === true)
      return standsBack ? { ...adapter, afterTool: async (output) => output } : adapter
    },
  },
  {
    name: 'does not pass the signal to retrievals',
    caughtBy: ['abort/retrieving'],
    create: () =>
      answering(({ execute }) => ({ execute: (input, context) => execute(input, { ...context, signal: undefined }) })),
  },
]
