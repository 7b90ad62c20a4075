import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Start a TypeScript file in a separate process. Calls `onLine` for each line that it prints. */
export function startScript(
  script: URL,
  parameters: readonly string[],
  onLine: (line: string) => void = () => {},
): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(script), ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })
  // A killed process no longer reads its input.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', onLine)
  return child
}

/** Wait until a process ends. Returns its exit code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  return await new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
}

/** Return the URL of a script of this package. */
export const ownScript = (name: string): URL => new URL(`./scripts/${name}`, import.meta.url)
