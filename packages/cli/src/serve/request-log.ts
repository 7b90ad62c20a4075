import type { LogRecord } from '@spillway/server'
import { note } from '../output.ts'

/** Writes what a service does to standard error, a line of JSON for each request and fault; nothing in it is content. */
export class RequestLog {
  readonly #requests: boolean

  /** @param requests - Whether to write requests as well; faults are written in any case. */
  constructor(requests: boolean) {
    this.#requests = requests
  }

  /** Write a record. */
  write(record: LogRecord): void {
    if (record.type === 'fault' || this.#requests) void note(`${JSON.stringify(record)}\n`)
  }
}
