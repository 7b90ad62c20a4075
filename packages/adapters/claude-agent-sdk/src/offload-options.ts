import type { HookCallbackMatcher, HookEvent, McpServerConfig, Options } from '@anthropic-ai/claude-agent-sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun } from '@spillway/core/adapter'
import { liftLimits } from './hook/lift-limits.ts'
import { hooksOf } from './offload-hooks.ts'
import { offloadServerErrors, type OffloaderOfCall } from './offload-server-errors.ts'
import { SERVER_NAME, serverOf } from './retrieval-server.ts'
import { SessionOfCall } from './session-of-call.ts'
import { sessionScope, type OffloadSettings } from './settings.ts'

/**
 * Return options of a query by which tool results that are over the limit are offloaded, and the model can read on in them.
 *
 * Adds to yours: hooks behind your own, the MCP server `spillway`, the permission to call its tool, and the environment
 * variable `MAX_MCP_OUTPUT_TOKENS` where it is not set, as Claude Code would take large results of MCP tools away before
 * any hook sees them. Errors of MCP servers in this process are offloaded as well. What you pass in does not change. The options may be used for any number of queries.
 *
 * @param settings - `scope` and `except`; the scope is the session's id.
 * @throws TypeError where the offloader or a setting is not usable, and where another MCP server is called `spillway`.
 *
 * @example
 * ```ts
 * import { offloadOptions } from '@spillway/claude-agent-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const options = offloadOptions({ model: 'claude-sonnet-5-5', allowedTools: ['Bash'] }, offloader)
 * console.assert(options.allowedTools?.at(-1) === 'mcp__spillway__retrieve_offloaded_content')
 * ```
 */
export function offloadOptions(options: Options, offloader: ContextOffloader, settings: OffloadSettings = {}): Options {
  assertRunOptions(offloader, settings, { usage: 'offloadOptions(options, offloader, settings)' })
  const sessions = new SessionOfCall()
  const { scope = sessionScope, except = [] } = settings
  const offloaderOf = offloaderOfRun(offloader, scope)
  const mcpServers = offloadErrors(options.mcpServers, sessions, (call) =>
    except.includes(call.tool_name) ? undefined : offloaderOf(call),
  )
  const offloading: Options = {
    ...options,
    hooks: joinHooks(options.hooks, hooksOf(offloader, settings, sessions)),
    mcpServers,
    env: liftLimits(options.env),
  }
  if (!offloader.options.includeRetrievalTool) return offloading
  if (Object.hasOwn(mcpServers, SERVER_NAME))
    throw new TypeError(`mcpServers has a server ${SERVER_NAME} already: give it another name.`)
  return {
    ...offloading,
    mcpServers: { ...mcpServers, [SERVER_NAME]: serverOf(offloader, settings, sessions) },
    allowedTools: [...(options.allowedTools ?? []), `mcp__${SERVER_NAME}__${RETRIEVAL_TOOL_NAME}`],
  }
}

type Servers = Readonly<Record<string, McpServerConfig>>

function offloadErrors(servers: Servers = {}, sessions: SessionOfCall, offloaderOf: OffloaderOfCall): Servers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      server.type === 'sdk' ? offloadServerErrors(server, sessions, offloaderOf) : server,
    ]),
  )
}

type Hooks = Partial<Record<HookEvent, HookCallbackMatcher[]>>

function joinHooks(first: Hooks = {}, second: Hooks): Hooks {
  const joined: Hooks = { ...first }
  for (const [event, matchers] of Object.entries(second) as [HookEvent, HookCallbackMatcher[]][])
    joined[event] = [...(first[event] ?? []), ...matchers]
  return joined
}
