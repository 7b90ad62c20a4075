import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { PEERS } from '../../speed/lib.mjs'
import type { ToolResult } from '../answer-case.ts'
import { shellCommand } from './shell-command.ts'
import { inlineSession, type Session, type System, type ToolCall, type ToolDefinition } from './system.ts'

const PACKAGE = join(PEERS, 'context-mode/node_modules/context-mode')
/** The tools that run code and search stored content. context-mode has nine more. */
const OFFERED = ['ctx_execute', 'ctx_search']

/** context-mode, an MCP server that runs commands and stores large outputs. Empty if `setup.sh` did not install it. */
export function contextModeSystem(): readonly System[] {
  if (!existsSync(PACKAGE)) return []
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { readonly version: string }
  const server = new ContextModeServer()
  return [
    {
      name: 'context-mode',
      version: `${version}, over MCP`,
      emulated: false,
      takes: () => true,
      open: (result, question) => server.open(result, question),
      close: () => server.close(),
    },
  ]
}

/** One server for all sessions. It is restarted for a session if no other is open, and so has no earlier content. */
class ContextModeServer {
  readonly #home = mkdtempSync(join(tmpdir(), 'answer-context-mode-'))
  readonly #project = join(this.#home, 'project')
  #client: Promise<Client> | undefined
  #open = 0

  async open({ text }: ToolResult, question: string): Promise<Session> {
    const number = (this.#open += 1)
    const client = await (this.#client ??= this.#connect())
    if (number === 1) await callTool(client, { tool: 'ctx_purge', input: { confirm: true, scope: 'project' } })
    const file = `out${number}.txt`
    writeFileSync(join(this.#project, file), text)
    const close = (): void => void (this.#open -= 1)
    // The tool description asks for the purpose. A large output is then stored, and its matching sections are listed.
    const first = { language: 'shell', code: `cat ${file}`, intent: question }
    const shown = await callTool(client, { tool: 'ctx_execute', input: first })
    if (shown.includes(text)) return { ...inlineSession(shown), close }
    const { tools } = await client.listTools()
    return {
      shown,
      inline: false,
      tools: tools
        .filter(({ name }) => OFFERED.includes(name))
        .map(({ name, description = '', inputSchema }): ToolDefinition => ({ name, description, inputSchema })),
      literalOnly: false,
      plan: (intent) => {
        if (intent.want === 'words') return { tool: 'ctx_search', input: { queries: [intent.words] } }
        const code = shellCommand(intent, file)
        return code === undefined ? undefined : { tool: 'ctx_execute', input: { language: 'shell', code } }
      },
      run: (call) => callTool(client, call),
      hits: (answer) => [...answer.matchAll(/^(\d+):/gm)].map((match) => Number(match[1])),
      totalLines: (answer) => {
        const digits = /^(\d+) out\d+\.txt$/m.exec(answer)?.[1]
        return digits === undefined ? undefined : Number(digits)
      },
      counted: (answer) => {
        const digits = /\n```\n+(\d+)\s*$/.exec(answer)?.[1]
        return digits === undefined ? undefined : Number(digits)
      },
      next: () => undefined,
      offered: () => [],
      close,
    }
  }

  async close(): Promise<void> {
    const client = await this.#client
    this.#client = undefined
    await client?.close()
    rmSync(this.#home, { recursive: true, force: true })
  }

  async #connect(): Promise<Client> {
    mkdirSync(this.#project, { recursive: true })
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#home,
      CONTEXT_MODE_PROJECT_DIR: this.#project,
      // The server delays more than three searches a minute. A real model needs more time for its calls than a policy.
      CONTEXT_MODE_SEARCH_WINDOW_MS: '1',
    }
    const args = [join(PACKAGE, 'server.bundle.mjs')]
    const client = new Client({ name: 'benchmark', version: '1.0.0' })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: this.#project, env, stderr: 'ignore' }),
    )
    return client
  }
}

async function callTool(client: Client, { tool, input }: ToolCall): Promise<string> {
  const { content } = await client.callTool({ name: tool, arguments: { ...input } })
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')
}
