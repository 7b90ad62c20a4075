import {
  ContextOffloader as Offloader,
  estimateTokens,
  type ContextOffloaderOptions,
  type CountTokens,
} from '@spillway/core'
import { countAsModel, withEvictAfterTurns } from '@spillway/core/adapter'
import { Message, TextBlock, type LocalAgent, type Model, type Plugin, type Tool } from '@strands-agents/sdk'
import { offloadPlugin, type OffloadOptions } from './offload-plugin.ts'

/** Options of {@link ContextOffloader}: those of Strands' own plugin, of Spillway's offloader, and of {@link offloadPlugin}. */
export interface ContextOffloaderConfig extends ContextOffloaderOptions, OffloadOptions {
  /**
   * Evict what was neither stored nor retrieved for more than this many model calls of its scope; `null`: never. Takes the
   * place of the `evictAfterTurns` of the storage, which holds where this is absent.
   */
  readonly evictAfterCycles?: number | null | undefined
}

/**
 * Keep large tool results out of the context of agents: takes the place of Strands' plugin of this name, with its options.
 *
 * It is {@link offloadPlugin} with an offloader of its own. Given to several agents, it keeps each one's content from the
 * others; a storage with `store` and `retrieve` alone cannot, and serves one agent, or with `scope: () => []` all together.
 * Tokens are counted by `countTokens`, or estimated, and the estimate fitted to what the first agent's model counts.
 *
 * @throws TypeError where an option is unknown or impossible.
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
  /** The offloader: its options in force, and its meter. */
  readonly offloader: Offloader
  readonly #plugin: Required<Plugin>
  readonly #isForOneAgent: boolean
  #agent: WeakRef<LocalAgent> | undefined
  #countTokens: CountTokens = estimateTokens
  #counting: Promise<CountTokens> | undefined

  constructor(config: ContextOffloaderConfig) {
    const { evictAfterCycles: turns, scope, except, ...options } = Object(config) as ContextOffloaderConfig
    const { storage, countTokens = (text) => this.#countTokens(text) } = options
    assertLimits(options)
    this.offloader = new Offloader({
      ...options,
      storage: turns === undefined ? storage : withEvictAfterTurns(storage, turns, 'evictAfterCycles'),
      countTokens,
    })
    this.#counting = options.countTokens && Promise.resolve(options.countTokens)
    this.#isForOneAgent = scope === undefined && storage.scope === undefined
    this.#plugin = offloadPlugin(this.offloader, { scope: this.#isForOneAgent ? () => [] : scope, except })
    this.name = this.#plugin.name
  }

  /** Register the hooks with an agent, as Strands does. Rejects where the storage cannot keep it apart from another. */
  async initAgent(agent: LocalAgent): Promise<void> {
    if (this.#isForOneAgent && (this.#agent?.deref() ?? agent) !== agent)
      throw new TypeError(
        'This storage has no scope() and cannot keep two agents apart. Give each a ContextOffloader and a storage of its ' +
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

  /** Return the retrieval tool, or nothing with `includeRetrievalTool: false`. */
  getTools(): Tool[] {
    return this.#plugin.getTools()
  }
}

/** Refuse with a `TypeError` the limits that Strands' plugin refuses, in its words. */
function assertLimits({ maxResultTokens: max = 2_500, previewTokens: preview = 0 }: ContextOffloaderOptions): void {
  if (!(max > 0)) throw new TypeError(`maxResultTokens must be positive, got ${max}.`)
  if (!(preview >= 0)) throw new TypeError(`previewTokens must be non-negative, got ${preview}.`)
  if (preview >= max) throw new TypeError(`previewTokens must be less than maxResultTokens, got ${preview} of ${max}.`)
}
