import type { OffloadEvent } from '@spillway/core'
import type { UpstreamEvent } from '@spillway/mcp/proxy'
import { describeError } from '../cli-error.ts'
import { noteJson, noteLine } from '../output.ts'

/** Writes what happens to standard error, in which hosts keep the logs of servers: no content, arguments or secrets. */
export class EventLog {
  readonly #all: boolean

  /** @param all - Whether to write every event as a line of JSON; otherwise only what somebody has to know. */
  constructor(all: boolean) {
    this.#all = all
  }

  offload(event: OffloadEvent): void {
    if (event.type === 'offload-failed' || event.type === 'eviction-failed') {
      const { message } = describeError(event.error)
      const which = event.type === 'offload-failed' ? ` of ${event.toolName}` : ''
      this.#write(`A result${which} could not be stored, and stays as it is: ${message}`, { ...event, error: message })
    } else this.#write(undefined, event)
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

function sayUpstream(event: UpstreamEvent): string {
  switch (event.type) {
    case 'server-ended':
      return `The server ${event.server} ended (${event.reason}); ${event.unanswered} calls were under way.`
    case 'server-restarted':
      return `The server ${event.server} was started again.`
    case 'session-renewed':
      return `The server ${event.server} had lost the session, and was greeted anew.`
    case 'server-error':
      return `${event.server}: ${event.message}`
  }
}
