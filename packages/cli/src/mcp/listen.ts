import type { HttpOptions } from '@spillway/mcp/http'
import { noteLine } from '../output.ts'
import type { EventLog } from './event-log.ts'
import { explainListen, readTokens, type ListenOptions } from '../listen/listen-options.ts'
import { runUntilSignal } from '../listen/run-until-signal.ts'

/** What answers requests. */
export interface Endpoint extends Pick<HttpOptions, 'fetch'> {
  /** End what is open, when nothing more is to be answered. */
  readonly close: () => Promise<unknown>
}

/** Serve an endpoint over HTTP until a signal stops it; throws a `usage` error for an address that cannot be listened at. */
export async function listen(endpoint: Endpoint, options: ListenOptions, log: EventLog): Promise<void> {
  const { listen: address, allowHost: allowedHosts } = options
  const [{ serveHttp }, tokens] = await Promise.all([import('@spillway/mcp/http'), readTokens(options)])
  const { fetch } = endpoint
  const onError = (error: Error): void => log.error(error)
  const service = await explainListen(serveHttp({ ...address, allowedHosts, tokens, fetch, onError }))
  await noteLine(`Listening at ${service.url}`)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  await runUntilSignal(stopped, stop)
  await endpoint.close()
  await service.close()
}
