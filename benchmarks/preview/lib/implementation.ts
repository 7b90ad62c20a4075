import { peersDir } from './peers.mjs'
import { countTokens, headTokens } from './tokens.mjs'

/** The call that a preview is made of. */
export interface Input {
  readonly text: string
  readonly contentType: string
  readonly toolName: string
  readonly toolInput?: unknown
  readonly budgetTokens: number
  /** The size that an implementation with a size setting is asked for. */
  readonly chars?: number
  /** The fold of the case. Whatever is fitted must not have seen cases of this fold. */
  readonly fold?: number
}

/** A way to make previews. */
export interface Implementation {
  readonly name: string
  /** Whether `chars` sets the size. */
  readonly sized?: boolean
  preview(input: Input): string | Promise<string>
  /** Makes the preview that users get if they set no size. */
  previewByDefault?(input: Input): Promise<string>
}

const PEERS = [
  'easy',
  'codex-emulated',
  'headtail2080',
  'headtail',
  'tail',
  'head',
  'strands',
  'claude-code-emulated',
  'deepagents',
  'gemini',
  'pi-head',
  'pi-tail',
]

/** Loads peers by the names of their files in `impl/`; all of them if there are no names, without those not installed. */
export async function loadPeers(names: readonly string[] | undefined): Promise<Implementation[]> {
  const peers: Implementation[] = []
  for (const name of names ?? PEERS)
    try {
      peers.push({ name, ...((await import(`../impl/${name}.mjs`)) as Omit<Implementation, 'name'>) })
    } catch (error) {
      if (names !== undefined || !(error instanceof Error && error.message.includes(peersDir))) throw error
      console.error(`${name} is left out: ${error.message}`)
    }
  return peers
}

/** Makes the preview with the largest size setting whose whole text is within the budget, found to within 8 tokens. */
export async function previewWithin(implementation: Implementation, input: Input): Promise<string> {
  const budget = input.budgetTokens
  let [fits, exceeds, size] = [0, budget * 12, budget * 4]
  let best = ''
  let most = -1
  for (let round = 0; round < 10 && exceeds - fits > 8; round++) {
    const preview = await implementation.preview({ ...input, chars: size })
    const tokens = countTokens(preview)
    if (!implementation.sized) return tokens > budget ? headTokens(preview, budget) : preview
    if (tokens > budget) exceeds = size
    else {
      fits = size
      if (tokens > most) [best, most] = [preview, tokens]
      if (tokens > budget - 8) break
    }
    const guess = Math.round(size + (budget - 2 - tokens) * 4)
    size = guess > fits && guess < exceeds ? guess : Math.floor((fits + exceeds) / 2)
  }
  return most < 0 ? headTokens(await implementation.preview({ ...input, chars: 0 }), budget) : best
}
