/** Signals that people and supervisors send to end a command, or to tell it something. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** Signals that a terminal sends to every process in its foreground, so to the command as well. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/**
 * Hand over the signals that this process gets, and survive them, until the returned function is called.
 *
 * On a terminal the first Ctrl-C is not forwarded: the command has it already, and many take a second one as "drop
 * everything". Later ones are.
 */
export function forwardSignals(forward: (signal: NodeJS.Signals) => void): () => void {
  const seen = new Set<NodeJS.Signals>()
  const listener = (signal: NodeJS.Signals): void => {
    const delivered = FROM_TERMINAL.has(signal) && !seen.has(signal) && hasTerminal()
    seen.add(signal)
    if (!delivered) forward(signal)
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

const hasTerminal = (): boolean => [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
