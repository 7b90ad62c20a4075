// The module that the speed benchmarks measure as `ours`: memory storage, real offloader, default token estimate.
import { ContextOffloader, estimateTokens, type ContentBlock } from '@spillway/core'
import { previewText } from '@spillway/previews'
import { InMemoryStorage } from '@spillway/memory'

interface OffloadCall {
  readonly session: string
  readonly id: string
  readonly content: readonly ({ type: 'text'; text: string } | { type: 'json'; json: unknown })[]
  readonly maxTokens: number
  readonly previewTokens: number
}

export async function open(kind: string): Promise<InMemoryStorage> {
  if (kind !== 'memory') throw new Error(`no ${kind} storage here yet`)
  return new InMemoryStorage()
}

export async function offload(
  storage: InMemoryStorage,
  call: OffloadCall,
): Promise<{ offloaded: boolean; text: string }> {
  const { maxTokens, previewTokens } = call
  const offloader = new ContextOffloader({ storage, maxResultTokens: maxTokens, previewTokens }).forScope(call.session)
  const content = call.content.map((block): ContentBlock =>
    block.type === 'text' ? block : { type: 'json', value: block.json },
  )
  const outcome = await offloader.offload({ toolName: 'tool', toolCallId: call.id, content })
  const text = outcome.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  return { offloaded: outcome.status === 'offloaded', text }
}

export const preview = (text: string, budgetTokens: number): Promise<string> =>
  previewText(text, { budgetTokens, countTokens: estimateTokens })
