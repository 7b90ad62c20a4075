import type { LogRecord } from '@spillway/server'
import { noteJson } from '../output.ts'

/** Writes what a service does to standard error, a line of JSON for each request, fault, and failure of a model; nothing in it is content. */
export class RequestLog {
  readonly #requests: boolean

  /** @param requests - Whether to write requests as well; the others are written in any case. */
  constructor(requests: boolean) {
    this.#requests = requests
  }

  /** Write why a model gave no summary; the message must have nothing in it of what was sent or answered. */
  modelFailed(message: string): void {
    void noteJson({ type: 'model-failed', time: new Date().toISOString(), message })
  }

  /** Write a record. */
  write(record: LogRecord): void {
    if (record.type === 'fault' || this.#requests) void noteJson(record)
  }
}
