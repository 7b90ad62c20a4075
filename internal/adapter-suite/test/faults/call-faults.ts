import { randomUUID } from 'node:crypto'
import { InMemoryStorage } from '@spillway/memory'
import { tinyAdapter } from '../tiny-adapter.ts'
import type { TinyOutput } from '../tiny-framework.ts'
import { makeTinyAdapter } from '../tiny-harness.ts'
import { changed, type Fault, inSession, offloading, withOptions, wrapping } from './fault.ts'

/** Counts the results of all cases in the process, as a careless adapter would. */
let resultsOfProcess = 0
const storageOfProcess = new InMemoryStorage()

/** Adapters that confuse calls, sessions, turns, or conversations. */
export const callFaults: readonly Fault[] = [
  {
    name: 'holds only one result at a time',
    caughtBy: ['calls/parallel'],
    create: () => {
      let latest: TinyOutput | undefined
      let goOn = (): void => {}
      return offloading(async (output, context, offload) => {
        latest = output
        goOn()
        // The wait ends with the next result. After the last result, it does not end.
        await new Promise<void>((resolve) => {
          goOn = resolve
          setTimeout(resolve, 3_000)
        })
        return offload(latest, context)
      })
    },
  },
  {
    name: 'treats each result as the only result of its turn',
    caughtBy: ['limits/turn'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, calls: 1 })),
  },
  {
    name: 'treats each turn as a turn of ten calls',
    caughtBy: ['limits/turn-of-one-call'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, calls: 10 })),
  },
  {
    name: 'does not pass the names of tools',
    caughtBy: ['limits/exempt-tool', 'limits/tool'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, toolName: 'tool' })),
  },
  {
    name: 'caches results by the id of the call',
    caughtBy: ['calls/equal-ids', 'calls/equal-ids-in-one-run', 'limits/turn'],
    create: () => {
      const cache = new Map<string, TinyOutput>()
      return offloading(async (output, context, offload) => {
        const cached = cache.get(context.toolCallId) ?? (await offload(output, context))
        cache.set(context.toolCallId, cached)
        return cached
      })
    },
  },
  {
    name: 'invents ids of calls',
    caughtBy: ['calls/equal-results', 'replay/same-storage', 'replay/fresh-storage', 'replay/new-process'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, toolCallId: randomUUID() })),
  },
  {
    name: 'numbers results by a counter of the process',
    caughtBy: ['replay/same-storage', 'replay/new-process'],
    create: () =>
      offloading((output, context, offload) =>
        offload(output, { ...context, toolCallId: `result_${(resultsOfProcess += 1)}` }),
      ),
  },
  {
    name: 'adds text to the 15th result of its process and to later results',
    caughtBy: ['replay/new-process'],
    create: () =>
      offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        resultsOfProcess += 1
        return resultsOfProcess < 15 ? replaced : { type: 'text', value: JSON.stringify(replaced.value) }
      }),
  },
  {
    name: 'accepts only words as ids',
    caughtBy: ['calls/hostile-id-path', 'calls/hostile-id-long', 'calls/hostile-id-emoji', 'calls/hostile-id-empty'],
    create: () =>
      offloading((output, context, offload) => {
        if (!/^\w{1,64}$/.test(context.toolCallId)) throw new TypeError('The id must be a word.')
        return offload(output, context)
      }),
  },
  {
    name: 'keeps results in an object by their ids',
    caughtBy: ['calls/hostile-id-prototype'],
    create: () => {
      const results: Record<string, TinyOutput> = {}
      return offloading((output, context, offload) =>
        context.toolCallId in results ? (results[context.toolCallId] ?? output) : offload(output, context),
      )
    },
  },
  {
    name: 'adds to the input of tools',
    caughtBy: ['calls/as-the-model-made-them'],
    create: () =>
      wrapping((tool) => ({
        ...tool,
        execute: (input, context) => tool.execute({ ...(input as object), session: 1 }, context),
      })),
  },
  {
    name: 'runs each tool twice',
    caughtBy: ['calls/as-the-model-made-them', 'approval/approved'],
    create: () =>
      wrapping((tool) => ({
        ...tool,
        async execute(input, context) {
          await tool.execute(input, context)
          return tool.execute(input, context)
        },
      })),
  },
  {
    name: 'answers calls of unknown tools',
    caughtBy: ['calls/no-such-tool', 'retrieval/offered-once'],
    create: () =>
      changed(({ tools }) => ({ tools: [...tools, { name: 'write_log', inputSchema: {}, execute: () => 'written' }] })),
  },
  {
    name: 'uses the session that began last',
    caughtBy: ['calls/many-at-once', 'sessions/at-once'],
    create: () => {
      let latest = ''
      return (root, session, tools, compaction) => {
        latest = session
        return {
          ...makeTinyAdapter(root, session, tools, compaction),
          afterTool: async (...parameters) => tinyAdapter(root.forScope(latest), tools).afterTool(...parameters),
        }
      }
    },
  },
  {
    name: 'uses one scope for all sessions',
    caughtBy: ['sessions/stolen-reference', 'sessions/search', 'sessions/suggestions'],
    create: () => inSession(() => 'everyone'),
  },
  {
    name: 'uses a new scope for each run',
    caughtBy: ['sessions/continued', 'turns/across-runs', 'replay/continued'],
    create: () => inSession((session) => `${session} ${randomUUID()}`),
  },
  {
    name: 'replaces special characters in the names of sessions',
    caughtBy: ['sessions/awkward-names', 'sessions/at-once'],
    create: () => inSession((session) => session.replaceAll(/\W/g, '_') || '_'),
  },
  {
    name: 'never ends a turn',
    caughtBy: ['turns/one-for-each-model-call', 'turns/across-runs', 'turns/evicted', 'outages/end-turn'],
    create: () => changed(() => ({ beforeModel: async () => {} })),
  },
  {
    name: 'ends the turns of all sessions',
    caughtBy: ['turns/one-for-each-model-call', 'turns/evicted'],
    create: () => (root, session, tools, compaction) => ({
      ...makeTinyAdapter(root, session, tools, compaction),
      beforeModel: async () => void (await root.endTurn()),
    }),
  },
  {
    name: 'ends several turns with each model call',
    caughtBy: ['turns/one-for-each-model-call', 'turns/not-too-early', 'turns/use-keeps'],
    create: () =>
      changed(({ beforeModel }) => ({
        async beforeModel(signal) {
          for (let turn = 0; turn < 4; turn += 1) await beforeModel(signal)
        },
      })),
  },
  {
    name: 'shortens older results with every model call',
    caughtBy: ['replay/prompts-only-grow', 'replay/continued'],
    create: () =>
      changed(() => ({
        rewrite: (messages) => {
          const last = messages.findLastIndex(({ role }) => role === 'assistant')
          return messages.map((message, index) =>
            message.role === 'tool' && index < last
              ? { ...message, output: { type: 'text', value: '[older]' } }
              : message,
          )
        },
      })),
  },
  {
    name: 'treats every result of a history as its own',
    caughtBy: ['replay/history-from-before', 'replay/continued'],
    create: () =>
      changed(() => ({
        rewrite: (messages) => {
          for (const message of messages)
            if (message.role === 'tool' && JSON.stringify(message.output).length > 8_000)
              throw new Error('This result was not offloaded.')
          return messages
        },
      })),
  },
  {
    name: 'keeps content in the memory of its process',
    caughtBy: ['replay/new-process'],
    create: () => withOptions(() => ({ storage: storageOfProcess })),
  },
  {
    name: 'fails if the storage fails',
    caughtBy: [
      'outages/store',
      'outages/store-of-an-error',
      'outages/store-throws-garbage',
      'outages/second-block',
      'outages/passing',
    ],
    create: () =>
      offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        const size = JSON.stringify(output.value).length
        if (replaced === output && size > 8_000) throw new Error('The result could not be stored.')
        return replaced
      }),
  },
  {
    name: 'shows the whole text of a cut result',
    caughtBy: ['outages/cut'],
    create: () =>
      offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        return JSON.stringify(replaced).includes('[Cut here') ? output : replaced
      }),
  },
  {
    name: 'ends turns directly in the storage',
    caughtBy: ['outages/end-turn'],
    create: () =>
      changed((_adapter, { options }) => ({ beforeModel: async () => void (await options.storage.endTurn?.()) })),
  },
  {
    name: 'throws its own error after a run was aborted',
    caughtBy: ['abort/tool-that-goes-on', 'abort/tool-that-fails', 'abort/before'],
    create: () => {
      const check = (signal: AbortSignal | undefined): void => {
        if (signal?.aborted === true) throw new TypeError('The offloader was aborted.')
      }
      return changed(({ afterTool, beforeModel }) => ({
        async afterTool(output, context) {
          check(context.signal)
          return afterTool(output, context)
        },
        async beforeModel(signal) {
          check(signal)
          await beforeModel(signal)
        },
      }))
    },
  },
  {
    name: 'leaves a result unchanged after a run was aborted',
    caughtBy: ['abort/continued'],
    create: () =>
      offloading(async (output, context, offload) =>
        context.signal?.aborted === true ? output : offload(output, context),
      ),
  },
  {
    name: 'does not pass the signal to tools',
    caughtBy: ['abort/signal-of-tools'],
    create: () =>
      wrapping((tool) => ({
        ...tool,
        execute: (input, context) => tool.execute(input, { ...context, signal: undefined }),
      })),
  },
  {
    name: 'does not pass the signal to the storage',
    caughtBy: ['abort/storing'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, signal: undefined })),
  },
]
