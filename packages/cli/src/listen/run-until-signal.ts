const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Run something that can be stopped, stop it at the first signal that asks for it, and return what it ended with. */
export async function runUntilSignal<Result>(run: Promise<Result>, stop: () => void): Promise<Result> {
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await run
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}
