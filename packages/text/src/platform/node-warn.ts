import process from 'node:process'

/** Tell the developer of a fault that must not fail the operation at hand. */
export function warn(message: string, cause: unknown): void {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  process.emitWarning(message, { type: 'SpillwayWarning', detail })
}
