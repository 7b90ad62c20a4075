import { collect, parseDuration, parseNames, parsePositive } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { answerOption, listenOptions, offloaderOptions, STORE_OPTIONS } from './options.ts'

const LOG_EVENTS = option('--log-events', 'write every event to standard error, one JSON value per line')

const proxyCommand: CommandSpec = {
  name: 'proxy',
  summary: 'run a proxy for an MCP server: large results of its tools become previews',
  description:
    'Run a proxy between a host and an MCP server. Results of tools over the limit are stored; the host gets a ' +
    'preview with a reference, and another tool, with which the model searches stored content. All else is unchanged.',
  usage: '[options] -- <server command> [args...]',
  argument: [
    '[command...]',
    'the command that starts the server, and its arguments; the server gets the environment of this command',
  ],
  options: [
    option('--url <url>', 'the URL of a server over HTTP, instead of a command'),
    option('--header <header>', "header for this server, 'Name: value' with ${VARIABLE}s; may be repeated", collect),
    option('--sse', 'use the older HTTP with SSE of revision 2024-11-05 for this server'),
    option('-n, --name <name>', 'name of the server in messages'),
    option('--exclude <names>', 'tools whose results are not offloaded, separated by commas', parseNames),
    option('--ttl <time>', 'remove content unused for this time, such as 7d', parseDuration),
    option(
      '--max-message-bytes <count>',
      'size limit of one message of the server in bytes (default: 256 MiB)',
      parsePositive,
    ),
    LOG_EVENTS,
    ...offloaderOptions('that of --max-tokens'),
    ...listenOptions(),
    ...STORE_OPTIONS,
  ],
  passesOptions: true,
  help: `
Examples:
  $ spillway mcp proxy -- npx -y @modelcontextprotocol/server-filesystem .
  $ spillway mcp proxy --url https://example.com/mcp --header 'Authorization: Bearer \${TOKEN}'
  $ spillway mcp proxy --listen 8003 -- npx -y @modelcontextprotocol/server-filesystem .

Exit codes: 0 the client has ended, 1 the server has ended, 2 wrong options, 3 the store cannot be opened, \
126 or 127 the server cannot be started.`,
  load: async () => (await import('../actions/mcp-proxy.ts')).mcpProxy,
}

const serveCommand: CommandSpec = {
  name: 'serve',
  summary: 'run an MCP server that searches and reads stored content',
  description:
    'Serve stored content to a host that only needs retrieval: a tool that searches and reads by reference, and a tool ' +
    'that stores content of an agent. With --scope, the whole scope can be searched; otherwise a reference is needed.',
  options: [
    option('--read-only', 'leave out the tool that stores content'),
    LOG_EVENTS,
    answerOption('2500'),
    ...listenOptions(),
    ...STORE_OPTIONS,
  ],
  help: `
Examples:
  $ spillway mcp serve --store file:./.spillway --scope project-1
  $ spillway mcp serve --store redis://localhost:6379 --listen 8004 --tokens tokens.json`,
  load: async () => (await import('../actions/mcp-serve.ts')).mcpServe,
}

export const mcpCommand: CommandSpec = {
  name: 'mcp',
  summary: 'run a proxy for MCP servers, or an MCP server',
  description: 'For hosts of the Model Context Protocol, such as Claude Code, Cursor, VS Code, Gemini CLI and Codex.',
  commands: [proxyCommand, serveCommand],
}
