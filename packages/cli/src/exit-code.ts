import { constants } from 'node:os'

/** What the exit code of every command but `run` says; `run` exits with the code of the command that it ran. */
export const EXIT_CODE = {
  ok: 0,
  /** Nothing matched, or what was named is not there. */
  nothing: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The store cannot be used: not installed, unreachable, not writable, damaged. */
  storage: 3,
  /** As shells do: what should be run is no program. */
  notExecutable: 126,
  /** As shells do: there is no such command. */
  notFound: 127,
  /** A fault of Spillway. */
  internal: 70,
} as const

/** The exit code that shells give to a command that a signal has ended. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0)
}
