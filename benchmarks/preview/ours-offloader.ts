// The whole replacement of ContextOffloader, with references and text around the preview. Setting: previewTokens.
import { ContextOffloader, type ContextOffloaderOptions } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { Implementation, Input } from './lib/implementation.ts'
import { countTokens } from './lib/tokens.mjs'
import type { Previewer, TextPreviewer } from '@spillway/previews'

/** Replaces the previewer that needs grammars. */
const NO_GRAMMARS: TextPreviewer = {
  name: 'code',
  previews: 'text',
  recognize: () => 0,
  read: () => ({ push: () => {}, finish: () => undefined }),
}

/** Spillway without optional libraries. */
export const asInstalled: Implementation = offloader('Spillway as installed', { previewers: [NO_GRAMMARS] })

/** Spillway with all optional libraries, which this workspace has installed. */
export const withLibraries: Implementation = offloader('Spillway, all libraries', {})

/** Spillway with the previewers of a measurement. */
export const withPreviewers = (previewers: readonly Previewer[]): Implementation =>
  offloader('Spillway, other previewers', { previewers })

function offloader(name: string, options: Pick<ContextOffloaderOptions, 'previewers'>): Implementation {
  return {
    name,
    sized: true,
    preview: ({ budgetTokens, chars = budgetTokens * 4, ...input }) => {
      const previewTokens = Math.round(chars / 4)
      return replace(input, { ...options, countTokens: countOnce, previewTokens, maxResultTokens: previewTokens + 1 })
    },
    previewByDefault: (input) => replace(input, options),
  }
}

async function replace(
  { text, contentType, toolName, toolInput, purpose, heldOut = [] }: Omit<Input, 'budgetTokens'>,
  { previewers = [], ...options }: Omit<ContextOffloaderOptions, 'storage'>,
): Promise<string> {
  const block = contentType === 'application/json' ? jsonBlock(text) : { type: 'text' as const, text }
  const { content } = await new ContextOffloader({
    storage: new InMemoryStorage(),
    previewers: [...previewers, ...heldOut],
    ...options,
  }).offload({
    toolName,
    toolCallId: 'toolu_01Ab3dEf6hJk9',
    input: toolInput,
    ...(purpose !== undefined && { purpose }),
    content: [block],
  })
  return content
    .map((each) => (each.type === 'text' ? each.text : JSON.stringify('value' in each ? each.value : each)))
    .join('\n')
}

const jsonBlock = (text: string): { type: 'json'; value: unknown } => ({ type: 'json', value: JSON.parse(text) })

let last = { text: '', tokens: 0 }

/** Count tokens. Counts of long texts are cached, because the search for a size offloads the same output repeatedly. */
function countOnce(text: string): number {
  if (text.length < 10_000) return countTokens(text)
  if (text !== last.text) last = { text, tokens: countTokens(text) }
  return last.tokens
}
