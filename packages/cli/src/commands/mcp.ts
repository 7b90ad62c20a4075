import type { Command } from 'commander'
import { addMcpProxyCommand } from './mcp-proxy.ts'
import { addMcpServeCommand } from './mcp-serve.ts'

/** Add `spillway mcp`. */
export function addMcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .summary('stand in front of MCP servers, or be one')
    .description('For hosts of the Model Context Protocol, such as Claude Code, Cursor, VS Code, Gemini CLI and Codex.')
    .helpCommand(false)
  addMcpProxyCommand(command)
  addMcpServeCommand(command)
}
