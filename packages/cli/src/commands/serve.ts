import type { Storage } from '@spillway/core'
import type { Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { addListenOptions, explainListen, readTokens, type ListenOptions } from '../listen/listen-options.ts'
import { runUntilSignal } from '../listen/run-until-signal.ts'
import { EventLog } from '../mcp/event-log.ts'
import { addAnswerOptions, addResultOptions, createOffloader, type OffloaderOptions } from '../mcp/offloader-options.ts'
import { addModelOptions, createSummarizer, type ModelOptions } from '../model/model-options.ts'
import { noteLine } from '../output.ts'
import {
  addContextOffloadOptions,
  contextOffloadOf,
  type ContextOffloadOptions,
} from '../serve/context-offload-options.ts'
import { addLimitOptions, limitsOf, type LimitOptions } from '../serve/limit-options.ts'
import { loggedSummarizer } from '../serve/logged-summarizer.ts'
import { RequestLog } from '../serve/request-log.ts'
import { addStoreOptions, withStore, type StoreOptions } from '../store-options.ts'

interface ServeOptions
  extends StoreOptions, OffloaderOptions, ListenOptions, ModelOptions, ContextOffloadOptions, LimitOptions {
  readonly quiet?: boolean
}

const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 8_002 }

/** Add `spillway serve`. */
export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('serve over HTTP: results, histories, and the endpoints of ReMe')
    .description(
      'Serve the store over HTTP. Without --tokens only this machine is served, in one scope; with them, each caller in its ' +
        'own. POST /context_offload, /grep, /read_file are those of ReMe; what is under /v1 is described at /openapi.json.',
    )
    .option('--quiet', 'log faults alone, not every request')
  addListenOptions(command, 'where to serve (default: 127.0.0.1:8002)')
  addModelOptions(command)
  addContextOffloadOptions(command)
  addResultOptions(command)
  addAnswerOptions(command, 'that of --max-tokens')
  addLimitOptions(command)
  addStoreOptions(command, { json: false })
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway serve
  $ spillway serve --model gpt-5-mini
  $ spillway serve --store redis://localhost:6379 --listen 0.0.0.0:8002 --tokens tokens.json --allow-host spill.example.com`,
  )
  action(command, serve)
}

async function serve({ options }: Invocation<ServeOptions>): Promise<number> {
  const summarize = createSummarizer(options)
  const { scope, ...place } = options
  return await withStore(place, (storage) => serveStore(storage, { ...place, scope }, summarize), {
    allowEphemeral: true,
  })
}

async function serveStore(
  storage: Storage,
  { scope, ...options }: Omit<ServeOptions, 'scope'> & { readonly scope: readonly string[] | undefined },
  summarize: ReturnType<typeof createSummarizer>,
): Promise<number> {
  const [{ serve: start }, tokens] = await Promise.all([import('@spillway/server/node'), readTokens(options)])
  // What happens is logged by request.
  const offloader = createOffloader(storage, options, new EventLog(false))
  const log = new RequestLog(options.quiet !== true)
  const service = await explainListen(
    start(offloader, {
      ...(options.listen ?? DEFAULT_ADDRESS),
      allowedHosts: options.allowHost,
      tokens,
      scope,
      summarize: summarize && loggedSummarizer(summarize, log),
      contextOffload: contextOffloadOf(options),
      limits: limitsOf(options),
      maxSpoolBytes: options.maxSpool,
      log: (record) => log.write(record),
    }),
  )
  await noteLine(`Listening at ${service.url}`)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  await runUntilSignal(stopped, stop)
  await service.close({ graceMs: options.grace })
  return EXIT_CODE.ok
}
