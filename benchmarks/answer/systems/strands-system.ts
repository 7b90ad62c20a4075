import { JsonBlock, TextBlock, ToolResultBlock } from '@strands-agents/sdk'
import { InMemoryStorage } from '@strands-agents/sdk/storage'
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
import type { ToolResult } from '../answer-case.ts'
import {
  caseVariants,
  escapeRegex,
  inlineSession,
  markedLines,
  type Intent,
  type Session,
  type System,
  type ToolCall,
  type ToolDefinition,
} from './system.ts'

const CALL_ID = 'tooluse_Ab3dEf6h'
const REFERENCE = `${CALL_ID}_0`

/** The part of a Strands agent that is used here. */
interface ToolCallEvent {
  readonly agent: unknown
  readonly toolUse: { readonly name: string; readonly toolUseId: string }
  readonly result: { readonly content: readonly { readonly text?: string }[] }
}

interface StrandsTool {
  readonly name: string
  readonly toolSpec: { readonly description: string; readonly inputSchema: object }
  invoke(input: object, context: object): Promise<unknown>
}

/** The offloader of Strands. With `asJson`, it gets JSON as a JSON block, and otherwise as text. */
export function strandsSystem(version: string, { asJson = false }: { readonly asJson?: boolean } = {}): System {
  return {
    name: asJson ? 'Strands, JSON block' : 'Strands',
    version,
    emulated: false,
    takes: ({ results }) => !asJson || results.every(({ contentType }) => contentType.includes('json')),
    open: (result) => openSession(result, asJson),
  }
}

async function openSession({ text, toolName, contentType }: ToolResult, asJson: boolean): Promise<Session> {
  const plugin = new ContextOffloader({ storage: new InMemoryStorage() })
  let afterToolCall: ((event: ToolCallEvent) => Promise<void>) | undefined
  const agent = {
    addHook: (_event: unknown, hook: (event: ToolCallEvent) => Promise<void>): void => {
      afterToolCall ??= hook
    },
    metrics: { cycleCount: 0 },
    // Strands' models use this estimate by default.
    model: { countTokens: () => Promise.resolve(Math.ceil(text.length / 4)) },
  }
  plugin.initAgent(agent as never)
  const block = asJson && contentType.includes('json') ? new JsonBlock({ json: JSON.parse(text) }) : new TextBlock(text)
  const event: ToolCallEvent = {
    agent,
    toolUse: { name: toolName, toolUseId: CALL_ID },
    result: new ToolResultBlock({ toolUseId: CALL_ID, status: 'success', content: [block] }) as never,
  }
  await afterToolCall?.(event)
  const shown = event.result.content.map((part) => part.text ?? JSON.stringify(part)).join('\n')
  if (!shown.startsWith('[Offloaded')) return inlineSession(shown)
  const [tool] = plugin.getTools() as unknown as readonly [StrandsTool]
  const definition: ToolDefinition = {
    name: tool.name,
    description: tool.toolSpec.description,
    inputSchema: tool.toolSpec.inputSchema,
  }
  return {
    shown,
    inline: false,
    tools: [definition],
    literalOnly: false,
    plan: (intent) => planCall(tool.name, intent),
    run: async ({ input }) => {
      const answer = await tool.invoke({ ...input }, { agent })
      return typeof answer === 'string' ? answer : JSON.stringify(answer)
    },
    hits: markedLines,
    totalLines: (answer) => {
      const match = /^\[Lines \d+-\d+ of (\d+)\]|content length \((\d+) lines/m.exec(answer)
      return match === null ? undefined : Number(match[1] ?? match[2])
    },
    counted: (answer) => {
      const match = /^\[(\d+) match/.exec(answer)
      return match === null ? undefined : Number(match[1])
    },
    next: () => undefined,
    offered: () => [],
    close: () => undefined,
  }
}

function planCall(tool: string, intent: Intent): ToolCall | undefined {
  const call = (input: object): ToolCall => ({ tool, input: { reference: REFERENCE, ...input } })
  switch (intent.want) {
    case 'grep': {
      const literals = intent.ignoreCase ? intent.literals.flatMap(caseVariants) : intent.literals
      return call({ pattern: literals.map(escapeRegex).join('|'), context_lines: intent.context })
    }
    case 'count':
      return call({ pattern: escapeRegex(intent.literal), context_lines: 0 })
    case 'lines':
      return call({ line_range: { start: intent.first, end: intent.last } })
    case 'total':
      return call({ line_range: { start: 10_000_000, end: 10_000_000 } })
    case 'all':
      return call({})
    default:
      return undefined
  }
}
