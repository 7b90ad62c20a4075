import { ContextOffloader, type ContextOffloaderOptions, type OffloadEvent } from '@spillway/core'
import type { HttpOptions } from '@spillway/mcp/http'
import type { UpstreamEvent } from '@spillway/mcp/proxy'
import { describeError, nameOptions } from '../cli-error.ts'
import { listenUntilSignal, readTokens } from '../serving.ts'
import type { ListenOptions, OffloaderOptions } from '../commands/options.ts'
import { countOf, noteJson, noteLine } from '../output.ts'
import type { OpenStore } from '../store/with-store.ts'

/** Writes events to standard error, without content, arguments or secrets. */
export class EventLog {
  readonly #all: boolean

  /** @param all - Whether to write every event, as JSON. Otherwise, only important events are written, as text. */
  constructor(all: boolean) {
    this.#all = all
  }

  offload(event: OffloadEvent): void {
    if (event.type === 'offload-failed' || event.type === 'eviction-failed') {
      const { message } = describeError(event.error)
      this.#write(`${sayFailure(event)}: ${message}`, { ...event, error: message })
    } else if (event.type === 'offload-recovered')
      this.#write(`Results are stored again. ${event.failures} could not be stored before.`, event)
    else this.#write(undefined, event)
  }

  upstream(event: UpstreamEvent): void {
    this.#write(sayUpstream(event), event)
  }

  error({ message }: Error): void {
    this.#write(message, { type: 'error', message })
  }

  #write(line: string | undefined, event: object): void {
    if (this.#all) void noteJson({ time: new Date().toISOString(), ...event })
    else if (line !== undefined) void noteLine(line)
  }
}

function sayFailure(event: Extract<OffloadEvent, { readonly failures: number; readonly error: unknown }>): string {
  if (event.type === 'eviction-failed') return 'Old content could not be evicted at the end of a turn'
  if (event.failures === 1) return `A result of ${event.toolName} could not be stored, and is unchanged`
  return `${event.failures} results could not be stored, the last of ${event.toolName}, and are unchanged`
}

function sayUpstream(event: UpstreamEvent): string {
  switch (event.type) {
    case 'server-ended':
      return `The server ${event.server} ended (${event.reason}). ${countOf(event.unanswered, 'call')} had no answer.`
    case 'session-renewed':
      return `The server ${event.server} had lost the session, and got a new one.`
    case 'server-error':
      return `${event.server}: ${event.message}`
  }
}

/** Create the offloader of a command; invalid options become usage errors. */
export function createOffloader(
  store: OpenStore,
  options: OffloaderOptions & Pick<ContextOffloaderOptions, 'tools'>,
  log: EventLog,
): ContextOffloader {
  return nameOptions(() => {
    const offloader = new ContextOffloader({
      ...store,
      maxResultTokens: options.maxTokens,
      previewTokens: options.previewTokens,
      maxRetrievalTokens: options.maxRetrievalTokens,
      tools: options.tools,
      onEvent: (event) => log.offload(event),
    })
    return options.scope === undefined ? offloader : offloader.forScope(...options.scope)
  })
}

interface Endpoint extends Pick<HttpOptions, 'fetch'> {
  readonly close: () => Promise<unknown>
}

/** Serve an endpoint over HTTP until a signal stops it. Throws a `usage` error if the address is unavailable. */
export async function listen(endpoint: Endpoint, options: ListenOptions, log: EventLog): Promise<void> {
  const { listen: address, allowHost: allowedHosts } = options
  const [{ serveHttp }, tokens] = await Promise.all([import('@spillway/mcp/http'), readTokens(options)])
  const { fetch } = endpoint
  const onError = (error: Error): void => log.error(error)
  const service = await listenUntilSignal(serveHttp({ ...address, allowedHosts, tokens, fetch, onError }))
  await endpoint.close()
  await service.close()
}
