import { CliError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'

/**
 * Do some work, and reject as soon as an error is thrown where nobody waits for it, as by an `error` event without a
 * listener: the process cannot be relied on after that.
 */
export async function withStrayErrors<Result>(work: () => Promise<Result>, doing: () => string): Promise<Result> {
  let report: NodeJS.UncaughtExceptionListener = () => {}
  const stray = new Promise<never>((_, reject) => {
    report = (cause: unknown) => {
      // Anything can be thrown.
      const message = cause instanceof Error ? cause.message : String(cause)
      reject(
        new CliError(
          'stray-error',
          EXIT_CODE.nothing,
          `${doing()}, an error was thrown where nobody waits for it: ${message.replace(/\.?$/, '.')} ` +
            'Run it again with SPILLWAY_DEBUG=1 to see where it comes from.',
          { cause },
        ),
      )
    }
  })
  process.on('uncaughtException', report)
  try {
    return await Promise.race([work(), stray])
  } finally {
    process.off('uncaughtException', report)
  }
}
