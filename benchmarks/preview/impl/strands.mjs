// The real ContextOffloader, driven through its AfterToolCall hook. Setting: previewTokens (4 characters a token).
import { JsonBlock, TextBlock, ToolResultBlock } from '@strands-agents/sdk'
import { InMemoryStorage } from '@strands-agents/sdk/storage'
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'

export const sized = true
export async function preview({ text, contentType, toolName, budgetTokens, chars }) {
  const previewTokens = chars === undefined ? budgetTokens : chars / 4
  const plugin = new ContextOffloader({
    storage: new InMemoryStorage(),
    previewTokens,
    maxResultTokens: previewTokens + 1,
  })
  let hook
  const agent = {
    addHook: (_event, fn) => (hook ??= fn),
    metrics: { cycleCount: 0 },
    model: { countTokens: async () => Math.ceil(text.length / 4) + previewTokens + 2 },
  }
  plugin.initAgent(agent)
  const block = contentType === 'application/json' ? new JsonBlock({ json: JSON.parse(text) }) : new TextBlock(text)
  const event = {
    agent,
    toolUse: { name: toolName, toolUseId: 'tooluse_Ab3dEf6h' },
    result: new ToolResultBlock({ toolUseId: 'tooluse_Ab3dEf6h', status: 'success', content: [block] }),
  }
  await hook(event)
  return event.result.content.map((b) => b.text).join('\n')
}
