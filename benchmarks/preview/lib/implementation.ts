import type { Previewer } from '@spillway/previews'
import { peersDir } from './peers.mjs'
import { countTokens, headTokens } from './tokens.mjs'

/** The call that a preview is made of. */
export interface Input {
  readonly text: string
  readonly contentType: string
  readonly toolName: string
  readonly toolInput?: unknown
  /** The last text of the user or the agent before the call. */
  readonly purpose?: string | undefined
  readonly budgetTokens: number
  /** The size that an implementation with a size setting is asked for. */
  readonly chars?: number
  /** Spillway's previewers whose weights have not seen the case. */
  readonly heldOut?: readonly Previewer[]
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

/** Makes the preview with the largest size setting whose whole text is within the budget, found by bisection. */
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
