/** Collects errors that no code handles: unhandled rejections, and errors thrown in callbacks. */
export interface StrayErrors {
  /** Stop collecting once pending callbacks have run. Return the first error, if any. */
  end(): Promise<{ readonly error: unknown } | undefined>
}

type Listen = (name: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void) => unknown

/** Collect unhandled errors, which would otherwise end the process. Has no effect outside Node.js. */
export function collectStrayErrors(): StrayErrors {
  const process = globalThis.process as { readonly on?: Listen; readonly off?: Listen } | undefined
  let first: { readonly error: unknown } | undefined
  const note = (error: unknown): void => void (first ??= { error })
  for (const name of ['unhandledRejection', 'uncaughtException'] as const) process?.on?.(name, note)
  return {
    async end() {
      await new Promise((resolve) => setTimeout(resolve, 0))
      for (const name of ['unhandledRejection', 'uncaughtException'] as const) process?.off?.(name, note)
      return first
    },
  }
}
