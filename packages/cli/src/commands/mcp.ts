import { collect, parseDuration, parseNames, parsePositive } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import { answerOption, listenOptions, offloaderOptions, STORE_OPTIONS } from './options.ts'

const LOG_EVENTS = option('--log-events', 'write every event to standard error, as lines of JSON')

const proxyCommand: CommandSpec = {
  name: 'proxy',
  summary: 'stand in front of an MCP server: large results of its tools become previews',
  description:
    'Stand between a host and an MCP server. Results of tools over the limit are stored; the host gets a ' +
    'preview with a reference, and one tool more, by which the model searches stored content. All else passes unchanged.',
  usage: '[options] -- <server command> [args...]',
  argument: [
    '[command...]',
    'the command that starts the server, and its arguments; it gets the environment of this one',
  ],
  options: [
    option('--url <url>', 'in place of a command: the address of a server that is reached over HTTP'),
    option('--header <header>', "sent to that server, 'Name: value' with ${VARIABLE}s; may be repeated", collect),
    option('--sse', 'that server speaks the older HTTP with SSE, of revision 2024-11-05'),
    option('-n, --name <name>', 'what messages call the server'),
    option('--exclude <names>', 'tools whose results stay as they are, parted by commas', parseNames),
    option('--ttl <time>', 'forget what was not used for so long, such as 7d', parseDuration),
    option(
      '--max-message-bytes <count>',
      'bytes of one message of a server, at most (default: 256 MiB)',
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
  summary: 'be an MCP server that searches and reads what is stored',
  description:
    'Serve what is stored to a host that only needs retrieval: a tool that searches and reads by reference, and one by ' +
    'which an agent puts content aside. With --scope, everything in it can be searched; without, a reference is needed.',
  options: [
    option('--read-only', 'leave out the tool that stores'),
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
  summary: 'stand in front of MCP servers, or be one',
  description: 'For hosts of the Model Context Protocol, such as Claude Code, Cursor, VS Code, Gemini CLI and Codex.',
  commands: [proxyCommand, serveCommand],
}
