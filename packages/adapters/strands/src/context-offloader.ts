import {
  ContextOffloader as Offloader,
  estimateTokens,
  type ContextOffloaderOptions,
  type CountTokens,
} from '@spillway/core'
import { countAsModel, withEvictAfterTurns } from '@spillway/core/adapter'
import { Message, TextBlock, type LocalAgent, type Model, type Plugin, type Tool } from '@strands-agents/sdk'
import { offloadPlugin, type OffloadOptions } from './offload-plugin.ts'

/** Options of Strands' own plugin, Spillway's offloader, and {@link offloadPlugin}. */
export interface ContextOffloaderConfig extends ContextOffloaderOptions, OffloadOptions {
  /** Number of model calls without use after which content is evicted. `null` for never. */
  readonly evictAfterCycles?: number | null | undefined
}

/**
 * Keeps large tool results out of the context of agents: {@link offloadPlugin}, with the options of Strands' own
 * plugin.
 *
 * Each agent has its own scope. A storage without scopes serves one agent, or several together with `scope: () => []`.
 * Without `countTokens`, tokens are estimated. The estimate is adjusted to the first agent's model.
 *
 * @throws TypeError for an unknown or invalid option.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { ContextOffloader } from '@spillway/strands'
 * import { Agent } from '@strands-agents/sdk'
 *
 * const plugin = new ContextOffloader({ storage: new InMemoryStorage(), maxResultTokens: 5_000, previewTokens: 2_000 })
 * const agent = new Agent({ plugins: [plugin] })
 * console.assert(agent !== undefined && plugin.offloader.meter().offloaded === 0)
 * ```
 */
export class ContextOffloader implements Plugin {
  readonly name: string
  /** The offloader, with the options in effect and the meter. */
  readonly offloader: Offloader
  readonly #plugin: Required<Plugin>
  readonly #isForOneAgent: boolean
  #agent: WeakRef<LocalAgent> | undefined
  #countTokens: CountTokens = estimateTokens
  #counting: Promise<CountTokens> | undefined

  constructor(config: ContextOffloaderConfig) {
    const { evictAfterCycles: turns, scope, ...options } = Object(config) as ContextOffloaderConfig
    const { storage, countTokens = (text) => this.#countTokens(text) } = options
    assertLimits(options)
    this.offloader = new Offloader({
      ...options,
      storage: turns === undefined ? storage : withEvictAfterTurns(storage, turns, 'evictAfterCycles'),
      countTokens,
    })
    this.#counting = options.countTokens && Promise.resolve(options.countTokens)
    this.#isForOneAgent = scope === undefined && storage.scope === undefined
    this.#plugin = offloadPlugin(this.offloader, { scope: this.#isForOneAgent ? () => [] : scope })
    this.name = this.#plugin.name
  }

  /** Register the hooks with an agent. Rejects if the storage cannot isolate this agent from others. */
  async initAgent(agent: LocalAgent): Promise<void> {
    if (this.#isForOneAgent && (this.#agent?.deref() ?? agent) !== agent)
      throw new TypeError(
        'This storage has no scope() and cannot isolate two agents. Give each a ContextOffloader and a storage of its ' +
          'own, use a Spillway storage, or let them share all that is stored with scope: () => [].',
      )
    this.#agent = new WeakRef(agent)
    await this.#plugin.initAgent(agent)
    const { model } = agent as LocalAgent & { readonly model: Model }
    this.#counting ??= countAsModel((text) =>
      model.countTokens([new Message({ role: 'user', content: [new TextBlock(text)] })]),
    )
    this.#countTokens = await this.#counting
  }

  /** Return the retrieval tool. Returns an empty list with `includeRetrievalTool: false`. */
  getTools(): Tool[] {
    return this.#plugin.getTools()
  }
}

/** Throws the same `TypeError` messages as Strands' plugin. */
function assertLimits({ maxResultTokens: max = 2_500, previewTokens: preview = 0 }: ContextOffloaderOptions): void {
  // Core checks limits that are shares of a context window.
  if (typeof max === 'object' || typeof preview === 'object') return
  if (!(max > 0)) throw new TypeError(`maxResultTokens must be positive, got ${max}.`)
  if (!(preview >= 0)) throw new TypeError(`previewTokens must be non-negative, got ${preview}.`)
  if (preview >= max) throw new TypeError(`previewTokens must be less than maxResultTokens, got ${preview} and ${max}.`)
}
