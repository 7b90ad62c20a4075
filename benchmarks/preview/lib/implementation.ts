import type { Previewer } from '@spillway/previews'
import { peersDir } from './peers.mjs'
import { countTokens, headTokens } from './tokens.mjs'

/** The tool call whose result is previewed. */
export interface Input {
  readonly text: string
  readonly contentType: string
  readonly toolName: string
  readonly toolInput?: unknown
  /** The last text of the user or the agent before the call. */
  readonly purpose?: string | undefined
  readonly budgetTokens: number
  /** The requested size, for an implementation with a size setting. */
  readonly chars?: number
  /** Spillway's previewers with weights that were not fitted to the case. */
  readonly heldOut?: readonly Previewer[]
}

/** An implementation of previews. */
export interface Implementation {
  readonly name: string
  /** Whether `chars` sets the size. */
  readonly sized?: boolean
  preview(input: Input): string | Promise<string>
  /** Create the preview that users get without a size setting. */
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

/** Load peers by the names of their files in `impl/`, or all peers if there are no names. Skips missing packages. */
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

/** Create the preview with the largest size setting whose whole text is within the budget, found by bisection. */
export async function previewWithin(implementation: Implementation, input: Input): Promise<string> {
  const budget = input.budgetTokens
  const cut = (preview: string): string => (countTokens(preview) > budget ? headTokens(preview, budget) : preview)
  if (!implementation.sized) return cut(await implementation.preview(input))
  let [fits, exceeds] = [0, budget * 12]
  let best = await implementation.preview({ ...input, chars: fits })
  while (exceeds - fits > 8) {
    const chars = Math.floor((fits + exceeds) / 2)
    const preview = await implementation.preview({ ...input, chars })
    if (countTokens(preview) > budget) exceeds = chars
    else [fits, best] = [chars, preview]
  }
  return cut(best)
}
