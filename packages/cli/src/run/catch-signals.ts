/** Signals that people and supervisors send to end a command, or to tell it something. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** Signals that a terminal sends to every process in its foreground, so to the command as well. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/**
 * Call `onSignal` for each signal that this process gets, and survive it, until the returned function is called.
 *
 * `isDelivered` is true for the first Ctrl-C on a terminal: the command has it already, and many take a second one as
 * "drop everything".
 */
export function catchSignals(onSignal: (signal: NodeJS.Signals, isDelivered: boolean) => void): () => void {
  const seen = new Set<NodeJS.Signals>()
  const listener = (signal: NodeJS.Signals): void => {
    const isDelivered = FROM_TERMINAL.has(signal) && !seen.has(signal) && hasTerminal()
    seen.add(signal)
    onSignal(signal, isDelivered)
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

const hasTerminal = (): boolean => [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
