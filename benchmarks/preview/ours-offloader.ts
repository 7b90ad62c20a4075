// The whole replacement, frame and references included, as ContextOffloader writes it. Setting: previewTokens.
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { countTokens } from './lib/tokens.mjs'
import { previewers, type PreviewCase } from './ours.ts'

export const sized = true

export async function preview({
  text,
  contentType,
  toolName,
  toolInput,
  budgetTokens,
  chars,
}: PreviewCase): Promise<string> {
  const previewTokens = chars === undefined ? budgetTokens : Math.round(chars / 4)
  const storage = new InMemoryStorage()
  const offloader = new ContextOffloader({
    storage,
    countTokens,
    previewers,
    previewTokens,
    maxResultTokens: previewTokens + 1,
  })
  const block = contentType === 'application/json' ? jsonBlock(text) : { type: 'text' as const, text }
  const outcome = await offloader.offload({
    toolName,
    toolCallId: 'toolu_01Ab3dEf6hJk9',
    input: toolInput,
    content: [block],
  })
  return outcome.content.map((each) => (each.type === 'text' ? each.text : JSON.stringify(each))).join('\n')
}

const jsonBlock = (text: string): { type: 'json'; value: unknown } => ({ type: 'json', value: JSON.parse(text) })
