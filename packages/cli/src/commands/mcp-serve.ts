import type { ContextOffloader, Storage } from '@spillway/core'
import type { Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { EventLog } from '../mcp/event-log.ts'
import { addListenOptions, readTokens, type ListenOptions } from '../mcp/listen-options.ts'
import { explainListen } from '../mcp/explain-listen.ts'
import { addAnswerOptions, createOffloader, type OffloaderOptions } from '../mcp/offloader-options.ts'
import { runUntilSignal } from '../mcp/run-until-signal.ts'
import { noteLine } from '../output.ts'
import { readVersion } from '../read-version.ts'
import { addStoreOptions, withStore, type StoreOptions } from '../store-options.ts'

interface ServeOptions extends StoreOptions, OffloaderOptions, ListenOptions {
  readonly readOnly?: boolean
  readonly logEvents?: boolean
}

/** Add `spillway mcp serve`. */
export function addMcpServeCommand(parent: Command): void {
  const command = parent
    .command('serve')
    .summary('be an MCP server that searches and reads what is stored')
    .description(
      'Serve what is stored to a host that only needs retrieval: a tool that searches and reads by reference, and one by\n' +
        'which an agent puts content aside. With --scope, everything in it can be searched; without, a reference is needed.',
    )
    .option('--read-only', 'leave out the tool that stores')
    .option('--log-events', 'write every event to standard error, as lines of JSON')
  addAnswerOptions(command)
  addListenOptions(command)
  addStoreOptions(command, { json: false })
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway mcp serve --store file:./.spillway --scope project-1
  $ spillway mcp serve --store redis://localhost:6379 --listen 8004 --tokens tokens.json`,
  )
  action(command, serve)
}

async function serve({ options }: Invocation<ServeOptions>): Promise<number> {
  const log = new EventLog(options.logEvents === true)
  const use = async (storage: Storage): Promise<number> => {
    const offloader = createOffloader(storage, options, log)
    return options.listen === undefined
      ? await overStdio(offloader, options, log)
      : await overHttp(offloader, options, log)
  }
  const { scope: _ofTheOffloader, ...place } = options
  return withStore(place, use, { allowEphemeral: true })
}

async function overStdio(offloader: ContextOffloader, { readOnly }: ServeOptions, log: EventLog): Promise<number> {
  const [{ retrievalServer }, { serveStdio }] = await Promise.all([
    import('@spillway/mcp/server'),
    import('@modelcontextprotocol/server/stdio'),
  ])
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const handle = serveStdio(() => retrievalServer(offloader, { readOnly, version: readVersion() }), {
    onerror: (error) => log.error(error),
  })
  process.stdin.once('end', end).once('close', end)
  await runUntilSignal(ended, end)
  await handle.close()
  return EXIT_CODE.ok
}

async function overHttp(offloader: ContextOffloader, options: ServeOptions, log: EventLog): Promise<number> {
  const [{ retrievalServer }, { createMcpHandler }, { serveHttp, AccessTokens }] = await Promise.all([
    import('@spillway/mcp/server'),
    import('@modelcontextprotocol/server'),
    import('@spillway/mcp/http'),
  ])
  const { listen, allowHost: allowedHosts, tokens: file, readOnly } = options
  const onError = (error: Error): void => log.error(error)
  const tokens = file === undefined ? undefined : await readTokens(file, AccessTokens)
  const handlers = new Map<string, ReturnType<typeof createMcpHandler>>()
  const handlerOf = (scope: readonly string[]): ReturnType<typeof createMcpHandler> => {
    const key = JSON.stringify(scope)
    const own = scope.length === 0 ? offloader : offloader.forScope(...scope)
    const known =
      handlers.get(key) ??
      createMcpHandler(() => retrievalServer(own, { readOnly, version: readVersion() }), { onerror: onError })
    handlers.set(key, known)
    return known
  }
  const fetch = (request: Request, scope: readonly string[]): Promise<Response> => handlerOf(scope).fetch(request)
  const service = await explainListen(serveHttp({ ...listen, allowedHosts, tokens, fetch, onError }))
  await noteLine(`Listening at ${service.url}`)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  await runUntilSignal(stopped, stop)
  await Promise.all([...handlers.values()].map((handler) => handler.close()))
  await service.close()
  return EXIT_CODE.ok
}
