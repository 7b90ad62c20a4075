import type { ContextOffloader } from '@spillway/core'
import { compactHistory, HistoryCompactor, offloaderArchive, type HistoryOptions } from '@spillway/history'
import { tinyFormat } from '../tiny-format.ts'
import type { TinyPrompt } from '../tiny-framework.ts'
import { makeTinyAdapter, type MakeAdapter } from '../tiny-harness.ts'
import { returningOther, type Fault } from './fault.ts'

type Options = HistoryOptions<TinyPrompt>
type Compact = (prompt: TinyPrompt, signal: AbortSignal | undefined) => Promise<TinyPrompt>

/** Create an adapter that compacts in another way. `make` is called once for each run. */
function compacting(make: (options: Options, root: ContextOffloader) => Compact): MakeAdapter {
  return (root, session, tools, compaction) => {
    const adapter = makeTinyAdapter(root, session, tools, undefined)
    if (compaction === undefined) return adapter
    return {
      ...adapter,
      compact: make({ ...compaction, offloader: root.forScope(session), format: tinyFormat() }, root),
    }
  }
}

/** Create an adapter that compacts like the correct adapter, but with other options. */
function compactingWith(change: (options: Options, root: ContextOffloader) => Partial<Options>): MakeAdapter {
  return compacting((options, root) => compactorOf({ ...options, ...change(options, root) }))
}

function compactorOf(options: Options): Compact {
  const compactor = new HistoryCompactor(options)
  return async (prompt, signal) => (await compactor.compact(prompt, { signal })).messages
}

/** Adapters that compact histories incorrectly. */
export const historyFaults: readonly Fault[] = [
  {
    name: 'uses its own limits for histories',
    caughtBy: ['history/below-the-limit'],
    create: () => compactingWith(() => ({ maxTotalTokens: 2_000 })),
  },
  {
    name: 'never compacts a history',
    caughtBy: [
      'history/over-the-limit',
      'history/arguments',
      'history/retrieves',
      'history/no-trickle',
      'history/replacement-shrinks',
    ],
    create: () => (root, session, tools) => makeTinyAdapter(root, session, tools, undefined),
  },
  {
    name: 'removes old calls from histories',
    caughtBy: ['history/over-the-limit'],
    create: () =>
      compacting(() => async (prompt) => ({
        ...prompt,
        messages: prompt.messages.slice(0, 1).concat(prompt.messages.slice(1).slice(-6)),
      })),
  },
  {
    name: 'shortens the results that the program gets',
    caughtBy: ['history/outputs'],
    create: () => {
      let seen = 0
      const shorten = returningOther((value) => ((seen += 1) > 6 ? String(value).slice(0, 100) : value))
      return (root, session, tools, compaction) =>
        compaction === undefined
          ? makeTinyAdapter(root, session, tools, compaction)
          : shorten(root, session, tools, compaction)
    },
  },
  {
    name: 'stores content that it removes from a history in a separate scope',
    caughtBy: ['history/retrieves', 'history/sessions-at-once'],
    create: () => compactingWith((_options, root) => ({ offloader: root.forScope('histories') })),
  },
  {
    name: 'compacts again for each call',
    caughtBy: ['history/no-trickle', 'history/summaries-merge'],
    create: () =>
      compacting(
        (options) => async (prompt, signal) => (await compactHistory(prompt, { ...options, signal })).messages,
      ),
  },
  {
    name: 'lets the storage evict entries that histories name',
    caughtBy: ['history/kept-in-storage'],
    create: () =>
      compactingWith(({ offloader }) => ({ archive: { ...offloaderArchive(offloader), use: async () => {} } })),
  },
  {
    name: 'does not recognize its own replacements',
    caughtBy: ['history/replacement-shrinks'],
    create: () =>
      compactingWith(({ offloader }) => ({
        archive: { ...offloaderArchive(offloader), readReplacement: () => undefined },
      })),
  },
  {
    name: 'also ends a turn for each compaction',
    caughtBy: ['history/turns'],
    create: () =>
      compacting((options) => {
        const compact = compactorOf(options)
        return async (prompt, signal) => {
          await options.offloader.endTurn()
          return compact(prompt, signal)
        }
      }),
  },
  {
    name: 'fails if a history cannot be made smaller',
    caughtBy: ['history/outage', 'history/summary-fails'],
    create: () =>
      compacting((options) => {
        const compactor = new HistoryCompactor(options)
        return async (prompt, signal) => {
          const { messages, failures } = await compactor.compact(prompt, { signal })
          if (failures.length > 0) throw new Error('The history could not be made smaller.')
          return messages
        }
      }),
  },
  {
    name: 'compacts only the messages of the current run',
    caughtBy: ['history/resumed'],
    create: () =>
      compacting((options) => {
        const compact = compactorOf(options)
        let before: number | undefined
        return async ({ system, messages }, signal) => {
          before ??= messages.length
          const added = await compact({ system, messages: messages.slice(before) }, signal)
          return { ...added, messages: [...messages.slice(0, before), ...added.messages] }
        }
      }),
  },
  {
    name: 'puts the summary into the messages',
    caughtBy: ['history/summary', 'history/summary-without-system-prompt'],
    create: () =>
      compacting((options) => {
        const compact = compactorOf(options)
        return async (prompt, signal) => {
          const { system, messages } = await compact(prompt, signal)
          if (system === prompt.system) return { system, messages }
          return { system: prompt.system, messages: [...messages, { role: 'user', text: system }] }
        }
      }),
  },
  {
    name: 'adds no system prompt if the agent has none',
    caughtBy: ['history/summary-without-system-prompt'],
    create: () =>
      compacting((options) => {
        const compact = compactorOf(options)
        return async (prompt, signal) => {
          const compacted = await compact(prompt, signal)
          return prompt.system === '' ? { ...compacted, system: '' } : compacted
        }
      }),
  },
  {
    name: 'appends each summary to the earlier summaries',
    caughtBy: ['history/summaries-merge'],
    create: () =>
      compacting((options) => {
        const compact = compactorOf(options)
        let system = ''
        return async (prompt, signal) => {
          const compacted = await compact(prompt, signal)
          if (!system.endsWith(compacted.system)) system += compacted.system
          return { ...compacted, system }
        }
      }),
  },
  {
    name: 'does not pass on instructions for summaries',
    caughtBy: ['history/summary-steered'],
    create: () => compactingWith(() => ({ instructions: '' })),
  },
  {
    name: 'does not pass the signal to the summary model',
    caughtBy: ['history/summary-aborted'],
    create: () =>
      compacting((options) => {
        const compact = compactorOf(options)
        return async (prompt) => compact(prompt, undefined)
      }),
  },
]
