import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Start a TypeScript file in a process of its own, calling back with each line that it prints. */
export function startScript(
  script: URL,
  parameters: readonly string[],
  onLine: (line: string) => void = () => {},
): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(script), ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })
  // A process that was killed reads no more.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', onLine)
  return child
}

/** Wait for a process to end, and return its exit code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  return await new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
}

/** The URL of one of this package's own scripts. */
export const ownScript = (name: string): URL => new URL(`./scripts/${name}`, import.meta.url)
