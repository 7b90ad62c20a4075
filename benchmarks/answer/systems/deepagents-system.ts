import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFilesystemMiddleware, FilesystemBackend } from 'deepagents'
import { ToolMessage } from 'langchain'
import { z } from 'zod'
import type { ToolResult } from '../answer-case.ts'
import { inlineSession, type Intent, type Session, type System, type ToolCall } from './system.ts'

const CALL_ID = 'call_Ab3dEf6h'
const FILE = `/large_tool_results/${CALL_ID}.txt`
const OFFERED = ['read_file', 'grep']
const PAGE_LINES = 100

/** The methods of the middleware that its agents call. */
interface Middleware {
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    readonly schema: z.ZodType
    invoke(input: object): Promise<unknown>
  }[]
  wrapToolCall(request: object, handler: () => Promise<ToolMessage>): Promise<unknown>
}

/** The file system middleware of deepagents, with its default limit or another number of tokens. */
export function deepagentsSystem(version: string, limitTokens = 20_000): System {
  return {
    name: limitTokens === 20_000 ? 'deepagents' : `deepagents at ${limitTokens.toLocaleString('en-US')}`,
    version,
    emulated: false,
    takes: () => true,
    open: (result) => openSession(result, limitTokens),
  }
}

async function openSession({ text }: ToolResult, toolTokenLimitBeforeEvict: number): Promise<Session> {
  const rootDir = mkdtempSync(join(tmpdir(), 'answer-deepagents-'))
  const close = (): void => rmSync(rootDir, { recursive: true, force: true })
  const backend = new FilesystemBackend({ rootDir, virtualMode: true })
  const middleware = createFilesystemMiddleware({ backend, toolTokenLimitBeforeEvict }) as unknown as Middleware
  // The middleware never changes results of its own tools, so the tool has another name.
  const message = new ToolMessage({ content: text, tool_call_id: CALL_ID, name: 'bash_tool' })
  const request = { toolCall: { id: CALL_ID, name: 'bash_tool', args: {} }, state: {}, runtime: {} }
  const shown = contentOf(await middleware.wrapToolCall(request, () => Promise.resolve(message)))
  if (shown === text) {
    close()
    return inlineSession(shown)
  }
  return {
    shown,
    inline: false,
    tools: middleware.tools
      .filter(({ name }) => OFFERED.includes(name))
      .map(({ name, description, schema }) => ({ name, description, inputSchema: z.toJSONSchema(schema) })),
    literalOnly: true,
    plan: planCall,
    run: async ({ tool, input }) => {
      const found = middleware.tools.find(({ name }) => name === tool)
      if (found === undefined) return `Error: there is no tool ${tool}.`
      return contentOf(await found.invoke({ ...input }))
    },
    hits: (answer) => [...answer.matchAll(/^\s+(\d+): /gm)].map((match) => Number(match[1])),
    totalLines: (answer) => {
      const match = /@@ lines \d+-\d+ of (\d+) |exceeds file length \((\d+) lines/.exec(answer)
      return match === null ? undefined : Number(match[1] ?? match[2])
    },
    counted: (answer) => {
      const match = /^\S+: (\d+)$/m.exec(answer)
      return match === null ? undefined : Number(match[1])
    },
    next: (answer) => {
      const offset = /@@ lines [^@]*next offset (\d+) \| truncated/.exec(answer)?.[1]
      return offset === undefined ? undefined : readLines(Number(offset) + 1, Number(offset) + PAGE_LINES)
    },
    offered: () => [],
    close,
  }
}

const readLines = (first: number, last: number): ToolCall => ({
  tool: 'read_file',
  input: { file_path: FILE, offset: first - 1, limit: last - first + 1 },
})

const grep = (pattern: string, output_mode: 'content' | 'count'): ToolCall => ({
  tool: 'grep',
  input: { pattern, path: FILE, output_mode },
})

function planCall(intent: Intent): ToolCall | undefined {
  switch (intent.want) {
    case 'grep':
      return grep(intent.literals[0] ?? '', 'content')
    case 'count':
      return grep(intent.literal, 'count')
    case 'lines':
      return readLines(intent.first, intent.last)
    case 'total':
      return readLines(1_000_001, 1_000_001)
    case 'all':
      return readLines(1, PAGE_LINES)
    default:
      return undefined
  }
}

/** Return the text of a message, of a command that updates messages, or of a tool result. */
function contentOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((part: { readonly text?: string }) => part.text ?? '').join('\n')
  const { content, update } = value as {
    readonly content?: unknown
    readonly update?: { readonly messages?: unknown[] }
  }
  return contentOf(content ?? (update?.messages?.[0] as { readonly content?: unknown } | undefined)?.content ?? '')
}
